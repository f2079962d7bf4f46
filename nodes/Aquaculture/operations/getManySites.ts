import { manySitesFields, resolveSites } from '../fields/siteFields';
import { siteOperation, type Operation } from './operation';

// On: people read many sites as a table.
const operation = siteOperation(
	true,
	'On: one short row for each site, for a table or an AI model. Off: each site as the service sends it',
);

/** Returns one item for each site, in the order in which the fields name them. */
export const getManySites: Operation = {
	resource: 'site',
	option: {
		name: 'Get Many Sites',
		action: 'Get many sites',
		description: 'Read several sites of fish farms, one item for each',
	},
	panel: [...manySitesFields, ...operation.panel],
	outputSchema: operation.outputSchema,
	takesManySites: true,
	requests: (parameters, known) =>
		operation.requestsFor(parameters, resolveSites(parameters, known)),
};
