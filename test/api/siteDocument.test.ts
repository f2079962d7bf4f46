import fc from 'fast-check';
import { siteDocument } from '../../api/site';

describe('the address of a site', () => {
	it('stands below the base URL', () => {
		expect(siteDocument(-7, []).path).toBe('/meta/sites/-7');
		expect(siteDocument(1001, ['units', 'info']).path).toBe('/meta/sites/1001?$include=units,info');
	});

	it('gives each include back to a service that splits at commas, whatever it holds', () => {
		const include = fc
			.string({ unit: 'grapheme', minLength: 1 })
			.filter((text) => text.isWellFormed());
		fc.assert(
			fc.property(fc.array(include, { minLength: 1 }), (includes) => {
				const url = new URL(siteDocument(1, includes).path, 'https://data.example.com');

				expect(url.pathname).toBe('/meta/sites/1');
				expect(url.hash).toBe('');
				const [name, value = ''] = url.search.slice(1).split('=');
				expect(name).toBe('$include');
				expect(value.split(',').map(decodeURIComponent)).toEqual(includes);
			}),
		);
	});
});

it('a site is the one that was asked for', () => {
	const { subject, check } = siteDocument(7, []);

	expect(subject).toBe('site 7');
	expect(check({ siteId: 7 })).toEqual({ value: { siteId: 7 } });
	expect(check({ siteId: 8 }).fault).toBe('it is about site 8');
});
