import { checkConnection } from '../../account/connection';
import type { Fault } from '../../emulator/faults';
import { Emulator, type EmulatorSettings } from '../../emulator/server';
import type { StoredSite } from '../../emulator/sites';
import { PROBES, type Probe } from '../../scripts/firstContact/assumptions';
import { makeContact, type Contact } from '../../scripts/firstContact/contact';
import { reportOf } from '../../scripts/firstContact/report';
import { startScript } from '../../testbed/command';
import { WITHOUT_ACCOUNT } from './withoutAccount';

const ACCOUNT = { username: 'fjordfisk-konto', password: 'Hemmelig-Passord-7' };
const HEADER = 'Laksebas-Version';
const PREFIX = '/skjult/sti';
const SITE: StoredSite = {
	siteId: 73519,
	siteName: 'Storvågen-Æ',
	info: { longitude: 8.412731, license: 'M-H-0101', maxTotalBiomass: 31207.25 },
	units: [{ unitId: 735191, unitName: 'Merd-Nord', longitude: 8.412732, latitude: 63.521848 }],
	artsnavn: { latinsk: 'Salmo-salar' },
};
/** What of the service, of the account and of the site no report may show. */
const SECRETS = [
	...[...Object.values(ACCOUNT), HEADER, PREFIX, '127.0.0.1', 'laks-operator', 'example.com'],
	...['73519', 'Storvågen', '8.41273', '63.521848', 'M-H-0101', '31207', 'Merd-Nord'],
	...['artsnavn', 'latinsk', 'Salmo-salar', 'merkelapp'],
];

interface Circumstances {
	settings?: Partial<EmulatorSettings>;
	account?: Partial<typeof ACCOUNT>;
	timeoutMs?: number;
	arrange?: (emulator: Emulator) => void;
	/** Called before each request. */
	before?: (probe: Probe, emulator: Emulator, abort: () => void) => void;
}

/** Makes contact with an emulated service, and expects that the report gives nothing away. */
async function meet({ settings, account, arrange, before, timeoutMs }: Circumstances = {}) {
	const credential = { ...ACCOUNT, ...account };
	const emulator = await Emulator.start({
		accounts: { [credential.username]: ACCOUNT.password },
		versionHeader: HEADER,
		prefix: PREFIX,
		sites: [SITE],
		...settings,
	});
	const { value: connection } = checkConnection({
		...credential,
		baseUrl: emulator.baseUrl,
		versionHeader: HEADER,
		tokenVersion: '2025-01-01',
		dataVersion: '2023-01-01',
	});
	if (!connection) throw new Error('The credential of the test cannot be used');
	arrange?.(emulator);
	const abortion = new AbortController();
	const pauses: Probe[] = [];
	const target = { connection, siteId: SITE.siteId };
	const contact: Contact = await makeContact(target, {
		pause: async (next) => {
			pauses.push(next);
			before?.(next, emulator, () => abortion.abort());
			await Promise.resolve();
		},
		signal: abortion.signal,
		...(timeoutMs !== undefined && { timeoutMs }),
	});
	const report = reportOf(contact, target, 'Made on 2026-03-02');
	await emulator.stop();
	const tokens = emulator.tokens.issued.flatMap((token) => token.split('.'));
	const shown = report.toLowerCase();
	const leaked = [...SECRETS, ...tokens].filter((secret) => shown.includes(secret.toLowerCase()));
	expect(leaked).toEqual([]);
	return { requests: emulator.journal.requests, emulator, contact, report, pauses };
}

/** The other cells of the row whose first cell ends in this. */
function row(report: string, first: string): string[] {
	const line = report.split('\n').find((each) => each.includes(`${first} |`)) ?? '';
	return line
		.split('|')
		.slice(2, -1)
		.map((cell) => cell.trim());
}

/** What was seen of a request or an assumption, and the verdict. */
const finding = (report: string, about: string) => row(report, about).slice(1, 3);

const answering = (body: unknown, headers: Record<string, string> = {}): Fault => ({
	kind: 'status',
	status: 200,
	headers,
	body: JSON.stringify(body),
});

it('first contact sends each of at most 15 requests once, with a pause before it, and all assumptions hold', async () => {
	const { requests, emulator, contact, report, pauses } = await meet();
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
	expect(pauses).toEqual(PROBES);
	expect(PROBES.length).toBeLessThanOrEqual(15);
	expect(emulator.journal.peakConcurrency).toBe(1);
	const versions = requests.map(({ headers }) => headers[HEADER.toLowerCase()]);
	expect([...new Set(versions)]).toEqual(['2025-01-01', '2023-01-01', '1900-01-01']);
	const [first, second] = emulator.tokens.issued.map((token) => `Bearer ${token}`);
	const sent = requests.map(({ headers }) => headers.authorization);
	expect([sent[1], sent[11]]).toEqual([first, first]);
	expect([sent[12]?.length, sent[12] === second]).toEqual([second?.length, false]);
	expect(contact.end).toBeUndefined();
	expect(report).not.toMatch(/differs|not seen/);
	expect(finding(report, 'Unit of `expires_in`')).toEqual(['number in a text: seconds', 'holds']);
	expect(report).toContain('Fields that are not documented, and are passed on: 1.');
	expect(finding(report, '`unit.unitId`')).toEqual(['whole number', 'holds']);
	expect(finding(report, 'Unknown site')).toEqual(['404', 'holds']);
});

it.each<[string, Circumstances, number, string, string, string[]]>([
	[
		'a refused login',
		{ account: { password: 'Feil-Passord' } },
		1,
		'refused the login',
		'1. Login',
		['401', '**differs**'],
	],
	[
		'a request that is one too many',
		{ settings: { requestsPerMinute: 3 } },
		4,
		'status 429',
		'4. Site with `$include=info`',
		['429', 'not seen'],
	],
	[
		'a site that the account cannot read',
		{ settings: { sites: [] } },
		2,
		'did not let this account read the site',
		'2. Site with `$include=units,info`',
		['404', '**differs**'],
	],
	[
		'a login without a token',
		{
			arrange: (service) => service.fail({ route: 'token', fault: answering({ access_token: 7 }) }),
		},
		1,
		'returned no token',
		'1. Login',
		['200, no token', '**differs**'],
	],
	[
		'an interruption',
		{ before: (probe, _service, abort) => (probe === PROBES[2] ? abort() : undefined) },
		2,
		'interrupted',
		'2. Site with `$include=units,info`',
		['200, info and units', 'holds'],
	],
])(
	'first contact ends at %s, with what was seen',
	async (_end, circumstances, count, end, about, seen) => {
		const { requests, contact, report } = await meet(circumstances);

		expect(requests).toHaveLength(count);
		expect(contact.end).toContain(end);
		expect(report).toContain(contact.end);
		expect(finding(report, about)).toEqual(seen);
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
	[{ announcedLifetime: 'Hemmelig-Passord-7' }, 'Unit of `expires_in`', ['', 'not seen']],
])('first contact reports of a token with %j under "%s": %j', async (token, about, expected) => {
	const { report } = await meet({ settings: { token: { lifetimeSeconds: 3600, ...token } } });

	expect(finding(report, about)).toEqual(expected);
});

it('first contact reports that a login has ended the tokens before it', async () => {
	const { report } = await meet({
		before: ({ token }, emulator) => (token === 'first' ? emulator.tokens.revokeAll() : undefined),
	});

	expect(finding(report, 'token of the first login')).toEqual(['401', 'holds']);
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

	expect(finding(report, '`info.longitude`')).toEqual(['number in a text', '**differs**']);
	expect(finding(report, '`unit.unitId`')).toEqual([
		'whole number or number in a text',
		'**differs**',
	]);
	expect(finding(report, '`siteName`')).toEqual(['null', 'holds']);
	expect(finding(report, '`info.latitude`')).toEqual(['missing', 'holds']);
	expect(finding(report, '`siteId` of the answer')).toEqual(['Another value', '**differs**']);
});

it('first contact shows of headers only words and numbers that are known to be harmless', async () => {
	const headers = {
		'content-type': 'application/vnd.laks-operator+json; charset=UTF-8',
		'retry-after': 'Sun, 01 Mar 2026 10:00:00 GMT',
		'ratelimit-policy': '"laks-operator";q=100;w=60',
		'x-ratelimit-remaining': '97',
		'x-served-by': 'laks-operator',
	};
	const { report } = await meet({
		arrange: (emulator) =>
			emulator.fail({ route: 'site', times: 1, fault: answering(SITE, headers) }),
	});

	expect(row(report, '| `content-type`')).toContain('application/json, charset=utf-8');
	expect(report).toContain('| `content-type` | charset=utf-8, 1 not shown | 2 |');
	expect(row(report, '`retry-after`')).toEqual(['a date', '2']);
	expect(row(report, '`ratelimit-policy`')).toEqual(['q=100, w=60, 1 not shown', '2']);
	expect(row(report, '`x-ratelimit-remaining`')).toEqual(['97', '2']);
	expect(report).not.toContain('x-served-by');
});

it.each([
	['the password', 'no-cache, 48151623'],
	['a part of a longer number', '9481516239'],
	['the username', '2026042'],
	['the ID of the site', '73519'],
	['a token', '31415926535'],
])('first contact withholds the value of a header that contains %s', async (_what, value) => {
	const account = { username: '2026042', password: '48151623' };
	const token = answering({ access_token: '31415926535' });
	const { report } = await meet({
		settings: { accounts: { [account.username]: account.password } },
		account,
		arrange: (emulator) => {
			emulator.fail({ route: 'token', times: 1, fault: token });
			emulator.fail({
				route: 'site',
				times: 1,
				fault: answering(SITE, { 'x-ratelimit-limit': value, 'x-ratelimit-reset': '60' }),
			});
		},
	});

	expect(row(report, '`x-ratelimit-limit`')).toEqual(['withheld', '2']);
	expect(row(report, '`x-ratelimit-reset`')).toEqual(['60', '2']);
});

it.each<[string, Fault, RegExp, string]>([
	['a fault', { kind: 'status', status: 500 }, /^500/, 'not seen'],
	[
		'HTML',
		{ kind: 'body', body: '<html>laks-operator</html>', contentType: 'text/html' },
		/^200, no JSON object$/,
		'**differs**',
	],
	[
		'broken JSON',
		{ kind: 'body', body: '{"siteName":"Storvågen-Æ' },
		/^200, no JSON object$/,
		'**differs**',
	],
	[
		'a redirect',
		{ kind: 'status', status: 302, headers: { location: 'https://example.com/laks' } },
		/^302/,
		'**differs**',
	],
	['a closed connection', { kind: 'reset' }, /^no whole answer \(ECONNRESET\)$/, 'not seen'],
	['half an answer', { kind: 'truncated' }, /^no whole answer \([A-Z_]+\)$/, 'not seen'],
	['no answer', { kind: 'hang' }, /^no whole answer \(TIMEOUT\)$/, 'not seen'],
	[
		'an answer that is too large',
		{ kind: 'huge', bytes: 2 ** 25 },
		/^no whole answer \([A-Z_]+\)$/,
		'not seen',
	],
	['what was sent', { kind: 'echo', status: 500 }, /^500/, 'not seen'],
	['what was sent beside the answer', { kind: 'echoBeside' }, /^200, info and units$/, 'holds'],
])(
	'first contact reports %s in place of a site, and goes on',
	async (_what, fault, seen, verdict) => {
		const { requests, report } = await meet({
			timeoutMs: fault.kind === 'hang' ? 300 : 30_000,
			arrange: (emulator) => emulator.fail({ route: 'site', times: 1, fault }),
		});

		expect(requests).toHaveLength(PROBES.length);
		expect(finding(report, '2. Site with `$include=units,info`')).toEqual([
			expect.stringMatching(seen),
			verdict,
		]);
	},
);

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
	'npm run first-contact says what to correct, and sends nothing, for %s',
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

	expect(out).toMatch(
		/at most 13 requests, one every 5 seconds.*limit that the account shares with n8n\n/,
	);
	expect(out).toMatch(/may end the session of n8n/);
	expect(out).toMatch(/## First contact with the service\n[^]*It was interrupted/);
	expect(out).toMatch(/✗ Interrupted by SIGINT\n/);
	expect(emulator.journal.requests).toEqual([]);
}, 60_000);
