import { defineOption } from '../fields/field';
import { OFF_IF_LEFT_OUT } from '../fields/sharedOptions';
import { siteField } from '../fields/siteFields';
import { checkBoolean } from '../input/values';
import type { Operation } from './operation';
import { siteOperation } from './siteOperation';

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
	requests: (item, known) => operation.requestsFor(item, [item.resolveSite(known)]),
	repeatedInput(item) {
		if (!item.get(includeInputFields)) return {};
		// A field `error` would mark the item as failed.
		const fields = Object.entries(item.json).filter(([name]) => name !== 'error');
		return Object.fromEntries(fields);
	},
};
