import type { IPollFunctions } from 'n8n-workflow';
import { PollLock } from '../../../../nodes/Aquaculture/trigger/pollLock';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../../nodes/Aquaculture/utils/time';

const contextWith = (budgetMs?: number) =>
	({ ...(budgetMs !== undefined && { getPollBudgetMs: () => budgetMs }) }) as IPollFunctions;

let lock: PollLock;

beforeEach(() => {
	jest.useFakeTimers();
	lock = new PollLock();
});
afterEach(() => jest.useRealTimers());

it.each<[everyMs: number, budgetMs: number | undefined, allowedMs: number]>([
	[5 * SECOND_MS, undefined, 28 * SECOND_MS],
	[MINUTE_MS, undefined, 40 * SECOND_MS],
	[3 * MINUTE_MS, 5 * MINUTE_MS, 160 * SECOND_MS],
	[DAY_MS, undefined, 4 * MINUTE_MS],
	[DAY_MS, 36 * SECOND_MS, 36 * SECOND_MS],
])('a poll every %d ms with a budget of %j ms may take %d ms', (...given) => {
	const [everyMs, budgetMs, allowedMs] = given;
	const allowed = (isActivation: boolean) => {
		const poll = lock.begin(contextWith(budgetMs), isActivation);
		if (poll) lock.end(poll);
		return poll && poll.endsAt - poll.beganAt;
	};

	expect(allowed(true)).toBe(28 * SECOND_MS);
	jest.advanceTimersByTime(SECOND_MS);
	// The interval of polls is not known yet.
	expect(allowed(false)).toBe(Math.min(budgetMs ?? Infinity, 4 * MINUTE_MS));
	jest.advanceTimersByTime(everyMs);
	expect(allowed(false)).toBe(allowedMs);
});

it('one poll runs at a time, and a stuck one is aborted 30 seconds after its deadline', () => {
	const stuck = lock.begin(contextWith(), true);

	jest.advanceTimersByTime(57 * SECOND_MS);
	expect(lock.begin(contextWith(), false)).toBeUndefined();
	jest.advanceTimersByTime(2 * SECOND_MS);
	expect(lock.begin(contextWith(), false)).toBeDefined();
	expect(stuck?.signal.aborted).toBe(true);
});
