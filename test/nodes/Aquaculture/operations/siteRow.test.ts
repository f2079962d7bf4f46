import { siteRow } from '../../../../nodes/Aquaculture/operations/siteRow';

it.each([
	[{}, null],
	[{ siteId: null, siteName: null, info: null, units: null }, null],
	[{ info: { depth: 60, code: null }, units: [], owner: 'unknown' }, 0],
])('siteRow of %j has all columns, and nothing else', (site, numberOfUnits) => {
	expect(siteRow(site, 7, { info: true, units: true })).toStrictEqual({
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
