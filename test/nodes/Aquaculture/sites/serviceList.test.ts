import { Emulator } from '../../../../emulator/server';
import { ServiceList } from '../../../../nodes/Aquaculture/sites/serviceList';
import { Queue } from '../../../../account/limit/queue';
import { MINUTE_MS, SECOND_MS } from '../../../../texts/duration';
import { jumpingTime } from '../../../../testbed/engine/jumpingTime';
import { transportTo } from '../requests/transportTo';

const LIMITS = {
	concurrentRequests: 20,
	maxTries: 5,
	timeoutMs: 10 * SECOND_MS,
	maxTimeMs: MINUTE_MS,
	maxWaitMs: 5 * SECOND_MS,
};

const { until } = jumpingTime();
let emulator: Emulator;

beforeAll(async () => {
	emulator = await Emulator.start();
});
afterAll(async () => await emulator.stop());

it.each([
	["as long as 'Maximum Wait (Minutes)' says", Infinity, 5 * SECOND_MS],
	['until the poll ends', 3 * SECOND_MS, 3 * SECOND_MS],
])(
	'a list of sites for which the account has no place is waited for %s',
	async (_howLong, pollEndsAfterMs, longestMs) => {
		const transport = transportTo(emulator.baseUrl, { requestsPerMinute: 1 });
		await transport.account.budget.enter({ queue: new Queue() });
		const beganAt = performance.now();
		const limits = { ...LIMITS, waitEndsAt: beganAt + pollEndsAfterMs };

		const { failure } = await until(new ServiceList().read(transport, limits));

		expect(failure).toMatchObject({
			noPlace: true,
			message: 'The list of sites could not be read',
		});
		expect(performance.now() - beganAt).toBe(longestMs);
		expect(emulator.journal.requests).toEqual([]);
	},
);
