import fc from '../../../fixedSeed';
import {
	shortSiteLabel,
	getSections,
	siteDocument,
} from '../../../../nodes/Aquaculture/service/site';
import { readSite } from '../../../../nodes/Aquaculture/service/siteSchema';
import { SITES } from '../../../../emulator/sites';

describe('the service contract of a site', () => {
	it('returns a documented site unchanged, without deviations', () => {
		for (const site of SITES) {
			const { value } = readSite(site, site.siteId);
			expect(value?.json).toBe(site);
			expect(value?.deviations).toEqual([]);
		}
	});

	it.each([
		[{ siteId: null }],
		[{ siteName: 'Without ID' }],
		[{ siteId: 1, units: [{ unitId: 2 ** 53 - 1 }, { unitId: null }] }],
		[{ siteId: 1, info: { longitude: -180, maxTotalBiomass: 1e9 }, units: [{}] }],
	])('accepts the site %j', (body) => {
		expect(readSite(body, 1)).toEqual({ value: { json: body, deviations: [] } });
	});

	it.each<[unknown, string]>([
		[null, 'it is not a JSON object'],
		[[], 'it is not a JSON object'],
		['Storvågen', 'it is not a JSON object'],
		[{}, 'it contains none of the fields of a site (siteId, siteName, info, units)'],
		[{ siteId: 2 }, 'it is about site 2'],
		[{ siteId: 1.5 }, 'it is about site 1.5'],
		[{ siteId: 2 ** 53 }, 'it is about site 9007199254740992'],
		[{ siteId: '2' }, 'it is about site 2'],
		[{ siteId: ' 2.0 ' }, 'it is about site 2.0'],
	])('refuses %j as site 1: %s', (body, reason) => {
		expect(readSite(body, 1)).toEqual({ failure: { reason } });
	});

	const siteWith = (field: string, value: unknown) => {
		const [part = '', name = ''] = field.split('.');
		if (part === 'info' && name) return { info: { [name]: value } };
		return name ? { units: [{}, { [name]: value }] } : { siteId: 1, [part]: value };
	};
	const TEXTS = ['siteName', 'info.type', 'info.code', 'info.license', 'info.timezone'];
	const NUMBERS = ['info.longitude', 'info.latitude', 'info.maxTotalBiomass'];

	it.each<[string, unknown[], string[]]>([
		['is not text', [7, {}, true], [...TEXTS, 'units.unitName']],
		['is not a number', ['8.4', true], [...NUMBERS, 'units.longitude', 'units.latitude']],
		['is not a whole number', ['1', '1.0', 'STO'], ['siteId']],
		['is not a whole number', ['7', 1.5], ['units.unitId']],
		['is too large to be read exactly', [2 ** 53, -1e300], ['units.unitId']],
		['is not an object', ['Sea', []], ['info']],
		['is not a list of objects', [{}, [null]], ['units']],
	])('returns a site unchanged, with the deviation: %s', (reason, values, fields) => {
		for (const [field, value] of fields.flatMap((each) =>
			values.map((one) => [each, one] as const),
		)) {
			const body = siteWith(field, value);
			const { value: site } = readSite(body, 1);

			expect(site).toEqual({ json: body, deviations: [{ field, reason }] });
			expect(site?.json).toBe(body);
		}
	});

	const WRONG = { unitId: 'a', unitName: 1, longitude: 'b', latitude: 'c' };
	const RIGHT = { unitId: 1, unitName: 'Pen 1', longitude: 8.4, latitude: 63.5 };

	it.each<[string, object, string[], number]>([
		['wrong units until it deviates', WRONG, Object.keys(WRONG).map((name) => `units.${name}`), 4],
		['right units once', RIGHT, [], 4000],
	])('checks each field of 1,000 %s', (_what, unit, fields, most) => {
		let reads = 0;
		const counted = new Proxy(unit, {
			get(...given) {
				reads += 1;
				return Reflect.get(...given) as unknown;
			},
		});

		const { value } = readSite({ siteId: 1, units: Array<object>(1000).fill(counted) }, 1);

		expect(value?.deviations.map(({ field }) => field)).toEqual(fields);
		expect(reads).toBe(most);
	});

	it('accepts any JSON object, unless it is another site', () => {
		fc.assert(
			fc.property(
				fc.record(
					{ siteId: fc.jsonValue(), siteName: fc.jsonValue(), info: fc.jsonValue() },
					{ requiredKeys: ['siteName'] },
				),
				fc.jsonValue(),
				(site, units) => {
					const body = { ...site, units };
					const { value, failure } = readSite(body, 1);

					if (!failure) expect(value.json).toBe(body);
					else expect(failure.reason).toMatch(/^it is about site /);
				},
			),
		);
	});

	it.each([
		[{}, null, null],
		[{ info: null, units: null }, null, null],
		[{ info: 'Sea', units: 'none' }, null, null],
		[{ info: { code: 1 }, units: [{}, 7] }, { code: 1 }, null],
		[{ units: [{ unitId: 7 }] }, null, [{ unitId: 7 }]],
	])('the sections of %j are %j and %j', (site, info, units) => {
		expect(getSections(site)).toEqual({ info, units });
	});

	it('a long name is cut in messages, the ID never', () => {
		const siteId = Number.MIN_SAFE_INTEGER;
		const label = shortSiteLabel({ siteId, siteName: 'Vik '.repeat(50) });

		expect(label).toMatch(/^(Vik ){19}Vik… \(-9007199254740991\)$/);
		// Lists of names in messages cut what is longer.
		expect(label.length).toBeLessThanOrEqual(100);
	});

	it('a site document encodes includes so that the service can split them at commas', () => {
		const include = fc
			.string({ unit: 'grapheme', minLength: 1 })
			.filter((text) => text.isWellFormed());
		fc.assert(
			fc.property(fc.array(include, { minLength: 1 }), (includes) => {
				const { path } = siteDocument({ siteId: -7, siteName: null }, includes);
				const url = new URL(path, 'https://data.example.com');

				expect(url.pathname).toBe('/meta/sites/-7');
				expect(url.hash).toBe('');
				const [name, value = ''] = url.search.slice(1).split('=');
				expect(name).toBe('$include');
				expect(value.split(',').map(decodeURIComponent)).toEqual(includes);
			}),
		);
	});
});
