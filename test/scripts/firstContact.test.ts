import { generate } from 'selfsigned';
import { Emulator, type EmulatorSettings } from '../../emulator/server';
import type { StoredSite } from '../../emulator/sites';
import {
	makeContact,
	MAX_REQUESTS,
	PAUSE_MS,
	PROBES,
	type Contact,
	type ProbeName,
} from '../../scripts/firstContact/contact';
import { reportOf } from '../../scripts/firstContact/report';
import { checkConnection } from '../../account/connection';
import { startScript } from '../../testbed/command';
import { WITHOUT_ACCOUNT } from './withoutAccount';

const ACCOUNT = { username: 'fjordfisk-konto', password: 'Hemmelig-Passord-7' };
const HEADER = 'Laksebas-Version';
const PREFIX = '/skjult/sti';
const SITE: StoredSite = {
	siteId: 73519,
	siteName: 'Storvågen-Æ',
	info: {
		longitude: 8.412731,
		latitude: 63.521847,
		type: 'Sjølokalitet',
		code: 'STOVAG',
		license: 'M-H-0101',
		maxTotalBiomass: 31207.25,
		timezone: 'Europe/Oslo',
	},
	units: [{ unitId: 735191, unitName: 'Merd-Nord', longitude: 8.412732, latitude: 63.521848 }],
	artsnavn: { latinsk: 'Salmo-salar' },
};
const DOCUMENTED = [
	...['siteId', 'siteName', 'info', 'units', 'unitId', 'unitName', 'longitude', 'latitude'],
	...['type', 'code', 'license', 'maxTotalBiomass', 'timezone'],
];

interface Met {
	emulator: Emulator;
	contact: Contact;
	report: string;
	pauses: number[];
}

interface Circumstances {
	settings?: Partial<EmulatorSettings>;
	account?: Partial<typeof ACCOUNT>;
	timeoutMs?: number;
	probes?: ProbeName[];
	arrange?: (emulator: Emulator) => void | Promise<void>;
	onProbe?: (name: ProbeName, emulator: Emulator, abort: () => void) => void;
}

/** Makes contact with an emulated service, and expects that the report gives nothing away. */
async function meet({
	settings,
	account,
	arrange,
	onProbe,
	...rest
}: Circumstances = {}): Promise<Met> {
	const credential = { ...ACCOUNT, ...account };
	const emulator = await Emulator.start({
		accounts: { [credential.username]: ACCOUNT.password },
		versionHeader: HEADER,
		prefix: PREFIX,
		sites: [SITE],
		...settings,
	});
	const { value: connection } = checkConnection({
		...{ baseUrl: emulator.baseUrl, ...credential, versionHeader: HEADER },
		...{ tokenVersion: '2025-01-01', dataVersion: '2023-01-01' },
	});
	if (!connection) throw new Error('The credential of the test cannot be used');
	await arrange?.(emulator);
	const pauses: number[] = [];
	const abortion = new AbortController();
	const sleep = async (milliseconds: number) => {
		pauses.push(milliseconds);
		await Promise.resolve();
	};
	const target = { connection, siteId: SITE.siteId };
	const contact = await makeContact(target, {
		clock: { now: () => performance.now(), sleep },
		signal: abortion.signal,
		onProbe: (name) => onProbe?.(name, emulator, () => abortion.abort()),
		...rest,
	});
	const report = reportOf(contact, target, 'Made on 2026-03-02');
	await emulator.stop();
	const { journal, tokens } = emulator;
	const secrets = [
		...Object.values(credential),
		...[HEADER, PREFIX, '127.0.0.1', 'localhost', 'laks-operator', 'example.com'],
		...tokens.issued.flatMap((token) => token.split('.')),
		...journal.requests.flatMap(({ traceId }) => traceId ?? []),
		...wordsOf(SITE).filter((word) => !DOCUMENTED.includes(word)),
	];
	const shown = report.toLowerCase();
	expect(secrets.filter((secret) => shown.includes(secret.toLowerCase()))).toEqual([]);
	expect(journal.requests.length).toBeLessThanOrEqual(15);
	expect(journal.peakConcurrency).toBeLessThanOrEqual(1);
	return { emulator, contact, report, pauses };
}

/** All names and values in a JSON value. */
function wordsOf(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return [String(value)];
	if (Array.isArray(value)) return value.flatMap(wordsOf);
	return Object.entries(value).flatMap(([name, element]) => [name, ...wordsOf(element)]);
}

/** The other cells of the row that begins with this one. */
function row(report: string, first: string): string[] {
	const line = report.split('\n').find((each) => each.startsWith(`| ${first} |`)) ?? '';
	return line
		.split('|')
		.slice(2, -1)
		.map((cell) => cell.trim());
}

/** What was seen of an assumption, and the verdict. */
const finding = (report: string, open: string) => row(report, open).slice(1);

const answering = (body: unknown, headers: Record<string, string> = {}) =>
	({ kind: 'status', status: 200, headers, body: JSON.stringify(body) }) as const;

it('first contact sends each request once, one after the other, with a pause before it, and all assumptions hold', async () => {
	const { emulator, contact, report, pauses } = await meet();
	const { requests } = emulator.journal;
	const site = `${PREFIX}/meta/sites/${SITE.siteId}`;

	expect(requests.map(({ url }) => url)).toEqual([
		`${PREFIX}/auth/token`,
		`${site}?$include=units,info`,
		site,
		`${site}?$include=info`,
		`${site}?$include=units`,
		`${site}?%24include=units,info`,
		`${site}?$include=units%2Cinfo`,
		`${site}?include=units,info`,
		`${PREFIX}/meta/sites/999999999`,
		site,
		`${PREFIX}/auth/token`,
		site,
		site,
	]);
	expect(pauses).toEqual(requests.map(() => PAUSE_MS));
	expect(PAUSE_MS).toBeGreaterThanOrEqual(2000);
	const versions = requests.map(({ headers }) => headers[HEADER.toLowerCase()]);
	expect([...new Set(versions)]).toEqual(['2025-01-01', '2023-01-01', '1900-01-01']);
	const [first, second] = emulator.tokens.issued.map((token) => `Bearer ${token}`);
	const sent = requests.map(({ headers }) => headers.authorization);
	expect([sent[1], sent[11]]).toEqual([first, first]);
	expect([sent[12]?.length, sent[12] === second]).toEqual([second?.length, false]);
	expect(contact.end).toBeUndefined();
	expect(report).not.toMatch(/differs|not seen/);
	expect(finding(report, 'Unit of `expires_in`')).toEqual(['number in a text: seconds', 'holds']);
	expect(finding(report, 'Fields that are not documented')[0]).toMatch(/^1 of the site, 0 of/);
	expect(row(report, '`units[].unitId`')).toEqual(['whole number', 'whole number']);
	expect(row(report, '9')).toEqual(['Unknown site', '404', expect.any(String), 'JSON, object', '']);
});

it.each<[string, Circumstances, number, string, string, string[]]>([
	[
		'a refused login',
		{ account: { password: 'Feil-Passord' } },
		1,
		'refused the login',
		'Status of a login that works',
		['Status 401', '**differs**'],
	],
	[
		'a request that is one too many',
		{ settings: { requestsPerMinute: 3, retryAfter: 17 } },
		4,
		'status 429',
		'Answer to `$include=info`',
		['', 'not seen'],
	],
	[
		'a site that the account cannot read',
		{ settings: { sites: [] } },
		2,
		'did not let this account read the site',
		'Answer to `$include=units,info`',
		['Status 404, no site', '**differs**'],
	],
	[
		'a login without a token',
		{
			arrange: (service) => service.fail({ route: 'token', fault: answering({ access_token: 7 }) }),
		},
		1,
		'returned no token',
		'Form of the token',
		['', 'not seen'],
	],
	[
		'an interruption',
		{ onProbe: (name, _service, abort) => (name === 'none' ? abort() : undefined) },
		2,
		'interrupted',
		'Answer to `$include=units,info`',
		['info and units', 'holds'],
	],
])(
	'first contact ends at %s, with what was seen',
	async (_end, circumstances, count, end, open, seen) => {
		const { contact, report, emulator } = await meet(circumstances);

		expect(emulator.journal.requests).toHaveLength(count);
		expect(contact.end).toContain(end);
		expect(report).toContain(contact.end);
		expect(finding(report, open)).toEqual(seen);
	},
);

it.each<[Partial<EmulatorSettings['token']>, string, string[]]>([
	[{ opaque: true }, 'Form of the token', ['Not a JWT, those characters', 'holds']],
	[{ opaque: true }, 'Lifetime in the token', ['It does not have both', 'holds']],
	[
		{ announcedLifetime: '60' },
		'Unit of `expires_in`',
		['number in a text: minutes', '**differs**'],
	],
	[
		{ announcedLifetime: '17.5' },
		'Unit of `expires_in`',
		['number in a text: no known unit', '**differs**'],
	],
	[{ announcedLifetime: 'Hemmelig-Passord-7' }, 'Unit of `expires_in`', ['', 'not seen']],
])('first contact reports of a token with %j under "%s": %j', async (token, open, expected) => {
	const { report } = await meet({ settings: { token: { lifetimeSeconds: 3600, ...token } } });

	expect(finding(report, open)).toEqual(expected);
});

it('first contact reports that a login has ended the tokens before it', async () => {
	const { report } = await meet({
		onProbe: (name, emulator) => (name === 'firstToken' ? emulator.tokens.revokeAll() : undefined),
	});

	expect(finding(report, 'Whether a login ends earlier tokens')).toEqual(['Status 401', 'holds']);
});

it('first contact reports fields of other types, missing and null ones, and another site', async () => {
	const odd = {
		siteId: '73519',
		siteName: null,
		info: { longitude: '8.412731', maxTotalBiomass: '31207.25' },
		units: [{ unitId: 735191 }, { unitId: '735192', merkelapp: 'Merd-Nord' }],
	};
	const { report } = await meet({
		arrange: (emulator) => emulator.fail({ route: 'site', fault: answering(odd) }),
	});

	expect(finding(report, 'Types of the fields of a site')).toEqual([
		'Others: `siteId`, `info.longitude`, `info.maxTotalBiomass`, `units[].unitId`',
		'**differs**',
	]);
	expect(finding(report, '`siteId` of the answer')).toEqual(['another value', '**differs**']);
	expect(finding(report, 'Fields that are missing or null')[0]).toMatch(
		/^`siteName`, `info.latitude`.*`units\[\]\.unitName`/,
	);
	expect(row(report, '`units[].unitId`')[1]).toBe('whole number or number in a text');
	expect(report).not.toContain('merkelapp');
});

it('first contact shows of headers only words and numbers that are known to be harmless', async () => {
	const headers = {
		'content-type': 'application/vnd.laks-operator+json; charset=ISO-8859-1',
		'cache-control': 'private, max-age=60, laks-operator, no-cache="Laksebas-Version"',
		vary: 'Laksebas-Version, Accept-Encoding',
		etag: 'W/"laks-operator"',
		expires: 'Sun, 01 Mar 2026 10:00:00 GMT',
		'ratelimit-policy': '"laks-operator";q=100;w=60',
		'x-ratelimit-remaining': '97',
		'x-served-by': 'laks-operator',
	};
	const { report } = await meet({
		arrange: (emulator) =>
			emulator.fail({ route: 'site', times: 1, fault: answering(SITE, headers) }),
		probes: ['login', 'both'],
	});

	expect(row(report, '`cache-control`')).toEqual(['private, max-age=60, 2 not shown', '2']);
	expect(row(report, '`vary`')).toEqual(['accept-encoding, 1 not shown', '2']);
	expect(row(report, '`etag`')).toEqual(['1 not shown', '2']);
	expect(row(report, '`expires`')).toEqual(['a date', '2']);
	expect(row(report, '`ratelimit-policy`')).toEqual(['q=100, w=60, 1 not shown', '2']);
	expect(row(report, '`x-ratelimit-remaining`')).toEqual(['97', '2']);
	expect(report).toContain('| `content-type` | charset=iso-8859-1, 1 not shown | 2 |');
	expect(report).not.toContain('x-served-by');
});

it.each([
	['the password', { age: '48151623', 'x-ratelimit-limit': '100' }],
	['the password beside other words', { age: 'no-cache, 48151623' }],
	['a part of a longer number', { age: '9481516239' }],
	['the username', { age: '2026042' }],
	['the ID of the site', { age: '73519' }],
	['a token', { age: '31415926535' }],
])('first contact withholds the value of a header that contains %s', async (_what, headers) => {
	const account = { username: '2026042', password: '48151623' };
	const { report } = await meet({
		settings: { accounts: { [account.username]: account.password } },
		account,
		probes: ['login', 'both'],
		arrange: (emulator) => {
			emulator.fail({
				route: 'token',
				times: 1,
				fault: answering({ access_token: '31415926535' }),
			});
			emulator.fail({ route: 'site', times: 1, fault: answering(SITE, headers) });
		},
	});

	expect(row(report, '`age`')).toEqual(['withheld', '2']);
	if ('x-ratelimit-limit' in headers) expect(row(report, '`x-ratelimit-limit`')[0]).toBe('100');
});

it.each<[string, Parameters<Emulator['fail']>[0]['fault'], RegExp, RegExp]>([
	['a fault', { kind: 'status', status: 500 }, /^500$/, /^$/],
	[
		'HTML',
		{ kind: 'body', body: '<html>laks-operator</html>', contentType: 'text/html' },
		/^200$/,
		/^$/,
	],
	['broken JSON', { kind: 'body', body: '{"siteName":"Storvågen-Æ' }, /^200$/, /^$/],
	[
		'a redirect',
		{ kind: 'status', status: 302, headers: { location: 'https://example.com/laks' } },
		/^302$/,
		/^$/,
	],
	['a closed connection', { kind: 'reset' }, /^none$/, /^the connection failed \(ECONNRESET\)$/],
	['half an answer', { kind: 'truncated' }, /^200$/, /^the connection failed \(/],
	['no answer', { kind: 'hang' }, /^none$/, /^no whole answer in time$/],
	[
		'an answer that is too large',
		{ kind: 'huge', bytes: 2 ** 25 },
		/^200$/,
		/^the answer is too large$/,
	],
	['what was sent', { kind: 'echo', status: 500 }, /^500$/, /^$/],
	['what was sent beside the answer', { kind: 'echoBeside' }, /^200$/, /^$/],
])(
	'first contact reports %s in place of a site, and goes on',
	async (_what, fault, status, remark) => {
		const { contact, report } = await meet({
			probes: ['login', 'none', 'unknownSite', 'secondLogin'],
			timeoutMs: fault.kind === 'hang' ? 300 : 30_000,
			arrange: (emulator) => emulator.fail({ route: 'site', times: 1, fault }),
		});

		expect(contact.answers.map((answer) => answer.status).slice(2)).toEqual([404, 200]);
		const [, shownStatus, , , remarks] = row(report, '2');
		expect(shownStatus).toMatch(status);
		expect(remarks).toMatch(remark);
		const redirects =
			fault.kind === 'status' && fault.status === 302 ? '1, to another host' : 'None';
		expect(finding(report, 'Redirects')[0]).toBe(redirects);
	},
);

it('first contact reports a certificate that is not accepted', async () => {
	const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }]);
	const { report } = await meet({ settings: { tls: { key, cert } } });

	expect(row(report, '1')[4]).toMatch(/^the certificate is not accepted \([A-Z_]+\)$/);
});

it('first contact never sends more than 15 requests', async () => {
	const { emulator } = await meet({ probes: ['login', ...Array<ProbeName>(30).fill('none')] });

	expect(emulator.journal.requests).toHaveLength(15);
	expect(MAX_REQUESTS).toBe(15);
	expect(Object.keys(PROBES).length).toBeLessThanOrEqual(15);
});

const firstContact = (parameters: string[], env: NodeJS.ProcessEnv = {}) =>
	startScript('scripts/firstContact/main.ts', parameters, { ...WITHOUT_ACCOUNT, ...env });
const REAL = {
	AQUACULTURE_BASE_URL: 'https://data.example.com',
	AQUACULTURE_USERNAME: 'me',
	AQUACULTURE_PASSWORD: 'mine',
};

it.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
	['no site ID', [], REAL, /^✗ The site ID is empty\n\nAQUACULTURE_BASE_URL=/],
	['two site IDs', ['1', '2'], REAL, /^✗ Give one site ID\n\n/],
	['no account', ['1'], {}, /^✗ Set AQUACULTURE_BASE_URL, .* the real service\n\n/],
	[
		'half an account',
		['1'],
		{ AQUACULTURE_USERNAME: 'me' },
		/^✗ To read the real service, set AQUACULTURE_BASE_URL and AQUACULTURE_PASSWORD too\n/,
	],
	[
		'plain HTTP',
		['1'],
		{ ...REAL, AQUACULTURE_BASE_URL: 'http://data.example.com' },
		/^✗ 'Base URL' must begin with https:\/\/\n/,
	],
])(
	'npm run first-contact says what is to be corrected, and sends nothing: %s',
	async (_what, parameters, env, sentence) => {
		const { exitCode, stdout, stderr } = await firstContact(parameters, env);

		expect(stderr).toMatch(sentence);
		expect([exitCode, stdout]).toEqual([1, '']);
	},
);

it('npm run first-contact warns before the first request, and can be ended', async () => {
	const emulator = await Emulator.start();
	const child = firstContact(['1001'], { ...REAL, AQUACULTURE_BASE_URL: emulator.baseUrl });
	let out = '';
	for await (const line of child) {
		out += `${line}\n`;
		if (line.includes('Login')) child.kill('SIGINT');
	}

	await emulator.stop();

	expect(out).toMatch(/at most 15 requests.*limit that the account shares with n8n\n/);
	expect(out).toMatch(/may end the session of n8n/);
	expect(out).toMatch(/## First contact with the service\n[^]*It was interrupted/);
	expect(out).toMatch(/✗ Interrupted by SIGINT\n/);
	expect(emulator.journal.requests).toEqual([]);
}, 60_000);
