import {
	signRequest,
	type RequestOptions,
} from '../../../../nodes/Aquaculture/sending/signRequest';
import type { CredentialSettings } from '../../../../nodes/Aquaculture/input/credentialSettings';

const SETTINGS = {
	origin: 'https://data.example.com',
	versionHeader: 'Service-Version',
	dataVersion: '2023-01-01',
	allowUnauthorizedCerts: false,
} as CredentialSettings;
const ADDRESS = 'https://data.example.com/data?a=1';
const TOKEN = { value: 'token', replaceAt: Infinity };

/** Options that could redirect, unsecure or re-sign a request. */
const TAKEN_OVER = {
	// n8n's pagination sets url and uri, and its helper prefers url.
	url: 'https:data.example.com',
	baseURL: 'https://example.com',
	proxy: 'http://example.com:3128',
	agentOptions: { host: 'example.com', ca: 'certificate' },
	httpsAgent: {},
	lookup: () => undefined,
	transport: {},
	auth: { username: 'me', password: 'pw' },
	maxRedirects: 7,
	sendCredentialsOnCrossOriginRedirect: true,
	disableFollowRedirect: false,
	followRedirect: true,
	followAllRedirects: true,
	skipSslCertificateValidation: true,
	rejectUnauthorized: false,
};

/** Options of the HTTP Request node (n8n 1.123 and 2.40). */
const PASSED_ON = {
	method: 'POST',
	body: { a: 1 },
	form: { a: 1 },
	formData: { a: 1 },
	qs: { b: 2 },
	qsStringifyOptions: { arrayFormat: 'brackets' },
	useQuerystring: true,
	arrayFormat: 'brackets',
	json: false,
	encoding: null,
	useStream: true,
	gzip: true,
	simple: false,
	resolveWithFullResponse: true,
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	timeout: 300_000,
	allowedDomains: 'data.example.com',
};

const OWN = 'https://data.example.com';

const sign = (options: object, settings = SETTINGS) =>
	signRequest(options as RequestOptions, settings, TOKEN);

describe('the request guard', () => {
	it.each<[object, string]>([
		[{ url: `${OWN}/a` }, `${OWN}/a`],
		[{ uri: `${OWN}/b` }, `${OWN}/b`],
		[{ url: `${OWN}/c`, baseURL: 'https://example.com' }, `${OWN}/c`],
		[{ url: 'HTTPS://DATA.example.com:443/x?y#z' }, `${OWN}/x?y#z`],
		[{ url: 'https://%64ata.example.com' }, `${OWN}/`],
	])('resolves %j to %s', (options, address) => {
		const { uri, url } = sign(options);
		expect(uri ?? url).toBe(address);
	});

	it.each<[object]>([
		[{}],
		[{ url: '', uri: OWN }],
		...[
			'http://data.example.com/',
			'https://data.example.com:8443/',
			'https://data.example.com./',
			'https://data.example.com.example.org/',
			'https://example.com/',
			'https://data.example.com@example.com/',
			'https://example.com\\@data.example.com/',
			'https://user@data.example.com/',
			'https://:pass@data.example.com/',
			'//data.example.com/',
			' ',
		].map((uri): [object] => [{ uri }]),
	])('refuses to sign %j', (options) => {
		expect(() => sign(options)).toThrow(
			'The request goes to an address that this credential is not for',
		);
	});

	it.each([
		['trace', '"trace"'],
		['CONNECT', '"CONNECT"'],
		[['TRACE'], '["TRACE"]'],
		[null, 'null'],
		[7, '"7"'],
	])('refuses the method %j', (method, shown) => {
		expect(() => sign({ url: OWN, method })).toThrow(
			`The method ${shown} is not allowed with this credential`,
		);
	});

	it.each([
		['uri', false],
		['url', true],
	])('signs the checked %s with the TLS setting %j', (spelling, allowUnauthorizedCerts) => {
		const given = { ...PASSED_ON, ...TAKEN_OVER, url: undefined, [spelling]: ADDRESS };
		const settings = { ...SETTINGS, allowUnauthorizedCerts };
		const { signal } = new AbortController();
		const signed = sign({ ...given, abortSignal: signal }, settings);
		// Jest cannot print a signal that differs.
		const { abortSignal, ...sent } = signed;

		expect({ hasSignal: abortSignal === signal }).toEqual({ hasSignal: true });
		expect(sent).toEqual({
			...PASSED_ON,
			[spelling]: ADDRESS,
			headers: { Authorization: 'Bearer token', 'Service-Version': '2023-01-01' },
			disableFollowRedirect: true,
			followRedirect: false,
			followAllRedirects: false,
			skipSslCertificateValidation: allowUnauthorizedCerts,
			rejectUnauthorized: !allowUnauthorizedCerts,
		});
		// n8n passes the signed options again.
		expect(sign(sent, settings)).toEqual(sent);
	});

	const headersOf = (headers: object) =>
		// The caller's object stays as it is.
		sign({ url: ADDRESS, headers: Object.freeze(headers) }).headers;

	it("keeps the user's headers and version", () => {
		const users = { 'service-version': 'mine', 'content-type': 'text/csv', Accept: 'text/csv' };

		expect(headersOf(users)).toEqual({ ...users, Authorization: 'Bearer token' });
	});

	it.each([
		...['Host', 'host', ' HOST ', 'Connection', 'Keep-Alive', 'Proxy-Connection', 'Authorization'],
		...['authorization', 'Proxy-Authorization', 'TE', 'Trailer', 'Transfer-Encoding', 'upgrade'],
	])("removes the user's header %j", (name) => {
		expect(headersOf({ [name]: 'example.com', Accept: '*/*' })).toEqual({
			Accept: '*/*',
			Authorization: 'Bearer token',
			'Service-Version': '2023-01-01',
		});
	});
});
