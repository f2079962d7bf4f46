import { accountOf, keeperOf, storedToken } from '../../../credentials/token/account';
import { toStoredFields } from '../../../credentials/token/issuedToken';
import { credentialFor } from './credentialFor';

const credential = credentialFor('https://data.example.com/v1', 'staff', 'Laks & ørret');

describe("n8n's allowed domains", () => {
	const accountWith = (allowedDomains?: string) => () =>
		accountOf({
			...credential,
			allowedHttpRequestDomains: 'domains',
			...(allowedDomains !== undefined && { allowedDomains }),
		});

	it.each([
		'data.example.com',
		'Data.Example.COM',
		'example.org,data.example.com',
		' data.example.com , example.org',
		'*.example.com',
		'*.com',
	])('"%s" allow the service', (allowedDomains) => {
		expect(accountWith(allowedDomains)()).toMatchObject({ connection: { username: 'staff' } });
	});

	it.each([
		undefined,
		'',
		',',
		'example.com',
		'ata.example.com',
		'*.data.example.com',
		'*.xample.com',
		'data.example.*',
		'data.example.com.',
		'data.example.com/v1',
	])('"%s" do not', (allowedDomains) => {
		expect(accountWith(allowedDomains)).toThrow(
			expect.objectContaining({
				message:
					"'Allowed HTTP Request Domains' in the credential leaves out https://data.example.com",
				description: "Add the domain of 'Base URL' to the allowed domains in the credential.",
			}) as Error,
		);
	});
});

it('no domain is allowed where none is listed, whatever the service is called', () => {
	expect(() =>
		accountOf({
			...credential,
			baseUrl: 'https://undefined',
			allowedHttpRequestDomains: 'domains',
		}),
	).toThrow(/leaves out https:\/\/undefined$/);
});

describe('an edit of the credential', () => {
	it.each<[string, unknown, unknown]>([
		['baseUrl', 'https://other.example.com', { baseUrl: 'https://other.example.com' }],
		['username', 'other', { username: 'other' }],
		['password', 'other', { password: 'other' }],
		['versionHeader', 'Other-Version', { versionHeader: 'Other-Version' }],
		['tokenVersion', '2026-01-01', { tokenVersion: '2026-01-01' }],
		['dataVersion', '2026-01-01', { dataVersion: '2026-01-01' }],
		['requestsPerMinute', 7, { requestsPerMinute: 7 }],
		['requestsPerMinute', 0, { requestsPerMinute: Infinity }],
		['allowUnauthorizedCerts', true, { allowUnauthorizedCerts: true }],
	])('of %s takes effect at once', (field, value, changed) => {
		const { connection } = accountOf(credential);

		expect(accountOf({ ...credential, [field]: value }).connection).toMatchObject(
			changed as object,
		);
		expect(accountOf(credential).connection).toEqual(connection);
	});

	it.each([{ dataVersion: '2026-01-01' }, { requestsPerMinute: 7 }])(
		'to %j keeps what is known of its tokens, as it cannot affect a login',
		(edit) => {
			const { key } = accountOf(credential);

			expect(keeperOf(accountOf({ ...credential, ...edit }).key)).toBe(keeperOf(key));
		},
	);

	it.each([{ password: 'other' }, { tokenVersion: '2026-01-01' }, { versionHeader: 'Other' }])(
		'to %j begins anew, as it may make a login succeed',
		(edit) => {
			const { key } = accountOf(credential);

			expect(keeperOf(accountOf({ ...credential, ...edit }).key)).not.toBe(keeperOf(key));
		},
	);

	it.each([
		[{ baseUrl: 'http://data.example.com', allowPlainHttp: true }, { allowPlainHttp: false }],
		[
			{ allowedHttpRequestDomains: 'all', allowedDomains: '' },
			{ allowedHttpRequestDomains: 'domains' },
		],
		[
			{ allowedHttpRequestDomains: 'domains', allowedDomains: 'data.example.com' },
			{ allowedDomains: 'example.org' },
		],
	])('of %j to %j takes effect at once', (before, edit) => {
		expect(() => accountOf({ ...credential, ...before })).not.toThrow();
		expect(() => accountOf({ ...credential, ...before, ...edit })).toThrow();
	});
});

describe('the token that a credential holds', () => {
	const tokenOf = (value: string) => ({ value, issuedAt: 1 });

	it('is found, also when n8n has stored another one since', () => {
		const account = accountOf(credential);
		const fieldsOf = (value: string) => toStoredFields(account.connection, tokenOf(value));
		const found = (fields: object) => storedToken(account, { ...credential, ...fields })?.value;

		expect(found(fieldsOf('first'))).toBe('first');
		expect(found(fieldsOf('first'))).toBe('first');
		expect(found(fieldsOf('second'))).toBe('second');
		expect(found({})).toBeUndefined();
		expect(found({ ...fieldsOf('second'), accessToken: 'first' })).toBeUndefined();
		expect(found(fieldsOf('second'))).toBe('second');
		expect(found({ ...fieldsOf('second'), tokenBinding: '' })).toBeUndefined();
	});

	it('is none that was issued to another account', () => {
		const other = accountOf({ ...credential, username: 'other' });
		const fields = toStoredFields(other.connection, tokenOf('theirs'));

		expect(storedToken(accountOf(credential), { ...credential, ...fields })).toBeUndefined();
	});
});

describe('the accounts that are remembered', () => {
	it('are a hundred; the one that was not used for longest is forgotten', () => {
		const names = Array.from({ length: 100 }, (_, index) => `account ${index}`);
		const [first, second] = names.map(keeperOf);

		expect(keeperOf('account 0')).toBe(first);
		keeperOf('one more');

		expect(keeperOf('account 0')).toBe(first);
		expect(keeperOf('account 1')).not.toBe(second);
	});
});

describe('a credential that cannot be used', () => {
	it('says which field, and what to do', () => {
		expect(() => accountOf({ ...credential, username: '' })).toThrow(
			expect.objectContaining({
				message: "'Username' is empty",
				description: "Correct 'Username' in the credential.",
			}) as Error,
		);
	});
});
