import fc from 'fast-check';
import { siteUrl, tokenUrl } from '../../api/endpoints';

describe('addresses', () => {
	it('stand below the base URL', () => {
		expect(tokenUrl('https://data.example.com/v1')).toBe('https://data.example.com/v1/auth/token');
		expect(siteUrl('https://data.example.com', -7, [])).toBe(
			'https://data.example.com/meta/sites/-7',
		);
		expect(siteUrl('https://data.example.com', 1001, ['units', 'info'])).toBe(
			'https://data.example.com/meta/sites/1001?$include=units,info',
		);
	});

	it('give each include back to a service that splits at commas, whatever it holds', () => {
		const include = fc
			.string({ unit: 'grapheme', minLength: 1 })
			.filter((text) => text.isWellFormed());
		fc.assert(
			fc.property(fc.array(include, { minLength: 1 }), (includes) => {
				const url = new URL(siteUrl('https://data.example.com', 1, includes));

				expect(url.pathname).toBe('/meta/sites/1');
				expect(url.hash).toBe('');
				const [name, value = ''] = url.search.slice(1).split('=');
				expect(name).toBe('$include');
				expect(value.split(',').map(decodeURIComponent)).toEqual(includes);
			}),
		);
	});
});
