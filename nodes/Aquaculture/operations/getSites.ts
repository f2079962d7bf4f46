import type { IDataObject } from 'n8n-workflow';
import { defineField, defineOption, type NodeParameters } from '../fields/field';
import { OFF_IF_LEFT_OUT } from '../fields/sharedOptions';
import {
	manySitesFields,
	resolveSite,
	resolveSites,
	siteField,
	toolSiteField,
} from '../fields/whichSites';
import { checkBoolean, checkIncludes } from '../input/values';
import { siteRow } from '../output/rows';
import type { CheckedAnswer } from '../service/answer';
import { buildIncludes, siteDocument, type SiteRef, type RawSite } from '../service/site';
import type { Operation, SiteRequest } from './operation';

/* Get Site and Get Many Sites: both return one item for each site. */

const includeInfo = defineField(
	{
		displayName: 'Include Info',
		name: 'includeInfo',
		type: 'boolean',
		default: true,
		description:
			'Whether to include the info of the site: its position, type, code, licence, biomass limit and time zone',
	},
	checkBoolean,
);

const includeUnits = defineField(
	{
		displayName: 'Include Units',
		name: 'includeUnits',
		type: 'boolean',
		default: true,
		description: 'Whether to include the units of the site, with the name and position of each',
	},
	checkBoolean,
);

const additionalIncludes = defineOption(
	{
		displayName: 'Additional Site Data',
		name: 'additionalIncludes',
		type: 'string',
		default: '',
		placeholder: 'e.g. sensors,contacts',
		displayOptions: { hide: { '/simplify': [true] } },
		description:
			'Further parts of the site to ask for, separated by commas. Ask the operator of the service which parts it offers.',
	},
	checkIncludes,
);

const includeResponseDetails = defineOption(
	{
		displayName: 'Include Response Details',
		name: 'includeResponseDetails',
		type: 'boolean',
		default: true,
		displayOptions: { hide: { '/simplify': [true] } },
		description:
			"Whether to also return the status code and the headers, with the site in the field 'body'",
		builderHint: OFF_IF_LEFT_OUT,
	},
	checkBoolean,
	false,
);

const SIMPLIFY = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
} as const;

type SiteOperation = Pick<Operation, 'panel' | 'outputSchema'> & {
	requestsFor(parameters: NodeParameters, sites: readonly SiteRef[]): SiteRequest[];
};

/**
 * @param simplifies the default of 'Simplify', for which the editor offers fields before the first execution.
 * @param hint below 'Simplify'.
 */
function siteOperation(simplifies: boolean, hint: string): SiteOperation {
	const simplify = defineField({ ...SIMPLIFY, default: simplifies, hint }, checkBoolean);
	return {
		panel: [includeInfo, includeUnits, simplify, additionalIncludes, includeResponseDetails],
		outputSchema: simplifies ? rowSchema : rawSchema,
		requestsFor(parameters, sites) {
			const isRow = parameters.get(simplify);
			const wanted = { units: parameters.get(includeUnits), info: parameters.get(includeInfo) };
			// A row has no columns for additional sections.
			const includes = buildIncludes(wanted, isRow ? [] : parameters.get(additionalIncludes));
			const asAnswered = parameters.get(includeResponseDetails) ? toItemWithDetails : toRawItem;
			return sites.map((site) => ({
				...siteDocument(site, includes),
				site,
				expectedSections: buildIncludes(wanted),
				...(isRow && { rowType: 'site' as const }),
				toOutput: (answer) => [
					isRow ? siteRow(answer.json, site.siteId, wanted) : asAnswered(answer),
				],
			}));
		},
	};
}

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
const oneSite = siteOperation(
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
	panel: [siteField, toolSiteField, ...oneSite.panel, includeInputFields],
	outputSchema: oneSite.outputSchema,
	takesManySites: false,
	requests: (parameters, known) =>
		oneSite.requestsFor(parameters, [resolveSite(parameters, known)]),
	repeatedInput(parameters, input) {
		if (!parameters.get(includeInputFields)) return {};
		// A field `error` would mark the item as failed.
		return Object.fromEntries(Object.entries(input).filter(([name]) => name !== 'error'));
	},
};

// On: people read many sites as a table.
const manySites = siteOperation(
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
	panel: [...manySitesFields, ...manySites.panel],
	outputSchema: manySites.outputSchema,
	takesManySites: true,
	requests: (parameters, known) =>
		manySites.requestsFor(parameters, resolveSites(parameters, known)),
};

async function rowSchema(): ReturnType<Operation['outputSchema']> {
	const { siteSchema, siteInfoSchema, integer } = await import('../service/siteSchema');
	const fields = { ...siteInfoSchema.shape, ...siteSchema.shape, numberOfUnits: integer };
	const columns = Object.keys(siteRow({}, 0, { info: true, units: true }));
	return Object.fromEntries(
		columns.map((column) => [column, fields[column as keyof typeof fields]]),
	);
}

async function rawSchema(): ReturnType<Operation['outputSchema']> {
	return (await import('../service/siteSchema')).siteSchema.shape;
}

const toRawItem = ({ json }: CheckedAnswer<RawSite>) => json as IDataObject;

/** Leaves out cookies, which may open a session: n8n stores items and passes them on. */
function toItemWithDetails({ statusCode, headers, json }: CheckedAnswer<RawSite>): IDataObject {
	const kept = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'set-cookie');
	return { statusCode, headers: Object.fromEntries(kept), body: json as IDataObject };
}
