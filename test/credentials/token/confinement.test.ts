import { addressOf, refusalOf } from '../../../credentials/token/confinement';
import type { Connection } from '../../../shared/connection';

const connection = { origin: 'https://data.example.com' } as Connection;

describe('the address of a request', () => {
	it.each([
		[{ url: 'https://data.example.com/a' }, 'https://data.example.com/a'],
		[{ url: '', uri: 'https://data.example.com/b' }, undefined],
		[{ uri: 'https://data.example.com/b' }, 'https://data.example.com/b'],
		[{ url: '/c', baseURL: 'https://data.example.com' }, 'https://data.example.com/c'],
		[{ baseURL: 'https://data.example.com' }, 'https://data.example.com/'],
		[{}, undefined],
	])('of %j is %j', (options, address) => {
		expect(addressOf(options as Parameters<typeof addressOf>[0])?.href).toBe(address);
	});
});

describe('a request', () => {
	it.each(['https://data.example.com/', 'https://DATA.example.com:443/x?y#z'])(
		'to %s may be signed',
		(address) => {
			expect(refusalOf(new URL(address), connection)).toBeUndefined();
		},
	);

	it.each([
		'http://data.example.com/',
		'https://data.example.com:8443/',
		'https://data.example.com.example.org/',
		'https://example.com/',
		'https://user@data.example.com/',
		'https://:pass@data.example.com/',
	])('to %s may not', (address) => {
		expect(refusalOf(new URL(address), connection)).toMatchObject({
			message:
				'This credential is for https://data.example.com only, and the request goes to another address',
			description:
				'Use an address that begins with https://data.example.com/, without a user name in it, or choose another credential for the request.',
		});
	});

	it('without an address may not either', () => {
		expect(refusalOf(undefined, connection)).toBeDefined();
	});
});
