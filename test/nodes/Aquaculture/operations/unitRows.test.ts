import fc from 'fast-check';
import { getUnits } from '../../../../nodes/Aquaculture/operations/getUnits';
import { unitRows } from '../../../../nodes/Aquaculture/operations/unitRows';
import { site } from '../arbitrarySites';

describe('unitRows', () => {
	it.each([{}, { units: null }, { units: [] }, { siteId: 7, info: null }])(
		'of %j are none',
		(site) => {
			expect(unitRows(site, 7, true)).toEqual([]);
		},
	);

	it('have the columns of the output schema, whatever the service leaves out or adds', () => {
		const columns = Object.keys(getUnits.outputSchema.shape);

		for (const unit of [{}, { unitId: 1, depth: 20 }, { longitude: null, unitName: 'A' }]) {
			const [row] = unitRows({ units: [unit] }, 7, false);
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

	it('of any sites are one for each unit, in their order, with what is its own and its site’s', () => {
		fc.assert(
			fc.property(fc.array(site, { maxLength: 4 }), fc.boolean(), (sites, withInfo) => {
				const rows = sites.flatMap((made, index) => unitRows(made, index, withInfo));
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
