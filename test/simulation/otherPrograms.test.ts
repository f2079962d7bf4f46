import { MINUTE_MS } from '../../texts/duration';
import { constantUse, heavyUse, TESTED_COUNTING } from '../../testbed/simulation/scenarios';

// Hours go by, and a busy machine takes its time.
jest.setTimeout(120_000);

const counting = TESTED_COUNTING.map((settings) => [JSON.stringify(settings), settings] as const);

describe.each(counting)('at a service that counts like this: %s', (_name, settings) => {
	it('others who send too much for a quarter of an hour are forgotten twenty minutes later', async () => {
		const { fullAfterMs, refusals } = await heavyUse(settings);

		expect(fullAfterMs).toBeLessThan(20 * MINUTE_MS);
		expect(refusals).toBeLessThanOrEqual(20);
	});

	it.each([30, 70, 90])(
		'others who always send %d a minute leave their rest to be used, with few refusals',
		async (others) => {
			const { refusals, used } = await constantUse(others, settings);
			const [first, ...later] = refusals;

			expect(used).toBeGreaterThanOrEqual(0.85);
			expect(first).toBeLessThanOrEqual(12);
			expect(Math.max(...later)).toBeLessThanOrEqual(5);
		},
	);
});
