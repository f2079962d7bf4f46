import { expectedEnd } from '../../../credentials/token/tokenExpiry';

const NOW = 1_767_225_600_000;
const SECOND = 1000;
const AT = NOW / SECOND;

const jwtOf = (claims: object) =>
	`e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
/** The lifetime in seconds; undefined if it is not known. */
const lifetimeOf = (access_token: string, expires_in?: unknown) => {
	const end = expectedEnd({ access_token, expires_in }, NOW);
	return end === undefined ? undefined : (end - NOW) / SECOND;
};

it.each<[Record<string, unknown>, number]>([
	[{ iat: AT, exp: AT + 60 }, 60],
	[{ iat: AT - 9999, exp: AT - 9999 + 60 }, 60],
	[{ iat: String(AT - 1000), exp: AT + 60 }, 60],
	[{ exp: AT + 60 }, 60],
	[{ exp: AT + 1 }, 600],
	[{ exp: AT - 60 }, 600],
	[{ exp: 0 }, 600],
	[{ iat: AT, exp: AT }, 600],
	[{ iat: AT, exp: AT - 60 }, 600],
	[{ exp: String(AT + 60) }, 600],
	[{ iat: AT, exp: String(AT + 60) }, 600],
	[{ iat: AT }, 600],
	[{}, 600],
])(
	'when a token is likely to end is said by the lifetime in a JWT as far as it makes sense: %j',
	(claims, seconds) => {
		expect(lifetimeOf(jwtOf(claims), '600')).toBe(seconds);
	},
);

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
])(
	'when a token is likely to end is said by expires_in %j where the token is no JWT',
	(expiresIn, seconds) => {
		for (const token of ['opaque', 'a.b.c', 'a.bnVsbA.c', '..']) {
			expect(lifetimeOf(token, expiresIn)).toBe(seconds);
		}
	},
);
