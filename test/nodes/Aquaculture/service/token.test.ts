import { estimateExpiry, parseToken } from '../../../../nodes/Aquaculture/service/token';

describe('token parsing', () => {
	it.each([
		{ access_token: 'abc', expires_in: '3600', token_type: 'Bearer' },
		{ access_token: 'eyJ.eyJ.sig-_~+/==' },
		{ access_token: 'x'.repeat(16 * 1024) },
		{ access_token: 'abc', token_type: null, expires_in: 3600, more: true },
	])('reads a token from %j', (body) => {
		expect(parseToken(body)).toEqual(body);
	});

	it.each([
		...[undefined, null, 'abc', [], {}],
		...['x'.repeat(16 * 1024 + 1), '', 7, 'two words', 'line\nbreak', 'ørret', '={{ $env }}'].map(
			(token) => ({
				access_token: token,
			}),
		),
	])('finds no token in %j', (body) => {
		expect(parseToken(body)).toBeUndefined();
	});

	const NOW = 1_767_225_600_000;
	const AT = NOW / 1000;

	const jwtOf = (claims: object) =>
		`e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
	/** In seconds. */
	const lifetimeOf = (access_token: string, expires_in?: unknown) => {
		const end = estimateExpiry({ access_token, expires_in }, NOW);
		return end === undefined ? undefined : (end - NOW) / 1000;
	};

	it.each<[Record<string, unknown>, number]>([
		[{ iat: AT, exp: AT + 60 }, 60],
		[{ iat: AT - 9999, exp: AT - 9999 + 60 }, 60],
		[{ exp: AT + 60 }, 60],
		[{ exp: AT + 1 }, 600],
		[{ exp: AT - 60 }, 600],
		[{ iat: AT, exp: AT }, 600],
		[{ iat: AT }, 600],
		[{}, 600],
	])('estimates the lifetime of a JWT with %j as %d seconds', (claims, seconds) => {
		expect(lifetimeOf(jwtOf(claims), '600')).toBe(seconds);
	});

	const OTHER_TOKENS = ['opaque', 'a.b.c', 'a.bnVsbA.c', '..'];

	it.each<[unknown, number | undefined]>([
		['3600', 3600],
		['3600.5', 3600.5],
		[3600, 3600],
		['5', 5],
		...['4.9', '-1', '', 'soon', 'Infinity', undefined, null, {}].map(
			(expiresIn): [unknown, undefined] => [expiresIn, undefined],
		),
	])('estimates the lifetime of other tokens with expires_in %j as %j s', (expiresIn, seconds) => {
		for (const token of OTHER_TOKENS) expect(lifetimeOf(token, expiresIn)).toBe(seconds);
	});
});
