import fc from 'fast-check';
import { siteRow } from '../../../../nodes/Aquaculture/operations/siteRow';
import { site } from '../arbitrarySites';

const COLUMNS = [
	'siteId',
	'siteName',
	'code',
	'type',
	'license',
	'maxTotalBiomass',
	'timezone',
	'latitude',
	'longitude',
	'numberOfUnits',
];

describe('siteRow', () => {
	it('is flat, in an order that reads well', () => {
		const site = {
			units: [{ unitId: 1 }, { unitId: 2 }],
			info: {
				longitude: 8.4,
				latitude: 63.5,
				type: 'Sea',
				code: 'STO',
				license: 'M-H-0101',
				maxTotalBiomass: 3120,
				timezone: 'Europe/Oslo',
			},
			siteName: 'Storvågen',
			siteId: 1001,
		};

		expect(Object.entries(siteRow(site, 1001))).toEqual([
			['siteId', 1001],
			['siteName', 'Storvågen'],
			['code', 'STO'],
			['type', 'Sea'],
			['license', 'M-H-0101'],
			['maxTotalBiomass', 3120],
			['timezone', 'Europe/Oslo'],
			['latitude', 63.5],
			['longitude', 8.4],
			['numberOfUnits', 2],
		]);
	});

	it.each([
		{},
		{ siteId: null, siteName: null, info: null, units: null },
		{ info: { depth: 60, code: null }, units: null, owner: 'unknown' },
	])('of %j has all columns, and nothing else', (site) => {
		const row = siteRow(site, 7);

		expect(Object.keys(row)).toEqual(COLUMNS);
		expect(row).toEqual({ ...Object.fromEntries(COLUMNS.map((name) => [name, null])), siteId: 7 });
	});

	it('of any site holds its own values in the same columns', () => {
		fc.assert(
			fc.property(site, fc.integer(), (made, asked) => {
				const row = siteRow(made, asked);
				const info: Record<string, unknown> = { ...made.info };

				expect(Object.keys(row)).toEqual(COLUMNS);
				expect(row.siteId).toBe(made.siteId);
				expect(row.siteName).toBe(made.siteName ?? null);
				expect(row.numberOfUnits).toBe(made.units?.length);
				for (const column of COLUMNS.slice(2, -1)) expect(row[column]).toBe(info[column] ?? null);
			}),
		);
	});

	it('tells a site without units from one whose units were not sent', () => {
		expect(siteRow({ units: [] }, 7).numberOfUnits).toBe(0);
		expect(siteRow({}, 7).numberOfUnits).toBeNull();
	});
});
