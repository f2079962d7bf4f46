import type { IDataObject } from 'n8n-workflow';
import { field, option, type Field } from '../fields/field';
import { additionalIncludes, OFF_IF_LEFT_OUT } from '../fields/options';
import { manySitesFields, site as siteField } from '../fields/sites';
import { checkBoolean } from '../input/values';
import { siteRow } from '../output/rows';
import type { ServiceResponse } from '../service/response';
import { buildIncludes, siteDocument, type SiteRef, type SentSite } from '../service/site';
import type { InputItem, Operation, SiteRequest } from './operation';

/* Get Site and Get Many Sites, which return one item for each site. */

const includeInfo = field(
	{
		displayName: 'Include Info',
		name: 'includeInfo',
		type: 'boolean',
		default: true,
		description:
			'Whether to include the info of the site: its position, type, code, licence, maximum total biomass and time zone',
	},
	checkBoolean,
);

const includeUnits = field(
	{
		displayName: 'Include Units',
		name: 'includeUnits',
		type: 'boolean',
		default: true,
		description: 'Whether to include the units of the site, with the name and position of each',
	},
	checkBoolean,
);

const includeResponseDetails = option(
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
	default: false,
	description: 'Whether to return a simplified version of the response instead of the raw data',
} as const;
/** On by default: people read many sites as a table. */
const simplifyOn = field(
	{
		...SIMPLIFY,
		default: true,
		hint: 'On: one short row for each site, for a table or an AI model. Off: each site as the service sends it',
	},
	checkBoolean,
);
/** Off by default: people expect one site as the service sends it. */
const simplifyOff = field(
	{
		...SIMPLIFY,
		hint: 'Off: the site as the service sends it. On: one short row, for an email, a spreadsheet or an AI model',
	},
	checkBoolean,
);

const includeInputFields = option(
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

/** @param simplify the field 'Simplify'. Its default decides which fields the editor offers before the first execution. */
function siteOperation(simplify: Field<boolean>): Pick<Operation, 'panel' | 'outputSchema'> & {
	requestsFor(item: InputItem, sites: readonly SiteRef[]): SiteRequest[];
} {
	return {
		panel: [includeInfo, includeUnits, simplify, additionalIncludes, includeResponseDetails],
		outputSchema: simplify.property.default === true ? rowSchema : rawSchema,
		requestsFor(item, sites) {
			const isRow = item.get(simplify);
			const wanted = { units: item.get(includeUnits), info: item.get(includeInfo) };
			// A row has no columns for additional parts.
			const includes = buildIncludes(wanted, isRow ? [] : item.get(additionalIncludes));
			const asAnswered = item.get(includeResponseDetails) ? toItemWithDetails : toRawItem;
			return sites.map((site) => ({
				...siteDocument(site, includes),
				site,
				parts: buildIncludes(wanted),
				...(isRow && { rowType: 'site' as const }),
				toOutput: (answer) => [
					isRow ? siteRow(answer.json, site.siteId, wanted) : asAnswered(answer),
				],
			}));
		},
	};
}

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

const toRawItem = ({ json }: ServiceResponse<SentSite>) => json as IDataObject;

/** Leaves out cookies, which may open a session: n8n stores items and passes them on. */
function toItemWithDetails({ statusCode, headers, json }: ServiceResponse<SentSite>): IDataObject {
	const kept = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'set-cookie');
	return { statusCode, headers: Object.fromEntries(kept), body: json as IDataObject };
}

const single = siteOperation(simplifyOff);

/** Returns one item for each input item. */
export const getSite: Operation = {
	resource: 'site',
	option: {
		name: 'Get Site',
		action: 'Get a site',
		description: 'Read one site of a fish farm by its ID or name',
	},
	panel: [siteField, ...single.panel, includeInputFields],
	outputSchema: single.outputSchema,
	takesManySites: false,
	requests: (item, known) => single.requestsFor(item, [item.getSite(known)]),
	repeatedInput(item) {
		if (!item.get(includeInputFields)) return {};
		// A field `error` would mark the item as failed.
		const fields = Object.entries(item.json).filter(([name]) => name !== 'error');
		return Object.fromEntries(fields);
	},
};

const many = siteOperation(simplifyOn);

/** Returns one item for each site, in the order in which the fields name them. */
export const getManySites: Operation = {
	resource: 'site',
	option: {
		name: 'Get Many Sites',
		action: 'Get many sites',
		description: 'Read several sites of fish farms, one item for each',
	},
	panel: [...manySitesFields, ...many.panel],
	outputSchema: many.outputSchema,
	takesManySites: true,
	requests: (item, known) => many.requestsFor(item, item.getSites(known)),
};
