import type { IPollFunctions } from 'n8n-workflow';
import { identifyPoll } from '../../../../nodes/Aquaculture/n8n/polling';
import { MINUTE_MS, SECOND_MS } from '../../../../nodes/Aquaculture/utils/time';

const contextOf = (mode: 'trigger' | 'manual', budgetMs?: number) =>
	({
		getMode: () => mode,
		...(budgetMs !== undefined && { getPollBudgetMs: () => budgetMs }),
	}) as IPollFunctions;

it.each<[version: string, budgetMs: number | undefined]>([
	['1', undefined],
	['2', 5 * MINUTE_MS],
])('a poll of timers has the context of the activation (n8n %s)', (_version, budgetMs) => {
	const context = contextOf('trigger', budgetMs);

	expect([1, 2, 3].map(() => identifyPoll(context))).toEqual(['activation', 'regular', 'regular']);
	expect(identifyPoll(contextOf('trigger', budgetMs))).toBe('activation');
});

it('a poll of the scheduler has a new context, and a budget of its own', () => {
	const poll = () => identifyPoll(contextOf('trigger', 36 * SECOND_MS));

	expect([1, 2].map(poll)).toEqual(['regular', 'regular']);
});

it("a person's test event is no activation, although its context and budget look like one", () => {
	expect(identifyPoll(contextOf('manual'))).toBe('testEvent');
	expect(identifyPoll(contextOf('manual', 5 * MINUTE_MS))).toBe('testEvent');
});
