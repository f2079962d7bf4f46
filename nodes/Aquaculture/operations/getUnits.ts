import * as z from '../../../api/zod';
import { siteDocument } from '../../../api/documents';
import { includesOf } from '../../../api/includes';
import { siteSchema, unitSchema, type Site } from '../../../api/site';
import { dataVersion } from '../fields/dataVersion';
import { includeSiteInfo } from '../fields/includes';
import { siteIds } from '../fields/siteIds';
import type { Operation } from './operation';
import { unitRows } from './unitRows';

/** Reads the units of the sites of a list: one item out for each unit, site by site in the order of the list. */
export const getUnits: Operation<Site> = {
	outputSchema: z.object({
		siteId: siteSchema.shape.siteId,
		siteName: siteSchema.shape.siteName,
		unitId: unitSchema.shape.unitId,
		unitName: unitSchema.shape.unitName,
		latitude: unitSchema.shape.latitude,
		longitude: unitSchema.shape.longitude,
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
