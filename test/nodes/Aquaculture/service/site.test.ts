import fc from '../../../fixedSeed';
import { includesOf, siteDocument } from '../../../../nodes/Aquaculture/service/site';
import { checkSite, siteSchema } from '../../../../nodes/Aquaculture/service/siteSchema';
import { toJSONSchema } from '../../../../nodes/Aquaculture/service/zod';
import { SITES } from '../../../../emulator/sites';

const documentOf = (siteId: number, includes: readonly string[] = []) =>
	siteDocument({ siteId, siteName: null }, includes);

it('the editor is told which numbers are whole', () => {
	expect(toJSONSchema(siteSchema)).toMatchObject({
		properties: {
			siteId: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
			units: {
				anyOf: [
					{ items: { properties: { unitId: { anyOf: [{ type: 'integer' }, { type: 'null' }] } } } },
					{ type: 'null' },
				],
			},
		},
	});
});

it('a site that keeps the contract is returned as it is', () => {
	for (const site of SITES) expect(checkSite(site, site.siteId).value).toBe(site);
});

it.each([
	[{ siteId: 1, extra: { deep: [1, null] } }],
	[{ siteId: null }],
	[{ siteName: 'Without ID' }],
	[{ siteId: 1, info: {}, units: [] }],
	[{ siteId: 1, units: [{ unitId: 2 ** 53 }, { unitId: -1e300 }] }],
	[{ siteId: 1, info: { longitude: -180, maxTotalBiomass: 1e9 }, units: [{}] }],
])('a site may be %j', (body) => {
	expect(checkSite(body, 1)).toEqual({ value: body });
});

it.each<[unknown, string]>([
	[undefined, 'it does not have the form of a site'],
	[null, 'it does not have the form of a site'],
	[[], 'it does not have the form of a site'],
	[{}, 'it contains none of the fields of a site (siteId, siteName, info, units)'],
	[{ siteId: '1' }, "'siteId' is not a whole number"],
	[{ siteId: 1.5 }, "'siteId' is not a whole number"],
	[{ siteId: 2 ** 53 }, "'siteId' is too large to be read exactly"],
	[{ siteId: 1, units: [{ unitId: 1.5 }] }, "'units[0].unitId' is not a whole number"],
	[{ siteId: 1, siteName: 7 }, "'siteName' is not a text"],
	[{ siteId: 1, info: [] }, "'info' is not an object"],
	[{ siteId: 1, info: { longitude: '8.4' } }, "'info.longitude' is not a number"],
	[{ siteId: 1, info: { latitude: true } }, "'info.latitude' is not a number"],
	[{ siteId: 1, info: { type: 1 } }, "'info.type' is not a text"],
	[{ siteId: 1, info: { code: 1 } }, "'info.code' is not a text"],
	[{ siteId: 1, info: { license: {} } }, "'info.license' is not a text"],
	[{ siteId: 1, info: { maxTotalBiomass: '3120' } }, "'info.maxTotalBiomass' is not a number"],
	[{ siteId: 1, info: { timezone: 1 } }, "'info.timezone' is not a text"],
	[{ siteId: 1, units: {} }, "'units' is not a list"],
	[{ siteId: 1, units: [null] }, "'units[0]' is not an object"],
	[{ siteId: 1, units: [{}, { unitName: 1 }] }, "'units[1].unitName' is not a text"],
	[{ siteId: 1, units: [{ longitude: '1' }] }, "'units[0].longitude' is not a number"],
	[{ siteId: 1, units: [{ latitude: '1' }] }, "'units[0].latitude' is not a number"],
])('a site may not be %j, since %s', (body, fault) => {
	expect(checkSite(body, 1)).toEqual({ fault });
});

it('the document of a site has its address below the base URL, and is checked to be about it', async () => {
	expect(documentOf(-7).path).toBe('/meta/sites/-7');
	const { path, subject, check } = documentOf(1001, ['units', 'info']);
	expect(path).toBe('/meta/sites/1001?$include=units,info');
	expect(subject).toBe('site 1001');
	expect(siteDocument({ siteId: 1001, siteName: 'Vik' }, []).subject).toBe('site Vik (1001)');
	expect(await check({ siteId: 1001 })).toEqual({ value: { siteId: 1001 } });
	expect(await check({ siteId: 8 })).toEqual({ fault: 'it is about site 8' });
});

it('the document of a site gives each include back to a service that splits at commas, whatever it holds', () => {
	const include = fc
		.string({ unit: 'grapheme', minLength: 1 })
		.filter((text) => text.isWellFormed());
	fc.assert(
		fc.property(fc.array(include, { minLength: 1 }), (includes) => {
			const url = new URL(documentOf(1, includes).path, 'https://data.example.com');

			expect(url.pathname).toBe('/meta/sites/1');
			expect(url.hash).toBe('');
			const [name, value = ''] = url.search.slice(1).split('=');
			expect(name).toBe('$include');
			expect(value.split(',').map(decodeURIComponent)).toEqual(includes);
		}),
	);
});

it.each<[Parameters<typeof includesOf>, string[]]>([
	[[{ units: false, info: false }], []],
	[[{ info: true, units: true }], ['units', 'info']],
	[
		[{ units: false, info: true }, ['sensors', 'info', 'units']],
		['info', 'sensors', 'units'],
	],
])('the values of $include for %j are %j', (parts, includes) => {
	expect(includesOf(...parts)).toEqual(includes);
});
