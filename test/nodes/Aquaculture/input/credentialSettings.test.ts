import { AquacultureApi } from '../../../../credentials/AquacultureApi.credentials';
import { checkCredentialSettings } from '../../../../nodes/Aquaculture/input/credentialSettings';

const CREDENTIAL = {
	baseUrl: 'https://data.example.com',
	username: 'staff',
	password: ' secret ',
	versionHeader: 'Service-Version',
	tokenVersion: '2025-01-01',
	dataVersion: '2023-01-01',
	requestsPerMinute: 60,
	allowPlainHttp: false,
	allowUnauthorizedCerts: false,
};

const messageAbout = (changed: Record<string, unknown>) =>
	checkCredentialSettings({ ...CREDENTIAL, ...changed }).failure?.message;

describe('checkCredentialSettings', () => {
	it('returns the checked fields of a credential', () => {
		expect(
			checkCredentialSettings({ ...CREDENTIAL, versionHeader: ' X-Version ', more: 1 }),
		).toEqual({
			value: {
				baseUrl: 'https://data.example.com',
				origin: 'https://data.example.com',
				username: 'staff',
				password: ' secret ',
				versionHeader: 'X-Version',
				tokenVersion: '2025-01-01',
				dataVersion: '2023-01-01',
				requestsPerMinute: 60,
				knownSites: '',
				allowUnauthorizedCerts: false,
			},
		});
	});

	it.each(
		new AquacultureApi().properties.filter(({ type }) => type !== 'notice' && type !== 'hidden'),
	)("names the field '$displayName' as the form does", ({ name, displayName }) => {
		expect(messageAbout({ [name]: {} })?.split("' ")[0]).toBe(`'${displayName}`);
	});

	it.each([
		['https://data.example.com/', 'https://data.example.com'],
		['  https://data.example.com//  ', 'https://data.example.com'],
		['HTTPS://Data.Example.com:443/v1/', 'https://data.example.com/v1'],
		['https://data.example.com:8443/a/b', 'https://data.example.com:8443/a/b'],
		['https://data.example.com/#/login', 'https://data.example.com'],
		['https://data.example.com/v1?page=2', 'https://data.example.com/v1'],
		['https://me:secret@data.example.com', 'https://data.example.com'],
		['https://data.example.com/auth/token', 'https://data.example.com'],
		['https://data.example.com/v1/meta/sites', 'https://data.example.com/v1'],
		['https://data.example.com//meta/sites/1001/', 'https://data.example.com'],
		['https://smådata.example', 'https://xn--smdata-jua.example'],
		...['http://localhost:8085', 'http://localhost.:8085', 'http://127.8.9.10', 'http://[::1]'].map(
			(loopback): [string, string] => [loopback, loopback],
		),
		['http://2130706433', 'http://127.0.0.1'],
	])('accepts the base URL %s', (baseUrl, value) => {
		const { value: settings, failure } = checkCredentialSettings({ ...CREDENTIAL, baseUrl });

		expect([failure, settings?.baseUrl]).toEqual([undefined, value]);
	});

	it('accepts an international host name 30,000 times (URL.canParse of Node.js 20 and 22 does not)', () => {
		const credential = { ...CREDENTIAL, baseUrl: 'https://smådata.example' };
		const failures = Array.from(
			{ length: 30_000 },
			() => checkCredentialSettings(credential).failure,
		);

		expect(new Set(failures)).toEqual(new Set([undefined]));
	});

	it.each([
		...['http://data.example.com', 'http://128.0.0.1', 'http://127.0.0.1.example.com'],
		...['http://localhost.example.com', 'http://notlocalhost', 'http://[::2]'],
	])('accepts the base URL %s only with Allow Plain HTTP', (baseUrl) => {
		const credential = { ...CREDENTIAL, baseUrl };

		expect(checkCredentialSettings(credential).failure).toMatchObject({
			message: "'Base URL' must begin with https://",
			description: expect.stringContaining("'Allow Plain HTTP'") as unknown,
		});
		expect(
			checkCredentialSettings({ ...credential, allowPlainHttp: true }).failure,
		).toBeUndefined();
	});

	it.each([
		...['host', 'Content-Type', 'CONTENT-LENGTH', 'accept', 'Authorization', 'Cookie'],
		...['Keep-Alive', 'TE', 'Trailer', 'Upgrade', 'Proxy-Connection'],
	])('refuses the version header %s', (versionHeader) => {
		expect(messageAbout({ versionHeader })).toBe(
			`'Version Header Name' cannot be ${versionHeader}: n8n uses this header itself`,
		);
	});

	it.each<[Record<string, unknown>, string]>([
		[{ baseUrl: undefined }, "'Base URL' is empty"],
		[{ baseUrl: '//data.example.com' }, "'Base URL' must begin with https://"],
		[{ baseUrl: 'see https://data.example.com' }, "'Base URL' must begin with https://"],
		[{ baseUrl: 'https://exa mple.com' }, "'Base URL' is not a web address"],
		[{ username: ' \u200b' }, "'Username' is empty"],
		[{ username: { name: 'staff' } }, `'Username' is not text: {"name":"staff"}`],
		[{ password: '' }, "'Password' is empty"],
		[{ password: ['secret'] }, "'Password' is not text"],
		[{ knownSites: [1001] }, `'Known Sites' is not text: [1001]`],
		[{ versionHeader: ' ' }, "'Version Header Name' is empty"],
		[{ versionHeader: ['X-Version'] }, `'Version Header Name' is not text: ["X-Version"]`],
		[
			{ versionHeader: 'Service Version' },
			expect.stringContaining('contains a character') as string,
		],
		[{ tokenVersion: '' }, "'Token Request Version' is empty"],
		[{ dataVersion: '' }, "'Data Request Version' is empty"],
		[{ requestsPerMinute: null }, "'Requests per Minute' is empty"],
		...['0', 10_001].map((requestsPerMinute): [Record<string, unknown>, string] => [
			{ requestsPerMinute },
			`'Requests per Minute' is not a whole number from 1 to 10000: "${requestsPerMinute}"`,
		]),
		[{ allowPlainHttp: 'yes' }, `'Allow Plain HTTP' is neither true nor false: "yes"`],
		[
			{ allowUnauthorizedCerts: 'yes' },
			`'Ignore SSL Issues (Insecure)' is neither true nor false: "yes"`,
		],
	])('refuses %j: %s', (fields, message) => {
		expect(messageAbout(fields)).toEqual(message);
	});

	it.each<[object, object]>([
		[{ requestsPerMinute: 1 }, { requestsPerMinute: 1 }],
		[{ requestsPerMinute: 10_000 }, { requestsPerMinute: 10_000 }],
		[{ requestsPerMinute: ' 7 ' }, { requestsPerMinute: 7 }],
		[{ requestsPerMinute: undefined }, { requestsPerMinute: 100 }],
		[{ allowUnauthorizedCerts: true }, { allowUnauthorizedCerts: true }],
		[{ password: 1234 }, { password: '1234' }],
		[{ knownSites: 1001 }, { knownSites: '1001' }],
		[{ baseUrl: '\u200bhttps://data.ex\u00adample.com\u2060' }, { baseUrl: CREDENTIAL.baseUrl }],
		[{ username: ' sta\u200bff\u00a0' }, { username: 'staff' }],
		[{ versionHeader: '\u202aX-Version\u202c' }, { versionHeader: 'X-Version' }],
		[{ password: 'sec\u200bret ' }, { password: 'sec\u200bret ' }],
		[{ allowUnauthorizedCerts: undefined }, { allowUnauthorizedCerts: false }],
	])('reads %p as %p', (input, value) => {
		expect(checkCredentialSettings({ ...CREDENTIAL, ...input }).value).toMatchObject(value);
	});

	const refusalOf = (fields: object, baseUrl: string) =>
		messageAbout({ baseUrl, allowedHttpRequestDomains: 'domains', ...fields });

	it.each([
		{ allowedHttpRequestDomains: 'none', allowedDomains: '' },
		...['Data.Example.COM', ' data.example.com , example.org', '*.example.com', '*.com'].map(
			(allowedDomains) => ({ allowedDomains }),
		),
		...['data.example.com.', '*.example.com.'].map((allowedDomains) => ({ allowedDomains })),
	])('allowed domains %j include the service', (fields) => {
		expect(refusalOf(fields, 'https://data.example.com/v1')).toBeUndefined();
		expect(refusalOf(fields, 'https://data.example.com.')).toBeUndefined();
	});

	it.each([
		...[undefined, '', ',', 'example.com', 'ata.example.com', '*.data.example.com', '*.xample.com'],
		...['data.example.*', 'data.example.com..', 'data.example.com/v1'],
	])('allowed domains %j exclude the service', (allowedDomains) => {
		for (const origin of ['https://data.example.com', 'https://undefined']) {
			expect(refusalOf({ allowedDomains }, origin)).toBe(
				`'Allowed HTTP Request Domains' in the credential leaves out ${origin}`,
			);
		}
	});
});
