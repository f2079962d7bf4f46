import { PollLock } from '../../../../nodes/Aquaculture/trigger/pollLock';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../../nodes/Aquaculture/utils/time';

/** Of an activation, and of timers. */
const BUDGET_MS = 5 * MINUTE_MS;

let lock: PollLock;

beforeEach(() => {
	jest.useFakeTimers();
	lock = new PollLock();
});
afterEach(() => jest.useRealTimers());

const activate = () => lock.begin('activation', BUDGET_MS);
const poll = (budgetMs = BUDGET_MS) => lock.begin('regular', budgetMs);

it.each<[what: string, everyMs: number, budgetMs: number, allowedMs: number]>([
	['every five seconds may take 28 seconds', 5 * SECOND_MS, BUDGET_MS, 28 * SECOND_MS],
	['every minute may take 20 seconds less', MINUTE_MS, BUDGET_MS, 40 * SECOND_MS],
	['with a longer budget ends before the next', 3 * MINUTE_MS, BUDGET_MS, 160 * SECOND_MS],
	['every day may take four minutes', DAY_MS, BUDGET_MS, 4 * MINUTE_MS],
	['with a shorter budget may take that long', DAY_MS, 36 * SECOND_MS, 36 * SECOND_MS],
])('a poll %s', (...given) => {
	const [, everyMs, budgetMs, allowedMs] = given;
	const allowed = (active = poll(budgetMs)) => {
		if (active) lock.end(active);
		return active && active.endsAt - active.beganAt;
	};

	expect(allowed(activate())).toBe(28 * SECOND_MS);
	jest.advanceTimersByTime(SECOND_MS);
	// The interval of polls is not known yet.
	expect(allowed()).toBe(Math.min(budgetMs, 4 * MINUTE_MS));
	jest.advanceTimersByTime(everyMs);
	expect(allowed()).toBe(allowedMs);
});

it('one poll runs at a time, and a stuck one is aborted 30 seconds after its deadline', () => {
	const stuck = activate();

	jest.advanceTimersByTime(57 * SECOND_MS);
	expect(poll()).toBeUndefined();
	jest.advanceTimersByTime(2 * SECOND_MS);
	expect([poll()?.signal.aborted, stuck?.signal.aborted]).toEqual([false, true]);
});

it('an activation aborts the poll that is running, whose end lets no other poll begin', () => {
	const old = activate();
	const current = activate();

	if (old) lock.end(old);

	expect([old?.signal.aborted, current?.signal.aborted]).toEqual([true, false]);
	expect(poll()).toBeUndefined();
});
