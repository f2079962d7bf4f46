import type { INode, IPollFunctions, WorkflowActivateMode } from 'n8n-workflow';
import { ActivationDetector } from '../../../../nodes/Aquaculture/polling/activation';

const MINUTE = 60_000;

const contextOf = (mode: WorkflowActivateMode, budgetMs?: number, siteIds = '1') =>
	({
		getActivationMode: () => mode,
		getNode: () => ({ parameters: { siteIds } }) as unknown as INode,
		...(budgetMs !== undefined && { getPollBudgetMs: () => budgetMs }),
	}) as IPollFunctions;

it.each<[string, boolean, WorkflowActivateMode, number | undefined, boolean]>([
	['a trigger is published', true, 'activate', 5 * MINUTE, false],
	['n8n starts', true, 'init', 5 * MINUTE, false],
	['an edited node is published', true, 'update', 5 * MINUTE, true],
	['the scheduler polls', false, 'update', 36_000, false],
	['the scheduler polls an edited node', false, 'update', 36_000, true],
	['the scheduler polls and allows five minutes', false, 'update', 5 * MINUTE, false],
	['n8n 1 activates a workflow after an edit', true, 'update', undefined, true],
])('detects an activation when %s: %p', (_who, isActivation, mode, budgetMs, isEdited) => {
	const activations = new ActivationDetector();
	activations.detect(contextOf('update', 36_000, isEdited ? 'before' : '1'));
	const context = contextOf(mode, budgetMs);

	expect(activations.detect(context)).toBe(isActivation);
	expect(activations.detect(context)).toBe(false);
});

it('detects activations in mode update after an edit or a failed activation only', () => {
	const activations = new ActivationDetector();
	const detect = (siteIds: string) => activations.detect(contextOf('update', 5 * MINUTE, siteIds));

	// The first poll of the process comes from the scheduler.
	expect([detect('1'), detect('1'), detect('two')]).toEqual([false, false, true]);
	activations.reportFailed();
	expect([detect('two'), detect('two'), detect('2'), detect('2')]).toEqual([
		...[true, false],
		...[true, false],
	]);
});
