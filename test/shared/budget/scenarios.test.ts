import { MINUTE_MS, SECOND_MS } from '../../../shared/duration';
import {
	afterOneRefusal,
	besideALongRun,
	constantUse,
	correctedNumber,
	COUNTING,
	heavyUse,
	runAlone,
	usedUpMinute,
} from '../../../testbed/simulation/scenarios';

// Hours go by, and a busy machine takes its time.
jest.setTimeout(120_000);

/** How the service counts, in each way in which it might. */
const counting = COUNTING.map((settings) => [JSON.stringify(settings), settings] as const);

describe('a run that is alone', () => {
	it.each([
		[1, 1],
		[90, 2],
		[100, 2],
		[300, 195],
		[420, 275],
	])('of %d sites takes at most %d seconds', async (sites, seconds) => {
		const { tookMs, busiestMinute, refusals } = await runAlone(sites);

		expect(tookMs).toBeLessThan(seconds * SECOND_MS);
		expect(busiestMinute).toBeLessThanOrEqual(100);
		expect(refusals).toBe(0);
	});

	it('of thousands of sites leaves a little to others who are not there', async () => {
		const { tookMs } = await runAlone(3000);

		expect(3000 / (tookMs / MINUTE_MS)).toBeGreaterThan(92);
	});
});

/** Sites, seconds after which the others come, and seconds that ten sites may take. */
const MOMENTS: Array<[number, number, number]> = [
	[3000, 300, 12],
	...Array.from({ length: 15 }, (_, index): [number, number, number] => [420, 5 * index + 5, 10]),
];

it.each(MOMENTS)(
	'beside a run of %d sites, after %d seconds, a credential test and ten sites take seconds, and triggers are read at every poll',
	async (sites, afterSeconds, tenSeconds) => {
		const beside = await besideALongRun(sites, afterSeconds * SECOND_MS);

		expect(beside.testMs).toBeLessThan(5 * SECOND_MS);
		expect(beside.tenMs).toBeLessThan(tenSeconds * SECOND_MS);
		expect([beside.pollsRead, beside.polls]).toEqual([16, 16]);
		expect(beside.refusals).toBe(0);
	},
);

describe('a minute after one refusal, beside a request that hangs', () => {
	it.each([0, 1, 5, 50])('60 sites take seconds (%d accepted before it)', async (accepted) => {
		const { tookMs } = await afterOneRefusal(accepted);

		expect(tookMs).toBeLessThan(15 * SECOND_MS);
	});

	it.each([0, 5])('220 items of the HTTP Request node are sent (%d)', async (accepted) => {
		const { tookMs } = await afterOneRefusal(accepted, { isOther: true });

		expect(tookMs).toBeLessThan(4 * MINUTE_MS);
	});
});

it.each([undefined, 20 * SECOND_MS])(
	'where others have used up the minute, one or two requests are refused (Retry-After: %j ms)',
	async (retryAfterMs) => {
		const { tookMs, refusals } = await usedUpMinute({ retryAfterMs });

		expect(refusals).toBeLessThanOrEqual(2);
		expect(tookMs).toBeLessThan(65 * SECOND_MS);
	},
);

it("a correction of 'Requests per Minute' applies at once to those who wait", async () => {
	const { tookMs } = await correctedNumber();

	expect(tookMs).toBeLessThan(5 * SECOND_MS);
});

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
			expect(first).toBeLessThanOrEqual(20);
			expect(Math.max(...later)).toBeLessThanOrEqual(4);
		},
	);

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
