import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';
import { listKnownSites } from './fields/siteLists';
import { properties } from './trigger/settings';

/** Which sites are watched. The editor cuts off a long list. */
const SUBTITLE =
	'={{ { all: "all sites", fromList: ($parameter.chosenSites ?? []).length + " sites" }[$parameter.sites] ?? ($parameter.siteIds ? "sites " + $parameter.siteIds : "") }}';

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
		subtitle: SUBTITLE,
		// n8n shows it in its list for the node and the trigger together (n8n 2.40).
		description: 'Read fish farming sites, or start a workflow when their data changes',
		defaults: { name: 'Aquaculture Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		builderHint: {
			searchHint:
				"Polls sites and returns one item per change, with a sentence in 'summary'. Send all changes of a poll in one message by aggregating the items.",
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-base.aggregate',
					relationHint: 'Joins the changes of a poll into one item',
				},
			],
		},
		credentials: [{ name: 'aquacultureApi', required: true }],
		// n8n adds its fields for the poll times to this very array, each time it loads its types.
		properties: [...properties],
	};

	methods = { loadOptions: { listKnownSites } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		const { poll } = await import('./trigger/poll');
		return await poll(this);
	}
}
