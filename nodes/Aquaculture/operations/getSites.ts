import type { IDataObject } from 'n8n-workflow';
import { includesOf, siteDocument, type NamedSite, type Site } from '../service/site';
import { field, option, type Field } from '../fields/field';
import { additionalIncludes, dataVersion } from '../fields/options';
import type { Answer } from '../service/response';
import { checkSwitch } from '../input/values';
import { severalSites, severalSitesFields, site as siteField } from '../fields/sites';
import type { ItemFields, Operation, SiteRequest } from './operation';
import { siteRow } from '../output/rows';

/* Operations that return one item for each site. */

const includeInfo = field(
	{
		displayName: 'Include Info',
		name: 'includeInfo',
		type: 'boolean',
		default: true,
		description:
			'Whether to include the info of the site: its position, type, code, licence, maximum total biomass and time zone',
	},
	checkSwitch,
);

const includeUnits = field(
	{
		displayName: 'Include Units',
		name: 'includeUnits',
		type: 'boolean',
		default: true,
		description: 'Whether to include the units of the site, with the name and position of each',
	},
	checkSwitch,
);

const includeResponseDetails = option(
	{
		displayName: 'Include Response Details',
		name: 'includeResponseDetails',
		type: 'boolean',
		default: true,
		displayOptions: { hide: { '/simplify': [true] } },
		description:
			'Whether to return the status code and the headers of the answer too, with the site under "body"',
	},
	checkSwitch,
	false,
);

const SIMPLIFY = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: false,
	description: 'Whether to return a simplified version of the response instead of the raw data',
} as const;
const simplifyOn = field(
	{
		...SIMPLIFY,
		default: true,
		hint: 'On: one row for each site, for a table. Off: each site as the service sends it',
	},
	checkSwitch,
);
const simplifyOff = field(
	{
		...SIMPLIFY,
		hint: 'Off: the site as the service sends it. On: one row, for an email or a spreadsheet',
	},
	checkSwitch,
);

const includeInputFields = option(
	{
		displayName: 'Include Input Fields',
		name: 'includeInputFields',
		type: 'boolean',
		default: true,
		description:
			'Whether to return all fields of the input item too, secrets included, before those of the site. If both have a field of the same name, the one of the site is returned.',
	},
	checkSwitch,
	false,
);

/** @param simplified its default decides which fields the editor offers before the first run. */
function wholeSites(simplified: Field<boolean>): Pick<Operation, 'fields' | 'outputFields'> & {
	requestsFor(fields: ItemFields, sites: readonly NamedSite[]): SiteRequest[];
} {
	return {
		fields: [
			...[includeInfo, includeUnits, simplified],
			...[additionalIncludes, dataVersion, includeResponseDetails],
		],
		outputFields: simplified.property.default === true ? rowFields : wholeFields,
		requestsFor({ read }, sites) {
			const isRow = read(simplified);
			const wanted = { units: read(includeUnits), info: read(includeInfo) };
			// A row has no column for anything else.
			const includes = includesOf(wanted, isRow ? [] : read(additionalIncludes));
			const version = read(dataVersion);
			const asAnswered = read(includeResponseDetails) ? withDetails : asSent;
			return sites.map((site) => ({
				...siteDocument(site, includes),
				site,
				parts: includesOf(wanted),
				dataVersion: version,
				toOutput: (answer) => [
					isRow ? siteRow(answer.json, site.siteId, wanted) : asAnswered(answer),
				],
			}));
		},
	};
}

/** The columns of a row with all parts. */
async function rowFields(): ReturnType<Operation['outputFields']> {
	const { siteSchema, siteInfoSchema, integer } = await import('../service/siteSchema');
	const fields = { ...siteInfoSchema.shape, ...siteSchema.shape, numberOfUnits: integer };
	const columns = Object.keys(siteRow({}, 0, { info: true, units: true }));
	return Object.fromEntries(
		columns.map((column) => [column, fields[column as keyof typeof fields]]),
	);
}

async function wholeFields(): ReturnType<Operation['outputFields']> {
	return (await import('../service/siteSchema')).siteSchema.shape;
}

const asSent = ({ json }: Answer<Site>) => json as IDataObject;

/** A cookie may open a session of the service, and items are stored and passed on. */
function withDetails({ statusCode, headers, json }: Answer<Site>): IDataObject {
	const kept = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'set-cookie');
	return { statusCode, headers: Object.fromEntries(kept), body: json as IDataObject };
}

/** People who read one site want it as the service sends it. */
const one = wholeSites(simplifyOff);

/** Reads the site of each item: one item in, one item out. */
export const getSite: Operation = {
	option: {
		name: 'Get Site',
		action: 'Get a site',
		description: 'Read one site of a fish farm by its ID or name',
	},
	fields: [siteField, ...one.fields, includeInputFields],
	outputFields: one.outputFields,
	isOfSeveral: false,
	requests(item) {
		const requests = one.requestsFor(item, [item.site()]);
		if (!item.read(includeInputFields)) return requests;
		// `error` marks failed items.
		const carried = Object.entries(item.input).filter(([name]) => name !== 'error');
		const input = Object.fromEntries(carried);
		return requests.map((request) => ({
			...request,
			toOutput: (answer) => request.toOutput(answer).map((json) => ({ ...input, ...json })),
		}));
	},
};

/** People who read many sites need a table. */
const many = wholeSites(simplifyOn);

/** Reads the sites of a list: one item out for each entry, in the order of the list. */
export const getManySites: Operation = {
	option: {
		name: 'Get Many Sites',
		action: 'Get many sites',
		description: 'Read several sites of fish farms, one item for each',
	},
	fields: [...severalSitesFields, ...many.fields],
	outputFields: many.outputFields,
	isOfSeveral: true,
	requests: (item) => many.requestsFor(item, severalSites(item)),
};
