import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';
import { listKnownSites } from './fields/knownSites';
import { properties } from './trigger/fields';

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
		// n8n shows it in its list for the node and the trigger together (n8n 2.40).
		description: 'Read the data of fish farming sites, or start a workflow when it changes',
		defaults: { name: 'Aquaculture Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'aquacultureApi', required: true }],
		// n8n puts its fields for the poll times into the list itself, and does so again when it loads its types again.
		properties: [...properties],
	};

	methods = { loadOptions: { listKnownSites } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		const { poll } = await import('./trigger/poll');
		return await poll(this);
	}
}
