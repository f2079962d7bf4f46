import type { IDataObject } from 'n8n-workflow';
import { defineField, defineOption } from '../fields/field';
import { additionalIncludes, OFF_IF_LEFT_OUT } from '../fields/sharedOptions';
import { checkBoolean } from '../input/values';
import { siteRow } from '../output/rows';
import type { ServiceResponse } from '../service/response';
import { buildIncludes, siteDocument, type SiteRef, type SentSite } from '../service/site';
import type { InputItem, Operation, SiteRequest } from './operation';

/* What Get Site and Get Many Sites share: both return one item for each site. */

const includeInfo = defineField(
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
	requestsFor(item: InputItem, sites: readonly SiteRef[]): SiteRequest[];
};

/**
 * @param simplifies the default of 'Simplify', for which the editor offers fields before the first execution.
 * @param hint below 'Simplify'.
 */
export function siteOperation(simplifies: boolean, hint: string): SiteOperation {
	const simplify = defineField({ ...SIMPLIFY, default: simplifies, hint }, checkBoolean);
	return {
		panel: [includeInfo, includeUnits, simplify, additionalIncludes, includeResponseDetails],
		outputSchema: simplifies ? rowSchema : rawSchema,
		requestsFor(item, sites) {
			const isRow = item.get(simplify);
			const wanted = { units: item.get(includeUnits), info: item.get(includeInfo) };
			// A row has no columns for additional sections.
			const includes = buildIncludes(wanted, isRow ? [] : item.get(additionalIncludes));
			const asAnswered = item.get(includeResponseDetails) ? toItemWithDetails : toRawItem;
			return sites.map((site) => ({
				...siteDocument(site, includes),
				site,
				sections: buildIncludes(wanted),
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
