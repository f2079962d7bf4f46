import { judge, MOST_HEAP_PER_HOUR } from '../../../scripts/soak/bounds';
import { growthOf } from '../../../scripts/soak/memory';
import type { MemorySample } from '../../../scripts/soak/probe.mjs';
import type { Results } from '../../../scripts/soak/results';

/** A sample each 15 seconds, of a heap that grows by so many megabytes an hour in the second half. */
const samples = (perHour: number, peaks = 0): MemorySample[] =>
	Array.from({ length: 120 }, (_, index) => ({
		at: index * 15_000,
		heap: (index < 60 ? index * 5 : 300 + ((index - 60) * perHour) / 240) + (index % 9 ? 0 : peaks),
		rss: 500,
		external: 10,
	}));

describe('the growth of memory', () => {
	it.each([0, 20, -60])('is that of the second half: %d MB an hour', (perHour) => {
		expect(growthOf(samples(perHour)).heapPerHour).toBeCloseTo(perHour);
		expect(growthOf(samples(perHour)).rssPerHour).toBe(0);
	});

	it('is not told by single peaks', () => {
		expect(growthOf(samples(10, 400)).heapPerHour).toBeCloseTo(10);
	});

	it('cannot be told without samples', () => {
		expect(() => growthOf(samples(0).slice(0, 1))).toThrow('was not sampled');
	});

	it('is missed where it is faster than the control’s by more than the bound, and not told of short soaks', () => {
		const judged = (perHour: number, minutes = 30) =>
			judge({
				minutes,
				faults: [],
				requests: { needless: 0 },
				exchanges: { unexplained: 0 },
				secrets: { found: [] },
				memory: { soaked: growthOf(samples(perHour)), control: growthOf(samples(5)) },
			} as unknown as Results).find(({ what }) => what.startsWith('heap'))?.isMet;

		expect(judged(5 + MOST_HEAP_PER_HOUR)).toBe(true);
		expect(judged(6 + MOST_HEAP_PER_HOUR)).toBe(false);
		expect(judged(6 + MOST_HEAP_PER_HOUR, 2)).toBeUndefined();
	});
});
