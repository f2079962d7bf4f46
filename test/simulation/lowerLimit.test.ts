import { constantUse, TESTED_COUNTING } from '../../testbed/simulation/scenarios';

// Hours go by, and a busy machine takes its time.
jest.setTimeout(120_000);

const counting = TESTED_COUNTING.map((settings) => [JSON.stringify(settings), settings] as const);

describe.each(counting)('at a service that counts like this: %s', (_name, settings) => {
	it.each([5, 20, 50])(
		'a limit of %d, where 100 are entered, costs few refusals an hour',
		async (limit) => {
			const { refusals, used } = await constantUse(0, { ...settings, limit });
			const [first, ...later] = refusals;

			expect(used).toBeGreaterThan(0.75);
			expect(first).toBeLessThanOrEqual(22);
			expect(Math.max(...later)).toBeLessThanOrEqual(4);
		},
	);

	it('two processes that do not know of each other share what there is', async () => {
		const { refusals, used } = await constantUse(0, settings, 2);

		expect(used).toBeGreaterThanOrEqual(0.85);
		expect(Math.max(...refusals.slice(1))).toBeLessThanOrEqual(8);
	});
});

it('three processes cost few refusals, though they leave more unused', async () => {
	const { refusals, used } = await constantUse(0, {}, 3);

	expect(used).toBeGreaterThan(0.6);
	expect(Math.max(...refusals.slice(1)) / 3).toBeLessThanOrEqual(4);
});
