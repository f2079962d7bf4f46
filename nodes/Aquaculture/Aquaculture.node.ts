import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
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
			'Read the data of fish farming sites by their site IDs: their names, their info (position, licence, biomass limit) and their units (pens, tanks)',
		defaults: { name: 'Aquaculture' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'aquacultureApi', required: true }],
		properties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const { execute } = await import('./run');
		return await execute(this);
	}
}
