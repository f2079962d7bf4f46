import type { INode, IPollFunctions } from 'n8n-workflow';
import {
	fingerprintOf,
	stateOf,
	TriggerState,
	type ActivePoll,
} from '../../../../nodes/Aquaculture/trigger/state';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

const contextOf = (budgetMs?: number) =>
	({ ...(budgetMs !== undefined && { getPollBudgetMs: () => budgetMs }) }) as IPollFunctions;
const named = (...siteIds: number[]) => siteIds.map((siteId) => ({ siteId, siteName: null }));

const keysOf = (keys: string) => keys.split(' ').map((key) => ({ key }));

let state: TriggerState;

beforeEach(() => {
	jest.useFakeTimers();
	state = new TriggerState();
});
afterEach(() => jest.useRealTimers());

it.each<[everyMs: number, budgetMs: number | undefined, allowedMs: number]>([
	[5 * SECOND, undefined, 28 * SECOND],
	[MINUTE, undefined, 40 * SECOND],
	[3 * MINUTE, 5 * MINUTE, 160 * SECOND],
	[DAY, undefined, 4 * MINUTE],
	[DAY, 36 * SECOND, 36 * SECOND],
])('a poll every %d ms, for which n8n allows %j ms, may take %d ms', (...given) => {
	const [everyMs, budgetMs, allowedMs] = given;
	const allowed = (isActivation: boolean) => {
		const poll = state.begin(contextOf(budgetMs), isActivation);
		if (poll) state.end(poll);
		return poll && poll.endsAt - poll.beganAt;
	};

	expect(allowed(true)).toBe(28 * SECOND);
	jest.advanceTimersByTime(SECOND);
	// Nothing is known yet of how often polls come.
	expect(allowed(false)).toBe(Math.min(budgetMs ?? Infinity, 4 * MINUTE));
	jest.advanceTimersByTime(everyMs);
	expect(allowed(false)).toBe(allowedMs);
});

it('only one poll runs at a time, and one that is stuck is aborted half a minute after its end', () => {
	const stuck = state.begin(contextOf(), true);

	jest.advanceTimersByTime(57 * SECOND);
	expect(state.begin(contextOf(), false)).toBeUndefined();
	jest.advanceTimersByTime(2 * SECOND);
	expect(state.begin(contextOf(), false)).toBeDefined();
	expect(stuck?.signal.aborted).toBe(true);
});

it('sites are read in turn, first those of which nothing is known, then those asked for longest ago', () => {
	const remembered = new Map(
		[1, 2, 3].map((siteId) => [siteId, { site: {}, since: '', changedAt: {} }]),
	);
	const order = () => state.readingOrder(named(1, 2, 3, 9), remembered).map(({ siteId }) => siteId);
	const pollFor = (...siteIds: number[]) => {
		jest.advanceTimersByTime(MINUTE);
		const poll = state.begin(contextOf(), false) as ActivePoll;
		state.noteAsked(named(...siteIds), poll);
		state.end(poll);
		return poll;
	};

	expect(order()).toEqual([9, 1, 2, 3]);
	pollFor(9, 1, 2);
	expect(order()).toEqual([3, 9, 1, 2]);
	const last = pollFor(3, 9);
	expect(order()).toEqual([1, 2, 3, 9]);
	expect([3, 1].flatMap((id) => named(id)).map((site) => state.unreadMs(site, last))).toEqual([
		0,
		MINUTE,
	]);
});

it('a failure is reported again after an hour, and a new one immediately', () => {
	const reported = ['a', 'a', 'a b', 'b'].map((keys) => state.shouldReport(keysOf(keys)));
	jest.advanceTimersByTime(60 * MINUTE);

	expect(reported).toEqual([true, false, true, false]);
	expect(state.shouldReport(keysOf('a'))).toBe(true);
	expect(state.shouldReport([])).toBe(false);
});

it('a failure that has ended is reported again when it comes back, one whose site was not read is not', () => {
	state.shouldReport([{ key: 'outage' }, { key: '7 forbidden', siteId: 7 }, { key: 'settings' }]);

	state.forgetFailures(keysOf('settings'), ({ siteId }) => siteId !== 7);

	expect(['outage', '7 forbidden', 'settings'].map((key) => state.shouldReport([{ key }]))).toEqual(
		[true, false, false],
	);
});

it('an edit and a failed activation are followed by another activation, a poll of the scheduler is not', () => {
	const polledWith = (siteIds: string) =>
		({
			...contextOf(5 * MINUTE),
			getActivationMode: () => 'update',
			getWorkflow: () => ({ id: 'workflow' }),
			getNode: () => ({ name: 'Trigger', parameters: { siteIds } }) as unknown as INode,
		}) as IPollFunctions;
	const activates = (siteIds: string, isUsable = true) => {
		const context = polledWith(siteIds);
		const { state: current, isActivation } = stateOf(context);
		if (isUsable) current.node = fingerprintOf(context.getNode());
		return isActivation;
	};

	// The first poll of this process is one of the scheduler.
	expect([activates('two', false), activates('two', false), activates('two')]).toEqual([
		false,
		true,
		true,
	]);
	expect([activates('two'), activates('2'), activates('2')]).toEqual([false, true, false]);
});
