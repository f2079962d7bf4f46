import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import { defineField, defineOption, type Field, type NodeParameters } from '../fields/field';
import { OFF_IF_LEFT_OUT } from '../fields/sharedOptions';
import type { KnownSites } from '../input/knownSites';
import { checkBoolean, checkIncludes } from '../input/values';
import { FIELD_LABELS } from '../messages/messages';
import { siteRow } from '../output/rows';
import type { ServiceDocument, ServiceResponse } from '../service/response';
import { buildIncludes, siteDocument, type SiteRef, type SentSite } from '../service/site';
import type { ZodMiniType } from '../service/zod';

/** An operation of the node: its panel, its requests, and its output. */
export interface Operation {
	resource: 'site' | 'unit';
	/** Its entry in the list of operations. */
	option: Required<Pick<INodePropertyOptions, 'name' | 'action' | 'description'>>;
	/** Its part of the panel, without the fields that all operations share. */
	panel: ReadonlyArray<Field<unknown>>;
	/** Describes an output item: the editor offers its fields before the first execution. Only the build calls this. */
	outputSchema(): Promise<Record<string, ZodMiniType>>;
	/** Whether it takes several sites, so that 'All Sites' can be chosen. */
	takesManySites: boolean;
	/** Returns the requests of one input item, in the order of the output. @throws NodeOperationError that names field and item. */
	requests(parameters: NodeParameters, known: KnownSites): SiteRequest[];
	/** Returns the part of the input item to repeat in its output, before the site. @throws as `requests`. */
	repeatedInput?(parameters: NodeParameters, input: IDataObject): IDataObject;
}

/** A request for a site, and how its answer becomes items. */
export interface SiteRequest extends ServiceDocument<SentSite> {
	site: SiteRef;
	/** The sections of the site that it asks for, which the service sends only on request. */
	sections: readonly string[];
	/** Whether a row of the output is a site or a unit; absent if the output is the site as sent. */
	rowType?: 'site' | 'unit';
	/** Returns the JSON of the output items. It may change the answer, which no other item shares. */
	toOutput(answer: ServiceResponse<SentSite>): IDataObject[];
}

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

const additionalIncludes = defineOption(
	{
		displayName: FIELD_LABELS.additionalIncludes,
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
export function siteOperation(simplifies: boolean, hint: string): SiteOperation {
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
