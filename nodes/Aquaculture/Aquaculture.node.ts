import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { listKnownSites, searchKnownSites } from './sites/panelLists';
import { properties } from './operations';

export class Aquaculture implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Aquaculture',
		name: 'aquaculture',
		icon: {
			light: 'file:../../icons/aquaculture.svg',
			dark: 'file:../../icons/aquaculture.dark.svg',
		},
		group: ['input'],
		version: 1,
		subtitle: '={{ $parameter.operation.replace(/([A-Z])/g, " $1").toTitleCase() }}',
		description:
			'Read fish farming sites: name, position, licence, biomass limit, and units (pens, cages, tanks)',
		defaults: { name: 'Aquaculture' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				"Read-only. 'Get Many Sites' with 'Simplify' for one row per site, 'Get Units' for one row per pen, cage or tank, 'Get Site' for each input item. Sites are chosen by ID or by a name known in the credential.",
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-aquaculture.aquacultureTrigger',
					relationHint: 'Starts a workflow when the data of a site changes',
				},
				{
					nodeType: 'n8n-nodes-base.convertToFile',
					relationHint: 'Makes a spreadsheet or CSV file of the rows',
				},
			],
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'aquacultureApi', required: true }],
		properties,
	};

	methods = { listSearch: { searchKnownSites }, loadOptions: { listKnownSites } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const { execute } = await import('./run');
		return await execute(this);
	}
}
