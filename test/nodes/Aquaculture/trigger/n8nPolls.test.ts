import type { IPollFunctions } from 'n8n-workflow';
import { PollLock } from '../../../../nodes/Aquaculture/trigger/n8nPolls';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../../nodes/Aquaculture/utils/time';

/** n8n's timers poll with the context of the activation again. n8n 1 has no budgets. */
const createContext = (budgetMs?: number) => {
	const context = {} as IPollFunctions;
	const begin = (allowedMs = 0) => {
		if (budgetMs !== undefined) context.getPollBudgetMs = () => allowedMs;
		return lock.begin(context);
	};
	return { activate: () => begin(5 * MINUTE_MS), poll: () => begin(budgetMs) };
};

let lock: PollLock;

beforeEach(() => {
	jest.useFakeTimers();
	lock = new PollLock();
});
afterEach(() => jest.useRealTimers());

it.each<[what: string, everyMs: number, budgetMs: number | undefined, allowedMs: number]>([
	['every five seconds may take 28 seconds', 5 * SECOND_MS, undefined, 28 * SECOND_MS],
	['every minute may take 20 seconds less', MINUTE_MS, undefined, 40 * SECOND_MS],
	['with a longer budget ends before the next', 3 * MINUTE_MS, 5 * MINUTE_MS, 160 * SECOND_MS],
	['every day may take four minutes', DAY_MS, undefined, 4 * MINUTE_MS],
	['with a shorter budget may take that long', DAY_MS, 36 * SECOND_MS, 36 * SECOND_MS],
])('a poll %s', (...given) => {
	const [, everyMs, budgetMs, allowedMs] = given;
	const { activate, poll } = createContext(budgetMs);
	const allowed = (active = poll()) => {
		if (active) lock.end(active);
		return active && active.endsAt - active.beganAt;
	};

	expect(allowed(activate())).toBe(28 * SECOND_MS);
	jest.advanceTimersByTime(SECOND_MS);
	// The interval of polls is not known yet.
	expect(allowed()).toBe(Math.min(budgetMs ?? Infinity, 4 * MINUTE_MS));
	jest.advanceTimersByTime(everyMs);
	expect(allowed()).toBe(allowedMs);
});

it('one poll runs at a time, and a stuck one is aborted 30 seconds after its deadline', () => {
	const { activate, poll } = createContext();
	const stuck = activate();

	jest.advanceTimersByTime(57 * SECOND_MS);
	expect(poll()).toBeUndefined();
	jest.advanceTimersByTime(2 * SECOND_MS);
	expect([poll()?.signal.aborted, stuck?.signal.aborted]).toEqual([false, true]);
});

it('an activation aborts the poll that is running, whose end lets no other poll begin', () => {
	const { activate, poll } = createContext();
	const old = activate();
	const current = createContext().activate();

	if (old) lock.end(old);

	expect([old?.signal.aborted, current?.signal.aborted]).toEqual([true, false]);
	expect(poll()).toBeUndefined();
});
