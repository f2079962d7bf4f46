import fc from 'fast-check';
import { createSigner } from 'fast-jwt';
import * as issuedToken from '../../../credentials/token/issuedToken';
import type { Connection } from '../../../shared/connection';

const NOW = 1_767_225_600_000;
const SECOND = 1000;

const account = fc.record({
	baseUrl: fc.constantFrom(
		'https://a.example.com',
		'https://a.example.com/v1',
		'https://b.example.com',
	),
	username: fc.constantFrom('anne', 'bjørn', '"anne"', 'anne","'),
	password: fc.string({ maxLength: 3 }),
});
const token = fc.record(
	{ value: fc.stringMatching(/^[\w.-]+$/), issuedAt: fc.nat(), endsAt: fc.nat() },
	{ requiredKeys: ['value', 'issuedAt'] },
);

describe('a stored token', () => {
	it('is given back to the account it was issued to', () => {
		fc.assert(
			fc.property(account, token, (owner, issued) => {
				const connection = owner as Connection;
				const fields = issuedToken.toStoredFields(connection, issued);

				expect(issuedToken.fromStoredFields(connection, fields)).toEqual(issued);
			}),
		);
	});

	it('is not given to another account, whichever of its fields differ', () => {
		fc.assert(
			fc.property(account, account, token, (owner, other, issued) => {
				fc.pre(JSON.stringify(owner) !== JSON.stringify(other));
				const fields = issuedToken.toStoredFields(owner as Connection, issued);

				expect(issuedToken.fromStoredFields(other as Connection, fields)).toBeUndefined();
			}),
		);
	});

	it.each<Partial<Connection>>([
		{ baseUrl: 'https://b.example.com' },
		{ username: 'bjørn' },
		{ password: 'other' },
	])('is not given to an account of which only %j is another', (difference) => {
		const owner = {
			baseUrl: 'https://a.example.com',
			username: 'anne',
			password: 'p',
		} as Connection;
		const fields = issuedToken.toStoredFields(owner, { value: 'one', issuedAt: NOW });

		expect(issuedToken.fromStoredFields({ ...owner, ...difference }, fields)).toBeUndefined();
	});

	it('is not given back with the binding of another token', () => {
		const connection = { baseUrl: 'b', username: 'u', password: 'p' } as Connection;
		const { tokenBinding } = issuedToken.toStoredFields(connection, {
			value: 'one',
			issuedAt: NOW,
		});

		expect(
			issuedToken.fromStoredFields(connection, { accessToken: 'two', tokenBinding }),
		).toBeUndefined();
	});

	it.each([
		{},
		{ accessToken: '' },
		{ accessToken: 7 },
		{ accessToken: 'one' },
		{ accessToken: 'one', tokenBinding: '' },
		{ accessToken: 'one', tokenBinding: '{"account":' },
		{ accessToken: 'one', tokenBinding: 'null' },
		{ accessToken: 'one', tokenBinding: '{"account":"x"}' },
	])('is none in %j', (fields) => {
		expect(issuedToken.fromStoredFields({} as Connection, fields)).toBeUndefined();
	});
});

describe('the key of an account', () => {
	const connection: Connection = {
		baseUrl: 'https://a.example.com/v1',
		origin: 'https://a.example.com',
		username: 'anne',
		password: 'secret',
		versionHeader: 'Service-Version',
		tokenVersion: '2025-01-01',
		dataVersion: '2023-01-01',
		requestsPerMinute: 100,
		allowUnauthorizedCerts: false,
	};
	const key = issuedToken.accountKey(connection);

	it('tells nothing of the password', () => {
		expect(key).toMatch(/^[\w+/]{43}=$/);
	});

	it.each<Partial<Connection>>([
		{ baseUrl: 'https://a.example.com/v2' },
		{ username: 'bjørn' },
		{ password: 'other' },
		{ versionHeader: 'Other-Version' },
		{ tokenVersion: '2026-01-01' },
		{ allowUnauthorizedCerts: true },
	])('is another one with %j, which may make a login succeed', (difference) => {
		expect(issuedToken.accountKey({ ...connection, ...difference })).not.toBe(key);
	});

	it.each<Partial<Connection>>([{ dataVersion: '2026-01-01' }, { requestsPerMinute: 7 }])(
		'is the same with %j, which cannot affect a login',
		(difference) => {
			expect(issuedToken.accountKey({ ...connection, ...difference })).toBe(key);
		},
	);
});

describe('expectedEnd', () => {
	const sign = createSigner({ key: 'k' });
	const jwt = (claims: Record<string, unknown>) => sign({ iat: NOW / SECOND, ...claims });
	const end = (access_token: string, expires_in?: unknown) =>
		issuedToken.expectedEnd({ access_token, expires_in }, NOW);

	it('is told by the lifetime in a JWT, whatever the service’s clock says', () => {
		const at = NOW / SECOND;
		expect(end(jwt({ exp: at + 60 }))).toBe(NOW + 60 * SECOND);
		expect(end(jwt({ iat: at - 9999, exp: at - 9999 + 60 }))).toBe(NOW + 60 * SECOND);
		expect(end(jwt({ exp: at + 60 }), '3600')).toBe(NOW + 60 * SECOND);
	});

	it.each<[unknown, number | undefined]>([
		['3600', 3600],
		['3600.5', 3600.5],
		[3600, 3600],
		['1e3', 1000],
		['5', 5],
		['4.9', undefined],
		['0', undefined],
		['-1', undefined],
		['', undefined],
		['soon', undefined],
		['Infinity', undefined],
		[undefined, undefined],
		[null, undefined],
		[{}, undefined],
	])('is told by expires_in %j where the token is no JWT', (expiresIn, seconds) => {
		expect(end('opaque', expiresIn)).toBe(
			seconds === undefined ? undefined : NOW + seconds * SECOND,
		);
	});

	it('is told by this machine’s clock where a JWT does not say when it was issued, if that is plausible', () => {
		const signWithoutTime = createSigner({ key: 'k', noTimestamp: true });
		const at = NOW / SECOND;
		expect(end(signWithoutTime({ exp: at + 60 }))).toBe(NOW + 60 * SECOND);
		expect(end(signWithoutTime({ exp: at + 1 }), '600')).toBe(NOW + 600 * SECOND);
		expect(end(signWithoutTime({ exp: at - 60 }))).toBeUndefined();
	});

	it.each<[Record<string, unknown>, number]>([
		[{ exp: NOW / SECOND + 60, iat: NOW / SECOND }, 60],
		[{ exp: NOW / SECOND, iat: NOW / SECOND }, 600],
		[{ exp: NOW / SECOND - 60, iat: NOW / SECOND }, 600],
		[{ exp: String(NOW / SECOND + 60) }, 600],
		[{ exp: String(NOW / SECOND + 60), iat: NOW / SECOND }, 600],
		[{ exp: NOW / SECOND + 60, iat: String(NOW / SECOND - 1000) }, 60],
	])('is told by a JWT only as far as that makes sense: %j', (claims, seconds) => {
		const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');

		expect(end(`e30.${payload}.x`, '600')).toBe(NOW + seconds * SECOND);
	});

	it.each(['a.b.c', 'a.bnVsbA.c', 'a.e30.c', '..', jwt({}), jwt({ exp: 0 })])(
		'falls back to expires_in for %s',
		(access_token) => {
			expect(end(access_token, '60')).toBe(NOW + 60 * SECOND);
		},
	);
});

describe('hasEnded', () => {
	it.each<[number | undefined, number, boolean]>([
		[undefined, 1e9, false],
		[3600, 3589, false],
		[3600, 3590, true],
		[20, 17.9, false],
		[20, 18, true],
	])('of a lifetime of %j s after %d s: %j', (lifetime, age, ended) => {
		const issued = {
			value: 'x',
			issuedAt: NOW,
			endsAt: lifetime === undefined ? undefined : NOW + lifetime * SECOND,
		};
		expect(issuedToken.hasEnded(issued, NOW + age * SECOND)).toBe(ended);
	});
});
