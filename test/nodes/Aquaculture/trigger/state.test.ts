import type { IPollFunctions } from 'n8n-workflow';
import { noteFirstPoll, TriggerState } from '../../../../nodes/Aquaculture/trigger/state';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

const contextOf = (budgetMs?: number) =>
	({ ...(budgetMs !== undefined && { getPollBudgetMs: () => budgetMs }) }) as IPollFunctions;

let state: TriggerState;

beforeEach(() => {
	jest.useFakeTimers();
	state = new TriggerState();
});
afterEach(() => jest.useRealTimers());

it('a poll is the activation if n8n has not polled with its context, unless the scheduler limits its time', () => {
	const [context, patient] = [contextOf(5 * MINUTE), contextOf()];

	const polls = [context, context, patient, patient, contextOf(36_000)];
	expect(polls.map(noteFirstPoll)).toEqual([true, false, true, false, false]);
});

it.each<[everyMs: number, budgetMs: number | undefined, allowedMs: number, isRare: boolean]>([
	[5 * SECOND, undefined, 28 * SECOND, false],
	[MINUTE, undefined, 40 * SECOND, false],
	[3 * MINUTE, 5 * MINUTE, 160 * SECOND, false],
	[10 * MINUTE + SECOND, undefined, 4 * MINUTE, false],
	[DAY, undefined, 4 * MINUTE, true],
	[DAY, 36 * SECOND, 36 * SECOND, true],
])(
	'a poll every %d ms, for which n8n allows %j ms, may take %d ms',
	(everyMs, budgetMs, allowedMs, isRare) => {
		const allowed = (isActivation: boolean) => {
			const turn = state.begin(contextOf(budgetMs), isActivation, 0);
			if (turn) state.end(turn);
			return turn && [turn.endsAt - turn.beganAt, turn.isRare];
		};

		expect(allowed(true)).toEqual([28 * SECOND, false]);
		jest.advanceTimersByTime(SECOND);
		// Nothing is known of how often they come.
		expect(allowed(false)).toEqual([Math.min(budgetMs ?? Infinity, 4 * MINUTE), false]);
		jest.advanceTimersByTime(everyMs);
		expect(allowed(false)).toEqual([allowedMs, isRare]);
	},
);

it('a poll with an older memory than the one that was just stored does nothing', () => {
	const storedAt = state.store();
	const begins = (memory: number) => {
		const turn = state.begin(contextOf(), false, memory);
		if (turn) state.end(turn);
		return turn !== undefined;
	};

	expect([begins(storedAt - 1), begins(storedAt)]).toEqual([false, true]);
	// It was not stored, or is a backup's.
	jest.advanceTimersByTime(MINUTE);
	expect(begins(storedAt - 1)).toBe(true);
});

it('sites are read in turn, first those of which nothing is known, then those that were asked for longest ago', () => {
	const sites = (...siteIds: number[]) => siteIds.map((siteId) => ({ siteId, siteName: null }));
	const remembered = new Map([1, 2, 3].map((siteId) => [siteId, { site: {}, since: '' }]));
	const order = (...siteIds: number[]) =>
		state.inOrder(sites(...siteIds), remembered).map(({ siteId }) => siteId);

	expect(order(1, 2, 3, 9)).toEqual([9, 1, 2, 3]);
	state.noteAsked(sites(9, 1, 2));
	expect(order(1, 2, 3, 9)).toEqual([3, 9, 1, 2]);
	state.noteAsked(sites(3, 9));
	expect(order(1, 2, 3, 9)).toEqual([1, 2, 3, 9]);
});
