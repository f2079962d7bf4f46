import { parseToken, readToken } from '../../../../nodes/Aquaculture/service/token';

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
			(token) => ({ access_token: token }),
		),
	])('finds no token in %j', (body) => {
		expect(parseToken(body)).toBeUndefined();
	});

	it('repeats why the service sent none', () => {
		const body = { text: '', json: { message: 'Disabled', traceId: '7' } };

		expect(readToken(body, { password: '' })).toMatchObject({
			failure: {
				message: 'The answer to the login contains no usable token',
				...{ serviceMessage: 'Disabled', traceId: '7' },
			},
		});
	});

	const NOW = 1_767_225_600_000;
	const AT = NOW / 1000;

	beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(NOW));
	afterEach(() => jest.restoreAllMocks());

	const jwtOf = (claims: object) =>
		`e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
	/** Returns for how many seconds a token is used. */
	const usedFor = (access_token: string, expires_in?: unknown) => {
		const json = { access_token, expires_in };
		const { value } = readToken({ text: '', json }, { password: '' });
		return ((value?.replaceAt ?? NaN) - NOW) / 1000;
	};

	it.each<[object, number]>([
		[{ iat: AT, exp: AT + 60 }, 54],
		[{ iat: AT - 9999, exp: AT - 9999 + 60 }, 54],
		[{ exp: AT + 60 }, 54],
		...[{ exp: AT + 1 }, { exp: AT - 60 }, { iat: AT, exp: AT }, { iat: AT }, {}].map(
			(claims): [object, number] => [claims, 590],
		),
	])('a JWT with %j is used for %d seconds', (claims, seconds) => {
		expect(usedFor(jwtOf(claims), '600')).toBe(seconds);
	});

	const OTHER_TOKENS = ['opaque', 'a.b.c', 'a.bnVsbA.c', '..'];

	it.each<[unknown, number]>([
		['7200', 7190],
		['7200.5', 7190.5],
		[7200, 7190],
		['20', 18],
		['5', 4.5],
		...['4.9', '-1', '', 'soon', 'Infinity', undefined, null, {}].map(
			(expiresIn): [unknown, number] => [expiresIn, 3590],
		),
	])('another token with expires_in %j is used for %j seconds', (expiresIn, seconds) => {
		for (const token of OTHER_TOKENS) expect(usedFor(token, expiresIn)).toBe(seconds);
	});
});
