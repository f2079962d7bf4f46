import type { INode, IPollFunctions } from 'n8n-workflow';
import { resetIfActivation } from '../../../../nodes/Aquaculture/trigger/state';
import { MINUTE_MS } from '../../../../nodes/Aquaculture/utils/time';

it('a poll counts as an activation after an edit or a failed activation', () => {
	const polledWith = (siteIds: string) =>
		({
			getPollBudgetMs: () => 5 * MINUTE_MS,
			getActivationMode: () => 'update',
			getWorkflow: () => ({ id: 'workflow' }),
			getNode: () => ({ name: 'Trigger', parameters: { siteIds } }) as unknown as INode,
		}) as IPollFunctions;
	const activates = (siteIds: string, isUsable = true) => {
		const { state, isActivation } = resetIfActivation(polledWith(siteIds));
		if (!isUsable) state.rejectSettings();
		return isActivation;
	};

	// The first poll of the process comes from the scheduler.
	expect([activates('1'), activates('1'), activates('two', false), activates('two')]).toEqual([
		...[false, false],
		...[true, true],
	]);
	expect([activates('two'), activates('2'), activates('2')]).toEqual([false, true, false]);
});
