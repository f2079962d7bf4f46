import type { IDataObject, INode } from 'n8n-workflow';
import type { TestWorkflow } from './instance';

/**
 * A workflow of a webhook whose rows become items, a node, and a step at each of the node's outputs; the webhook
 * answers with the items of the step that ran last.
 */
export function webhookWorkflow(
	webhook: string,
	node: Partial<INode> & { parameters: IDataObject },
): TestWorkflow {
	const step = (name: string, type: string, parameters: IDataObject = {}): Partial<INode> => ({
		id: name,
		name,
		type: `n8n-nodes-base.${type}`,
		typeVersion: 1,
		position: [0, 0],
		parameters: parameters as INode['parameters'],
	});
	const to = (name: string) => [{ node: name, type: 'main', index: 0 }];
	return {
		name: webhook,
		settings: { executionOrder: 'v1' },
		nodes: [
			{
				...step('Webhook', 'webhook', {
					path: webhook,
					httpMethod: 'POST',
					responseMode: 'lastNode',
					responseData: 'allEntries',
				}),
				typeVersion: 2,
				webhookId: webhook,
			},
			step('Rows', 'splitOut', { fieldToSplitOut: 'body.rows' }),
			{ id: 'Node', name: 'Node', typeVersion: 1, position: [0, 0], ...node },
			step('Read', 'noOp'),
			// Lower on the canvas than the other one, so that n8n runs it after it.
			{ ...step('Failed', 'noOp'), position: [0, 200] },
		],
		connections: {
			Webhook: { main: [to('Rows')] },
			Rows: { main: [to('Node')] },
			Node: { main: [to('Read'), to('Failed')] },
		},
	};
}
