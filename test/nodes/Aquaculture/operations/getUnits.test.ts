import type { IDataObject } from 'n8n-workflow';
import type { Site } from '../../../../service/siteAnswer';
import { Parameters, type ParameterSource } from '../../../../nodes/Aquaculture/fields/parameters';
import { SiteDirectory } from '../../../../nodes/Aquaculture/sites/directory';
import { getUnits } from '../../../../nodes/Aquaculture/operations/getUnits';
import { nodeOf } from '../nodeOf';

/** The rows of site 7, which the service sends like this. */
async function rowsOf(json: Site, includeSiteInfo: boolean): Promise<IDataObject[]> {
	const typed: Record<string, unknown> = { sites: 'byId', siteIds: 7, includeSiteInfo };
	const source: ParameterSource = {
		getNode: () => nodeOf(),
		getNodeParameter: (name, _itemIndex, fallback) => typed[name] ?? fallback,
	};
	const parameters = new Parameters(source, new SiteDirectory(''));
	const requests = await getUnits.requests(parameters.of(0), await getUnits.contract());
	return requests.flatMap(({ toOutput }) => toOutput({ statusCode: 200, headers: {}, json }));
}

it.each([{}, { units: null }, { units: [] }, { siteId: 7, info: null }])(
	'the rows of Get Units are none for %j',
	async (site) => {
		expect(await rowsOf(site, true)).toEqual([]);
	},
);

it.each([{}, { unitId: 1, depth: 20 }, { longitude: null, unitName: 'A' }])(
	'the rows of Get Units have the columns that the editor offers, whatever the service sends of a unit: %j',
	async (unit) => {
		const columns = Object.keys(getUnits.outputFields(await getUnits.contract()));
		const [row] = await rowsOf({ units: [unit] }, false);

		expect(Object.keys(row ?? {})).toEqual(columns);
		expect(row?.siteId).toBe(7);
	},
);
