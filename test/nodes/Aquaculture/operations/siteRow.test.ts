import { siteRow } from '../../../../nodes/Aquaculture/operations/siteRow';

const ALL = { info: true, units: true };

it('siteRow is flat, in an order that reads well', () => {
	const site = {
		units: [{ unitId: 1 }, { unitId: 2 }],
		info: {
			longitude: 8.4,
			latitude: 0,
			type: 'Sea',
			code: 'STO',
			license: 'M-H-0101',
			maxTotalBiomass: 3120,
			timezone: 'Europe/Oslo',
		},
		siteName: 'Storvågen',
		siteId: 1001,
	};

	expect(Object.entries(siteRow(site, 1001, ALL))).toEqual([
		['siteId', 1001],
		['siteName', 'Storvågen'],
		['code', 'STO'],
		['type', 'Sea'],
		['license', 'M-H-0101'],
		['maxTotalBiomass', 3120],
		['timezone', 'Europe/Oslo'],
		['latitude', 0],
		['longitude', 8.4],
		['numberOfUnits', 2],
	]);
});

it.each([
	[{}, null],
	[{ siteId: null, siteName: null, info: null, units: null }, null],
	[{ info: { depth: 60, code: null }, units: [], owner: 'unknown' }, 0],
])('siteRow of %j has all columns, and nothing else', (site, numberOfUnits) => {
	expect(siteRow(site, 7, ALL)).toStrictEqual({
		siteId: 7,
		siteName: null,
		code: null,
		type: null,
		license: null,
		maxTotalBiomass: null,
		timezone: null,
		latitude: null,
		longitude: null,
		numberOfUnits,
	});
});

it('siteRow has no columns of what was not asked for', () => {
	const site = { siteName: 'Vik', info: { code: 'VIK' }, units: [] };

	expect(siteRow(site, 7, { info: false, units: true })).toStrictEqual({
		siteId: 7,
		siteName: 'Vik',
		numberOfUnits: 0,
	});
	expect(Object.keys(siteRow(site, 7, { info: true, units: false })).at(-1)).toBe('longitude');
});
