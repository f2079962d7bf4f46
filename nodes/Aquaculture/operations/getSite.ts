import { defineOption } from '../fields/field';
import { OFF_IF_LEFT_OUT } from '../fields/sharedOptions';
import { resolveSite, siteField } from '../fields/siteFields';
import { checkBoolean } from '../input/values';
import { siteOperation, type Operation } from './operation';

const includeInputFields = defineOption(
	{
		displayName: 'Include Input Fields',
		name: 'includeInputFields',
		type: 'boolean',
		default: true,
		description:
			"Whether to also return all fields of the input item, secrets included, before those of the site. The site's fields replace input fields of the same name.",
		builderHint: OFF_IF_LEFT_OUT,
	},
	checkBoolean,
	false,
);

// Off: people expect one site as the service sends it.
const operation = siteOperation(
	false,
	'Off: the site as the service sends it. On: one short row, for an email, a spreadsheet or an AI model',
);

/** Returns one item for each input item. */
export const getSite: Operation = {
	resource: 'site',
	option: {
		name: 'Get Site',
		action: 'Get a site',
		description: 'Read one site of a fish farm by its ID or name',
	},
	panel: [siteField, ...operation.panel, includeInputFields],
	outputSchema: operation.outputSchema,
	takesManySites: false,
	requests: (parameters, known) =>
		operation.requestsFor(parameters, [resolveSite(parameters, known)]),
	repeatedInput(parameters, input) {
		if (!parameters.get(includeInputFields)) return {};
		// A field `error` would mark the item as failed.
		return Object.fromEntries(Object.entries(input).filter(([name]) => name !== 'error'));
	},
};
