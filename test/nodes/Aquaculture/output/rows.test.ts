import { siteRow, unitRows } from '../../../../nodes/Aquaculture/output/rows';
import type { RawSite } from '../../../../nodes/Aquaculture/service/site';

const INFO = { code: 7, type: ['Sea'], license: { no: 1 }, longitude: '8.4', latitude: true };
const NO_INFO = {
	...{ code: null, type: null, license: null, maxTotalBiomass: null },
	...{ timezone: null, longitude: null, latitude: null },
};

it.each<[RawSite, object]>([
	[
		{ siteId: '7.0', siteName: 12, info: INFO, units: [{ unitId: 'x' }] },
		{
			...{ ...NO_INFO, siteId: '7.0', siteName: 12, code: 7, type: '["Sea"]' },
			...{ license: '{"no":1}', longitude: '8.4', latitude: true, numberOfUnits: 1 },
		},
	],
	[{ units: [] }, { ...NO_INFO, siteId: 7, siteName: null, numberOfUnits: 0 }],
	...['Sea', [1], null].map((wrong): [RawSite, object] => [
		{ siteId: 7, info: wrong, units: { count: 3 } },
		{ ...NO_INFO, siteId: 7, siteName: null, numberOfUnits: null },
	]),
])('the site %j has the row %j', (site, row) => {
	expect(siteRow(site, 7, { info: true, units: true })).toEqual(row);
});

const UNIT = {
	...{ siteId: 7, siteName: null, unitId: null, unitName: null },
	...{ longitude: null, latitude: null },
};
const SITE_INFO = {
	...{ siteCode: 7, siteType: '["Sea"]', siteLicense: '{"no":1}', siteMaxTotalBiomass: null },
	...{ siteTimezone: 'UTC', siteLongitude: '8.4', siteLatitude: true },
};
const NAMES = { siteId: '7.0', siteName: 'Vik' };
const WITH_INFO = { ...NAMES, info: { ...INFO, timezone: 'UTC' }, units: [{ longitude: 1 }] };

it.each<[RawSite, boolean, ...object[]]>([
	...[{ count: 3 }, [null, 'Pen', { unitId: 3 }], null, []].map((units): [RawSite, boolean] => [
		{ units },
		false,
	]),
	[{ info: INFO, units: [{ unitId: 3, volume: 1 }] }, false, { ...UNIT, unitId: 3 }],
	[
		{ units: [{ unitName: { no: 3 }, latitude: '1' }, {}] },
		...([false, { ...UNIT, unitName: '{"no":3}', latitude: '1' }, UNIT] as const),
	],
	[WITH_INFO, true, { ...UNIT, ...NAMES, longitude: 1, ...SITE_INFO }],
])('the units of %j, with site info: %j, have the rows %j', (site, withInfo, ...rows) => {
	expect(unitRows(site, 7, withInfo)).toEqual(rows);
});
