import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';
import { properties } from './trigger/fields';
import { poll } from './trigger/poll';

export class AquacultureTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Aquaculture Trigger',
		name: 'aquacultureTrigger',
		icon: {
			light: 'file:../../icons/aquaculture.svg',
			dark: 'file:../../icons/aquaculture.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter.siteIds }}',
		description: 'Start the workflow when the data of a fish farming site changes',
		defaults: { name: 'Aquaculture Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'aquacultureApi', required: true }],
		properties,
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this);
	}
}
