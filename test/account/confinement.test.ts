import {
	checkAddress,
	confined,
	mergeHeaders,
	withUrl,
	type RequestOptions,
} from '../../../credentials/token/confinement';
import type { Connection } from '../../../account/connection';

const connection = {
	origin: 'https://data.example.com',
	allowUnauthorizedCerts: false,
} as Connection;
const url = new URL('https://data.example.com/data?a=1');

/** What decides where a request goes, how the connection is secured, or who signs it. */
const TAKEN_OVER = {
	// n8n's pagination sets both spellings of the address, and its helper prefers this one.
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

const OWN = 'https://data.example.com';

it.each<[object, string]>([
	[{ url: `${OWN}/a` }, `${OWN}/a`],
	[{ uri: `${OWN}/b` }, `${OWN}/b`],
	[{ url: '/c', baseURL: OWN }, `${OWN}/c`],
	[{ baseURL: OWN }, `${OWN}/`],
	[{ url: 'HTTPS://DATA.example.com:443/x?y#z' }, `${OWN}/x?y#z`],
	[{ url: 'https://%64ata.example.com' }, `${OWN}/`],
])('a request with %j goes to %s', (options, address) => {
	expect(checkAddress(options as RequestOptions, connection).url?.href).toBe(address);
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
])('a request with %j is not signed', (options) => {
	expect(checkAddress(options as RequestOptions, connection)).toEqual({
		failure: {
			message:
				'This credential is for https://data.example.com only, and the request goes to another address',
			description:
				'Use an address that begins with https://data.example.com/, without a user name in it, or choose another credential for the request.',
		},
	});
});

it.each([
	['uri', false],
	['url', true],
])(
	'a request with %s goes to the address that was checked, with the security of the credential (%j)',
	(spelling, allowUnauthorizedCerts) => {
		const given = { ...PASSED_ON, ...TAKEN_OVER, [spelling]: '/data?a=1' };
		const confine = (options: object) =>
			confined(options as RequestOptions, url, { ...connection, allowUnauthorizedCerts });
		const sent = confine(given);

		expect(sent).toEqual({
			...PASSED_ON,
			[spelling]: url.href,
			disableFollowRedirect: true,
			followRedirect: false,
			followAllRedirects: false,
			skipSslCertificateValidation: allowUnauthorizedCerts,
			rejectUnauthorized: !allowUnauthorizedCerts,
		});
		// n8n hands over what was sent before.
		expect(confine(sent)).toEqual(sent);
	},
);

it('the credential test has no proxy either', () => {
	const options = { ...PASSED_ON, ...TAKEN_OVER, url: '/auth/token' } as unknown as RequestOptions;

	expect(withUrl(options, url.href)).toEqual({ ...PASSED_ON, url: url.href });
});

describe('the headers of a request', () => {
	const USERS = { 'service-version': 'mine', 'content-length': '7', Accept: 'text/csv' };
	const SIGNED = { Authorization: 'new', 'Service-Version': 'ours' };

	it.each([
		['those of the user, then those that are missing', USERS, { ...USERS, Authorization: 'new' }],
		['with a new token in place of the old one', { Authorization: 'old' }, SIGNED],
		[
			'with the token that the user has set',
			{ authorization: 'mine' },
			{ authorization: 'mine', 'Service-Version': 'ours' },
		],
	])('the headers of a request are %s', (_name, present, merged) => {
		expect(mergeHeaders(present, 'old', SIGNED)).toEqual(merged);
	});

	it.each([
		...['Host', 'host', ' HOST ', 'Connection', 'Keep-Alive', 'Proxy-Connection'],
		...['Proxy-Authorization', 'TE', 'Trailer', 'Transfer-Encoding', 'upgrade'],
	])('the headers of a request do not include %j', (name) => {
		expect(mergeHeaders({ [name]: 'example.com', Accept: '*/*' }, undefined, {})).toEqual({
			Accept: '*/*',
		});
	});
});
