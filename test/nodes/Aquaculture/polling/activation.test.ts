import type { IPollFunctions } from 'n8n-workflow';
import { isActivation } from '../../../../nodes/Aquaculture/polling/activation';

const MINUTE = 60_000;

it.each<[string, boolean, number | undefined]>([
	['n8n 2 activates a trigger', true, 5 * MINUTE],
	['n8n 1 activates a trigger', true, undefined],
	['the scheduler polls', false, 36_000],
])('detects an activation when %s: %p', (_who, expected, budgetMs) => {
	const context = {
		...(budgetMs !== undefined && { getPollBudgetMs: () => budgetMs }),
	} as IPollFunctions;

	expect(isActivation(context)).toBe(expected);
	expect(isActivation(context)).toBe(false);
});
