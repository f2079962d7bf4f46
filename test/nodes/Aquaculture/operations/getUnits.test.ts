import fc from 'fast-check';
import { getUnits } from '../../../../nodes/Aquaculture/operations/getUnits';
import { site } from '../arbitrarySites';
import { outputOf } from './requestsOf';

describe('the rows of Get Units', () => {
	it.each([{}, { units: null }, { units: [] }, { siteId: 7, info: null }])(
		'of %j are none',
		async (site) => {
			expect(await outputOf(getUnits, { siteIds: 7, includeSiteInfo: true }, [site])).toEqual([]);
		},
	);

	it('have the columns that the editor offers, whatever the service leaves out or adds', async () => {
		const columns = Object.keys(getUnits.outputFields(await getUnits.contract()));

		for (const unit of [{}, { unitId: 1, depth: 20 }, { longitude: null, unitName: 'A' }]) {
			const [row] = await outputOf(getUnits, { siteIds: 7 }, [{ units: [unit] }]);
			expect(Object.keys(row ?? {})).toEqual(columns);
			expect(row?.siteId).toBe(7);
		}
	});

	const UNIT_COLUMNS = ['unitId', 'unitName', 'latitude', 'longitude'] as const;
	const INFO_COLUMNS = {
		siteCode: 'code',
		siteType: 'type',
		siteLicense: 'license',
		siteMaxTotalBiomass: 'maxTotalBiomass',
		siteTimezone: 'timezone',
		siteLatitude: 'latitude',
		siteLongitude: 'longitude',
	} as const;

	it('of any sites are one for each unit, in their order, with what is its own and its site’s', async () => {
		const several = fc.array(site, { minLength: 1, maxLength: 4 });
		await fc.assert(
			fc.asyncProperty(several, fc.boolean(), async (sites, withInfo) => {
				const typed = { siteIds: sites.map((_site, index) => index), includeSiteInfo: withInfo };
				const rows = await outputOf(getUnits, typed, sites);
				const due = sites.flatMap((made) => (made.units ?? []).map((unit) => ({ made, unit })));

				expect(rows).toHaveLength(due.length);
				for (const [index, { made, unit }] of due.entries()) {
					const row = rows[index] ?? {};
					expect(Object.keys(row)).toEqual([
						...['siteId', 'siteName', ...UNIT_COLUMNS],
						...(withInfo ? Object.keys(INFO_COLUMNS) : []),
					]);
					expect([row.siteId, row.siteName]).toEqual([made.siteId, made.siteName ?? null]);
					for (const column of UNIT_COLUMNS) expect(row[column]).toBe(unit[column] ?? null);
					if (!withInfo) continue;
					for (const [column, field] of Object.entries(INFO_COLUMNS)) {
						expect(row[column]).toBe(made.info?.[field] ?? null);
					}
				}
			}),
		);
	});
});
