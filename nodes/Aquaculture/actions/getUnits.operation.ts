import type { INodeProperties } from 'n8n-workflow';
import * as z from '../../../api/zod';
import { includesOf, siteDocument } from '../../../api/documents';
import { siteSchema, unitSchema, type Site } from '../../../api/site';
import { checkSwitch } from '../parameters/checks';
import { dataVersion, dataVersionOption } from '../parameters/dataVersion';
import { optionsField } from '../parameters/options';
import { fieldParameter } from '../parameters/parameters';
import { siteIds, siteIdsField } from '../parameters/siteIds';
import type { Operation } from './operation';
import { unitRows } from './unitRows';

const includeSiteInfoField: INodeProperties = {
	displayName: 'Include Site Info',
	name: 'includeSiteInfo',
	type: 'boolean',
	default: false,
	description:
		'Whether to add the info of the site to every row: its position, type, code, licence, maximum total biomass and time zone',
};

const includeSiteInfo = fieldParameter(includeSiteInfoField, checkSwitch);

/** Reads the units of the sites of a list: one item out for each unit, site by site in the order of the list. */
export const getUnits: Operation<Site> = {
	option: {
		name: 'Get Units',
		action: 'Get units of sites by ID',
		description:
			'Read the units (pens, tanks) of one or more sites by their site IDs, one item for each unit: its site, its name and its position',
	},
	fields: [siteIdsField, includeSiteInfoField, optionsField(dataVersionOption)],
	outputSchema: z.object({
		siteId: siteSchema.shape.siteId,
		siteName: siteSchema.shape.siteName,
		...unitSchema.shape,
	}),

	prepare(parameters, itemIndex) {
		const withInfo = parameters.read(includeSiteInfo, itemIndex);
		const includes = includesOf({ units: true, info: withInfo });
		const version = parameters.read(dataVersion, itemIndex);
		return parameters.read(siteIds, itemIndex).map((siteId) => ({
			...siteDocument(siteId, includes),
			dataVersion: version,
			toOutput: ({ json }) => unitRows(json, siteId, withInfo),
		}));
	},
};
