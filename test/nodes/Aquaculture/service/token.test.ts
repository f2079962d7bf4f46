import { estimateExpiry, parseToken } from '../../../../nodes/Aquaculture/service/token';

it.each([
	{ access_token: 'abc', expires_in: '3600', token_type: 'Bearer' },
	{ access_token: 'eyJ.eyJ.sig-_~+/==' },
	{ access_token: 'abc', token_type: null, expires_in: 3600, more: true },
])('a token is read from %j', (body) => {
	expect(parseToken(body)).toEqual(body);
});

it.each([
	...[undefined, null, 'abc', [], {}],
	...['', 7, 'two words', 'line\nbreak', 'ørret', '={{ $env }}'].map((token) => ({
		access_token: token,
	})),
])('no token is found in %j', (body) => {
	expect(parseToken(body)).toBeUndefined();
});

const NOW = 1_767_225_600_000;
const AT = NOW / 1000;

const jwtOf = (claims: object) =>
	`e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
/** The lifetime in seconds; undefined if it is not known. */
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
])(
	'a token is likely to expire after the lifetime in a JWT, as far as that makes sense: %j',
	(claims, seconds) => {
		expect(lifetimeOf(jwtOf(claims), '600')).toBe(seconds);
	},
);

it.each<[unknown, number | undefined]>([
	['3600', 3600],
	['3600.5', 3600.5],
	[3600, 3600],
	['5', 5],
	['4.9', undefined],
	['-1', undefined],
	['', undefined],
	['soon', undefined],
	['Infinity', undefined],
	[undefined, undefined],
	[null, undefined],
	[{}, undefined],
])('a token that is no JWT is likely to expire after expires_in %j', (expiresIn, seconds) => {
	for (const token of ['opaque', 'a.b.c', 'a.bnVsbA.c', '..']) {
		expect(lifetimeOf(token, expiresIn)).toBe(seconds);
	}
});
