import { getAccount } from '../../../../nodes/Aquaculture/login/account';
import type { CredentialSettings } from '../../../../nodes/Aquaculture/input/credentialSettings';

const SETTINGS: CredentialSettings = {
	baseUrl: 'https://a.example.com/v1',
	origin: 'https://a.example.com',
	username: 'anne',
	password: 'secret',
	versionHeader: 'Service-Version',
	tokenVersion: '2025-01-01',
	dataVersion: '2023-01-01',
	requestsPerMinute: 100,
	knownSites: '',
	allowUnauthorizedCerts: false,
};

const accountWith = (edit: Partial<CredentialSettings>) => getAccount({ ...SETTINGS, ...edit });

it.each<[Partial<CredentialSettings>, 'nothing' | 'tokens' | 'limit and tokens']>([
	[{ origin: 'https://b.example.com', baseUrl: 'https://b.example.com/v1' }, 'limit and tokens'],
	[{ username: 'bjørn' }, 'limit and tokens'],
	[{ username: 'Anne' }, 'tokens'],
	[{ baseUrl: 'https://a.example.com/v2' }, 'tokens'],
	[{ password: 'other' }, 'tokens'],
	[{ versionHeader: 'Other-Version' }, 'tokens'],
	[{ tokenVersion: '2026-01-01' }, 'tokens'],
	[{ allowUnauthorizedCerts: true }, 'tokens'],
	[{ dataVersion: '2026-01-01' }, 'nothing'],
	[{ requestsPerMinute: 7 }, 'nothing'],
])('an edit to %j takes effect immediately and replaces %s', (edit, changed) => {
	const before = getAccount(SETTINGS);
	const after = accountWith(edit);

	expect(after.settings).toEqual({ ...SETTINGS, ...edit });
	const sharesLimiter = changed !== 'limit and tokens';
	expect({
		tokens: after.tokens === before.tokens,
		limiter: after.limiter === before.limiter,
		httpNodeQueue: after.httpNodeQueue === before.httpNodeQueue,
	}).toEqual({
		tokens: changed === 'nothing',
		limiter: sharesLimiter,
		httpNodeQueue: sharesLimiter && edit.requestsPerMinute === undefined,
	});
});

it('memory keeps the 1,000 accounts used last, with ten logins each', () => {
	const limitOf = (name: string) => accountWith({ username: name }).limiter;
	const [used, unused] = [limitOf('used'), limitOf('unused')];
	for (let index = 0; index < 999; index++) {
		limitOf(`user ${index}`);
		limitOf('used');
	}

	expect(limitOf('used')).toBe(used);
	expect(limitOf('unused')).not.toBe(unused);

	const tokensWith = (index: number) => accountWith({ password: `${index}` }).tokens;
	const tokens = Array.from({ length: 11 }, (_, index) => tokensWith(index));
	expect(tokensWith(5)).toBe(tokens[5]);
	expect(tokensWith(1)).toBe(tokens[1]);
	expect(tokensWith(0)).not.toBe(tokens[0]);
});
