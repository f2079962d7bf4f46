import type { IDataObject } from 'n8n-workflow';
import { NODE_TYPE, triggerWorkflow, webhookWorkflow } from '../../testbed/workflows';
import { credentialsOf, type NewWorkflow } from '../../testbed/n8n/instance';
import { markOf } from './marks';
import type { Call, SoakOperation } from './plan';
import { WATCHED_SITE } from './sites';

/** How the node is set: seconds, and tries. */
export const LIMITS = { timeout: 10, maxTime: 75, maxTries: 5 };

/** The name of the trigger's step. */
export const TRIGGER = 'Trigger';

const PARAMETERS: Record<SoakOperation, IDataObject> = {
	site: { operation: 'getSite', siteId: '={{ $json.id }}' },
	stop: { operation: 'getSite', siteId: '={{ $json.id }}' },
	many: { operation: 'getManySites', siteIds: '={{ $json.ids }}' },
	units: { operation: 'getUnits', siteIds: '={{ $json.ids }}' },
};

/** A workflow that runs the node with the rows that its webhook is sent, and answers with what the node puts out. */
export function nodeWorkflow(operation: SoakOperation, credential: string): NewWorkflow {
	const options = { ...LIMITS, dataVersion: '={{ $json.mark }}' };
	return webhookWorkflow(
		operation,
		{
			type: NODE_TYPE,
			credentials: credentialsOf(credential),
			onError: operation === 'stop' ? 'stopWorkflow' : 'continueRegularOutput',
			parameters: { ...PARAMETERS[operation], options },
		},
		'Read',
	);
}

/** The same workflow with a step of n8n that does nothing in place of the node. */
export function controlWorkflow(operation: SoakOperation): NewWorkflow {
	return webhookWorkflow(operation, { type: 'n8n-nodes-base.noOp', parameters: {} }, 'Read');
}

/** A workflow of the trigger; its executions are kept, unlike those of the others that succeed. */
export function watchingWorkflow(credential: string): NewWorkflow {
	const parameters = { siteIds: `${WATCHED_SITE}`, changes: ['infoChanged'] };
	return triggerWorkflow('Watching', credential, parameters, { saveDataSuccessExecution: 'all' });
}

/** The rows that a call sends to the webhook. */
export function rowsOf({ operation, ids }: Call, call: number): IDataObject[] {
	const mark = markOf(call);
	if (operation === 'many' || operation === 'units') return [{ ids: ids.join(', '), mark }];
	return ids.map((id) => ({ id, mark }));
}
