import type { INode, IPollFunctions } from 'n8n-workflow';
import { getFingerprint } from '../../../../nodes/Aquaculture/trigger/identity';
import { getState } from '../../../../nodes/Aquaculture/trigger/state';
import { MINUTE_MS } from '../../../../nodes/Aquaculture/utils/time';

it('an edit and a failed activation are followed by another activation, a poll of the scheduler is not', () => {
	const polledWith = (siteIds: string) =>
		({
			getPollBudgetMs: () => 5 * MINUTE_MS,
			getActivationMode: () => 'update',
			getWorkflow: () => ({ id: 'workflow' }),
			getNode: () => ({ name: 'Trigger', parameters: { siteIds } }) as unknown as INode,
		}) as IPollFunctions;
	const activates = (siteIds: string, isUsable = true) => {
		const context = polledWith(siteIds);
		const { state, isActivation } = getState(context);
		if (isUsable) state.fingerprint = getFingerprint(context.getNode());
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
