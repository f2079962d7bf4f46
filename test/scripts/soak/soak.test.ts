import type { Fault } from '../../../emulator/faults';
import { Journal } from '../../../emulator/journal';
import {
	AnswerChecker,
	faultsOfChanges,
	findSecrets,
	growthOf,
	type Growth,
} from '../../../scripts/soak/checks';
import { callOf, markOf, planSoak } from '../../../scripts/soak/load';
import type { MemorySample } from '../../../scripts/soak/probe.mjs';
import { MAX_HEAP_PER_HOUR, requirementsOf, type Results } from '../../../scripts/soak/report';
import { SERVED_SITES, storedSite } from '../../../scripts/soak/world';

const [ONE = 0, TWO = 0] = SERVED_SITES;

it('a soak has a plan that its seed repeats, with every kind of disturbance and a calm end', () => {
	const plan = planSoak(7, 600, 5);
	const moments = plan.disturbances.map(({ at }) => at);

	expect(planSoak(7, 600, 5)).toEqual(plan);
	expect(planSoak(8, 600, 5)).not.toEqual(plan);
	expect(plan.calls).toHaveLength(3000);
	expect(new Set(plan.disturbances.map(({ what }) => what.kind))).toEqual(
		new Set(['fault', 'revocation', 'passwordChange', 'siteChange']),
	);
	expect(moments).toEqual([...moments].sort((one, other) => one - other));
	expect(moments.at(-1)).toBeLessThan(591_000);
});

it('a call is told by its mark, and nothing else is taken for one', () => {
	expect([0, 1, 9000].map((call) => callOf(markOf(call)))).toEqual([0, 1, 9000]);
	expect([callOf('2023-01-01'), callOf(undefined)]).toEqual([undefined, undefined]);
});

describe('the answer of a call', () => {
	const BROKEN = `The connection to the service broke off, so site ${ONE} was not read`;
	const RESET: Fault = { kind: 'reset' };
	const REQUEST = { route: 'site', method: 'GET', body: '', at: 10, receivedAt: 10 } as const;
	const headers = { 'service-version': markOf(3), authorization: 'Bearer token' };
	/** What is wrong with these items, where the service has done this to the requests for each site. */
	const faultsOf = (items: unknown[], answers: Array<[siteId: number, fault?: Fault]>) => {
		const journal = new Journal();
		journal.requests = answers.map(([siteId, fault]) => ({
			...REQUEST,
			url: `/meta/sites/${siteId}`,
			headers,
			...(fault ? { status: 0, fault } : { status: 200 }),
		}));
		const ids = [...new Set(answers.map(([siteId]) => siteId))];
		const text = JSON.stringify(items);
		const answer = { index: 3, sentAt: 0, answeredAt: 20, status: 200, text };
		return new AnswerChecker(journal).faultsOf([{ operation: 'many', ids, ...answer }]);
	};
	const tries = (count: number): Array<[number, Fault]> =>
		Array.from({ length: count }, () => [ONE, RESET]);

	it('is right with the very items of the service, and with the sentence for what it has done', () => {
		expect(faultsOf([storedSite(ONE), storedSite(TWO)], [[ONE], [TWO]])).toEqual([]);
		const failed = { error: BROKEN, siteId: ONE, siteName: null, description: '', httpCode: '503' };
		expect(faultsOf([failed, storedSite(TWO)], [...tries(5), [TWO]])).toEqual([]);
		expect(faultsOf([storedSite(ONE)], [[ONE, RESET], [ONE]])).toEqual([]);
	});

	it.each<[string, unknown[], Array<[number, Fault?]>]>([
		['an item is lost', [storedSite(TWO)], [[ONE], [TWO]]],
		['the order is another one', [storedSite(TWO), storedSite(ONE)], [[ONE], [TWO]]],
		['a field is another one', [{ ...storedSite(ONE), siteName: 'Elsewhere' }], [[ONE]]],
		['there is an item too many', [storedSite(ONE), storedSite(ONE)], [[ONE]]],
		['a site that was read has failed', [{ error: BROKEN }], [...tries(1), [ONE]]],
		['the sentence is another one', [{ error: `The service does not know site ${ONE}` }], tries(5)],
		['the sentence names another site', [{ error: BROKEN.replace(`${ONE}`, '1') }], tries(5)],
		['the error holds a field of a site', [{ error: BROKEN, info: {} }], tries(5)],
		['the error is said of another site', [{ error: BROKEN, siteId: 1 }], tries(5)],
		['a site is given up too early', [{ error: BROKEN }], tries(4)],
		['a site is asked for too often', [{ error: BROKEN }], tries(6)],
		['a site is asked for again', [storedSite(ONE)], [[ONE], [ONE]]],
	])('is wrong where %s', (_name, items, answers) => {
		expect(faultsOf(items, answers)).not.toEqual([]);
	});
});

it('the changes of the trigger are one chain, in which a licence may be passed over', () => {
	const faultsOf = (...pairs: Array<[oldValue: string, newValue: string]>) =>
		faultsOfChanges(
			pairs.map(([oldValue, newValue]) => ({ oldValue, newValue })),
			['L-0', 'L-1', 'L-2'],
		);

	expect(faultsOf(['L-0', 'L-1'], ['L-1', 'L-2'])).toEqual([]);
	expect(faultsOf(['L-0', 'L-2'])).toEqual([]);
	expect(faultsOf(['L-0', 'L-1'])).toHaveLength(1);
	expect(faultsOf(['L-1', 'L-2'])).toHaveLength(1);
});

it('a secret is found wherever it is, and not repeated', () => {
	const texts = [
		{ name: 'one', text: 'nothing' },
		{ name: 'two', text: '{"a":"x-s3cret"}' },
	];

	expect(findSecrets(texts, ['other', 's3cret'])).toEqual(['two holds a secret']);
});

describe('the growth of memory', () => {
	/** A sample each 15 seconds, of a heap that grows by so many megabytes an hour in the second half. */
	const growth = (perHour: number, peaks = 0): Growth => {
		const heapAt = (index: number) =>
			index < 60 ? index * 5 : 300 + ((index - 60) * perHour) / 240;
		const samples = Array.from({ length: 120 }, (_, index): MemorySample => {
			const peak = index % 9 ? 0 : peaks;
			return { at: index * 15_000, heap: heapAt(index) + peak, rss: 500 };
		});
		return growthOf(samples);
	};

	it.each([0, 20, -60])('is that of the second half, without single peaks: %d MB', (perHour) => {
		expect(growth(perHour).heapPerHour).toBeCloseTo(perHour);
		expect(growth(perHour, 400).heapPerHour).toBeCloseTo(perHour);
	});

	it('cannot be told without samples', () => {
		expect(() => growthOf([])).toThrow('was not sampled');
	});

	it.each([
		[4.9, 30, true],
		[6, 30, false],
		[6, 2, undefined],
	])('beyond the bound by %d MB, where the control has 5, in %d minutes: met is %s', (...row) => {
		const [perHour, minutes, isMet] = row;
		const soaked = growth(perHour + MAX_HEAP_PER_HOUR);
		const results = { minutes, faults: [], leaks: [], memory: { soaked, control: growth(5) } };

		expect(requirementsOf(results as unknown as Results).at(-1)?.isMet).toBe(isMet);
	});
});
