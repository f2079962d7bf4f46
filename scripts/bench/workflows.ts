import type { IDataObject, INode } from 'n8n-workflow';

/** The step that is measured. */
export const REQUEST = 'Request';

/** A workflow as `n8n import:workflow` reads it. */
export interface ImportedWorkflow extends IDataObject {
	id: string;
	nodes: IDataObject[];
}

type Step = Pick<INode, 'name' | 'type' | 'typeVersion'> & { parameters: IDataObject } & Partial<
		Pick<INode, 'credentials' | 'onError' | 'retryOnFail'>
	>;

const TRIGGER: Step = {
	name: 'Start',
	type: 'n8n-nodes-base.manualTrigger',
	typeVersion: 1,
	parameters: {},
};

/** The steps that make an item of each ID: nothing but n8n's own, and no code, which would need a further process. */
function itemSteps(siteIds: readonly number[]): Step[] {
	return [
		{
			name: 'List',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: { mode: 'raw', jsonOutput: JSON.stringify({ siteId: siteIds }), options: {} },
		},
		{
			name: 'Items',
			type: 'n8n-nodes-base.splitOut',
			typeVersion: 1,
			parameters: { fieldToSplitOut: 'siteId', options: {} },
		},
	];
}

/** The node of a measured step; a failed item becomes an error item, so that those that arrive can be counted. */
export type RequestStep = Omit<Step, 'name' | 'onError'>;

/**
 * A workflow of a trigger and the measured step.
 *
 * @param siteIds of the items that the step is given; where they are left out, it is given the trigger's only one.
 * @param request where it is left out, the workflow is what the others are compared with: all but the measured step.
 */
export function workflow(
	id: string,
	siteIds: readonly number[] | undefined,
	request: RequestStep | undefined,
): ImportedWorkflow {
	const steps: Step[] = [
		TRIGGER,
		...(siteIds ? itemSteps(siteIds) : []),
		...(request ? [{ ...request, name: REQUEST, onError: 'continueRegularOutput' as const }] : []),
	];
	const links = steps.slice(1).map(({ name }, index) => [steps[index]?.name, to(name)] as const);
	return {
		id,
		name: id,
		active: false,
		settings: { executionOrder: 'v1' },
		nodes: steps.map((step, index) => ({ ...step, id: step.name, position: [index * 200, 0] })),
		connections: Object.fromEntries(links),
	};
}

const to = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });
