import {
	addressOf,
	confined,
	mergeHeaders,
	refusalOf,
	withUrl,
	type RequestOptions,
} from '../../../credentials/token/confinement';
import type { Connection } from '../../../shared/connection';

const connection = {
	origin: 'https://data.example.com',
	allowUnauthorizedCerts: false,
} as Connection;
const url = new URL('https://data.example.com/data?a=1');

/** What decides where a request goes, how the connection is secured, or who signs it. */
const TAKEN_OVER = {
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

/** What the HTTP Request node sets and its helper reads (n8n 1.123 and 2.40). */
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
	abortSignal: new AbortController().signal,
};

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

describe.each(['uri', 'url'])('what is sent for a request with %s', (spelling) => {
	const given = { ...PASSED_ON, ...TAKEN_OVER, [spelling]: '/data?a=1' };
	const confine = (allowUnauthorizedCerts: boolean) =>
		confined(given as unknown as RequestOptions, url, { ...connection, allowUnauthorizedCerts });

	it.each([false, true])(
		'is the address that was checked, what may be passed on, and the security of the credential (%j)',
		(allowUnauthorizedCerts) => {
			expect(confine(allowUnauthorizedCerts)).toEqual({
				...PASSED_ON,
				[spelling]: url.href,
				disableFollowRedirect: true,
				followRedirect: false,
				followAllRedirects: false,
				skipSslCertificateValidation: allowUnauthorizedCerts,
				rejectUnauthorized: !allowUnauthorizedCerts,
			});
		},
	);

	it('is the same when n8n hands over what was sent before', () => {
		const sent = confine(false);

		expect(confined(sent, url, connection)).toEqual(sent);
	});
});

it('sends a request that has both spellings of its address to the one that was checked', () => {
	// n8n's pagination sets both, and its helper prefers `url`.
	const options = { url: 'https:data.example.com', uri: 'https://example.com/' };

	const { url: newer, uri } = confined(options, url, connection);

	expect([newer, uri]).toEqual([undefined, url.href]);
});

it('sends the credential test without a proxy too', () => {
	const options = { ...PASSED_ON, ...TAKEN_OVER, url: '/auth/token' } as unknown as RequestOptions;

	expect(withUrl(options, url.href)).toEqual({ ...PASSED_ON, url: url.href });
});

describe('the headers of a request', () => {
	it('are those of the user, then those that are missing', () => {
		const present = { 'service-version': 'mine', 'content-length': '7', Accept: 'text/csv' };

		expect(
			mergeHeaders(present, undefined, { Authorization: 'Bearer t', 'Service-Version': 'ours' }),
		).toEqual({ ...present, Authorization: 'Bearer t' });
	});

	it('take the place of a token that was added before, but of no other one', () => {
		const added = { Authorization: 'Bearer new' };

		expect(mergeHeaders({ Authorization: 'Bearer old' }, 'Bearer old', added)).toEqual(added);
		expect(mergeHeaders({ authorization: 'Basic mine' }, 'Bearer old', added)).toEqual({
			authorization: 'Basic mine',
		});
	});

	it.each([
		'Host',
		'host',
		' HOST ',
		'Connection',
		'Keep-Alive',
		'Proxy-Connection',
		'Proxy-Authorization',
		'TE',
		'Trailer',
		'Transfer-Encoding',
		'upgrade',
	])('do not include %j', (name) => {
		expect(mergeHeaders({ [name]: 'example.com', Accept: '*/*' }, undefined, {})).toEqual({
			Accept: '*/*',
		});
	});
});
