import { MINUTE_MS, SECOND_MS } from '../../texts/duration';
import {
	afterOneRefusal,
	besideALongRun,
	runAlone,
	usedUpMinute,
} from '../../testbed/simulation/scenarios';

// Hours go by, and a busy machine takes its time.
jest.setTimeout(120_000);

it.each([
	[1, 1],
	[90, 2],
	[100, 2],
	[300, 195],
	[420, 275],
])('a run of %d sites, alone, takes at most %d seconds', async (sites, seconds) => {
	const { tookMs, busiestMinute, refusals } = await runAlone(sites);

	expect(tookMs).toBeLessThan(seconds * SECOND_MS);
	expect(busiestMinute).toBeLessThanOrEqual(100);
	expect(refusals).toBe(0);
});

it('a run of thousands of sites, alone, leaves a little to others who are not there', async () => {
	const { tookMs } = await runAlone(3000);

	expect(3000 / (tookMs / MINUTE_MS)).toBeGreaterThan(92);
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

it.each([0, 1, 5, 50])(
	'a minute after one refusal, beside a request that hangs, 60 sites take seconds (%d accepted before it)',
	async (accepted) => {
		const { tookMs } = await afterOneRefusal(accepted);

		expect(tookMs).toBeLessThan(15 * SECOND_MS);
	},
);

it.each([0, 5])(
	'a minute after one refusal, beside a request that hangs, 220 items of the HTTP Request node are sent (%d)',
	async (accepted) => {
		const { tookMs } = await afterOneRefusal(accepted, { isOther: true });

		expect(tookMs).toBeLessThan(4 * MINUTE_MS);
	},
);

it.each([undefined, 20 * SECOND_MS])(
	'where others have used up the minute, one or two requests are refused (Retry-After: %j ms)',
	async (retryAfterMs) => {
		const { tookMs, refusals } = await usedUpMinute({ retryAfterMs });

		expect(refusals).toBeLessThanOrEqual(2);
		expect(tookMs).toBeLessThan(65 * SECOND_MS);
	},
);
