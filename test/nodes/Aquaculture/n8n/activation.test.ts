import type { IPollFunctions, WorkflowActivateMode } from 'n8n-workflow';
import { isActivationPoll } from '../../../../nodes/Aquaculture/n8n/activation';

const MINUTE = 60_000;

const contextOf = (mode: WorkflowActivateMode, budgetMs?: number) =>
	({
		getActivationMode: () => mode,
		...(budgetMs !== undefined && { getPollBudgetMs: () => budgetMs }),
	}) as IPollFunctions;

it.each<[string, WorkflowActivateMode, number | undefined, boolean, boolean]>([
	['a trigger is published', 'activate', 5 * MINUTE, false, true],
	['n8n starts', 'init', 5 * MINUTE, false, true],
	['an edited node is published', 'update', 5 * MINUTE, true, true],
	['the scheduler polls', 'update', 36_000, false, false],
	['the scheduler polls an edited node', 'update', 36_000, true, false],
	['the scheduler polls and allows five minutes', 'update', 5 * MINUTE, false, false],
	['n8n 1 activates a workflow after an edit', 'update', undefined, true, true],
])('when %s (mode %s, budget %p ms, edited: %p), isActivationPoll returns %p', (...given) => {
	const [, mode, budgetMs, isEdited, isActivation] = given;
	const context = contextOf(mode, budgetMs);

	expect(isActivationPoll(context, isEdited)).toBe(isActivation);
	expect(isActivationPoll(context, isEdited)).toBe(false);
});
