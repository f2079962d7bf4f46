import { generate } from 'selfsigned';
import { Emulator, type EmulatorSettings } from '../../emulator/server';
import type { StoredSite } from '../../emulator/sites';
import { startScript } from '../../testbed/command';
import {
	makeContact,
	MAX_REQUESTS,
	PAUSE_MS,
	type Contact,
} from '../../scripts/firstContact/contact';
import { PROBE_NAMES, type ProbeName } from '../../scripts/firstContact/probes';
import { reportOf } from '../../scripts/firstContact/report';
import { checkConnection } from '../../shared/connection';
import { WITHOUT_ACCOUNT } from './withoutAccount';

const ACCOUNT = { username: 'fjordfisk-konto', password: 'Hemmelig-Passord-7' };
const HEADER = 'Laksebas-Version';
const PREFIX = '/skjult/sti';

const SITE: StoredSite & { info: object; units: object[] } = {
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
	units: [
		{ unitId: 735191, unitName: 'Merd-Nord', longitude: 8.412732, latitude: 63.521848 },
		{ unitId: 735192, unitName: 'Merd-Sør', longitude: 8.412733, latitude: 63.521849 },
	],
	artsnavn: { latinsk: 'Salmo-salar' },
};

interface World {
	emulator: Emulator;
	contact: Contact;
	report: string;
	/** How long each pause was to be, in milliseconds. */
	pauses: number[];
}

interface Mood {
	settings?: Partial<EmulatorSettings>;
	account?: Partial<typeof ACCOUNT>;
	siteId?: number;
	timeoutMs?: number;
	probes?: ProbeName[];
	arrange?: (emulator: Emulator) => void | Promise<void>;
	onProbe?: (name: ProbeName, emulator: Emulator, abort: () => void) => void;
}

async function meet(mood: Mood = {}): Promise<World> {
	const emulator = await Emulator.start({
		accounts: { [ACCOUNT.username]: ACCOUNT.password },
		versionHeader: HEADER,
		prefix: PREFIX,
		sites: [SITE],
		...mood.settings,
	});
	const versions = { tokenVersion: '2025-01-01', dataVersion: '2023-01-01' };
	const { value: connection } = checkConnection({
		baseUrl: emulator.baseUrl,
		...ACCOUNT,
		...mood.account,
		versionHeader: HEADER,
		...versions,
	});
	if (!connection) throw new Error('The credential of the test cannot be used');
	await mood.arrange?.(emulator);
	const pauses: number[] = [];
	const abortion = new AbortController();
	const contact = await makeContact(
		{ connection, siteId: mood.siteId ?? SITE.siteId },
		{
			clock: {
				now: () => performance.now(),
				sleep: async (milliseconds) => {
					pauses.push(milliseconds);
					await Promise.resolve();
				},
			},
			signal: abortion.signal,
			onProbe: (name) => mood.onProbe?.(name, emulator, () => abortion.abort()),
			...(mood.timeoutMs !== undefined && { timeoutMs: mood.timeoutMs }),
			...(mood.probes && { probes: mood.probes }),
		},
	);
	const report = reportOf(contact, {
		date: '2026-03-02',
		versions: { package: '1.2.3', node: '20.0.0' },
		...versions,
	});
	await emulator.stop();
	const world = { emulator, contact, report, pauses };
	expect(leaksOf(world)).toEqual([]);
	expect(emulator.journal.requests.length).toBeLessThanOrEqual(MAX_REQUESTS);
	expect(emulator.journal.peakConcurrency).toBeLessThanOrEqual(1);
	return world;
}

/** What the report must not contain, and does. */
function leaksOf({ emulator, report }: World): string[] {
	const { requests } = emulator.journal;
	const secrets = [
		...Object.values(ACCOUNT),
		HEADER,
		PREFIX,
		'127.0.0.1',
		'localhost',
		'laks-operator',
		'example.com',
		...emulator.tokens.issued.flatMap((token) => token.split('.')),
		...requests.flatMap(({ traceId }) => traceId ?? []),
		...wordsOf(SITE).filter((word) => !DOCUMENTED.includes(word)),
	];
	const shown = report.toLowerCase();
	return secrets.filter((secret) => shown.includes(secret.toLowerCase()));
}

const DOCUMENTED = [
	...['siteId', 'siteName', 'info', 'units', 'unitId', 'unitName', 'longitude', 'latitude'],
	...['type', 'code', 'license', 'maxTotalBiomass', 'timezone'],
];

/** All names and values in a JSON value. */
function wordsOf(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return [String(value)];
	if (Array.isArray(value)) return value.flatMap(wordsOf);
	return Object.entries(value).flatMap(([name, element]) => [name, ...wordsOf(element)]);
}

/** The cells of the row that begins with this one. */
function row(report: string, first: string): string[] {
	const line = report.split('\n').find((each) => each.startsWith(`| ${first} |`)) ?? '';
	return line
		.split('|')
		.slice(2, -1)
		.map((cell) => cell.trim());
}

/** What was seen of an assumption, and the verdict. */
const finding = (report: string, open: string) => row(report, open).slice(1);

const request = (report: string, name: ProbeName) =>
	row(report, String(PROBE_NAMES.indexOf(name) + 1));

describe('the first contact with a service that is as the documentation says', () => {
	let world: World;

	beforeAll(async () => {
		world = await meet();
	});

	it('sends each request once, one after the other, with a pause before it', () => {
		const { emulator, pauses } = world;
		const site = `${PREFIX}/meta/sites/${SITE.siteId}`;
		expect(emulator.journal.requests.map(({ url }) => url)).toEqual([
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
		expect(pauses).toEqual(Array(PROBE_NAMES.length).fill(PAUSE_MS));
		expect(PAUSE_MS).toBeGreaterThanOrEqual(2000);
	});

	it('sends the versions, and the tokens that the requests are about', () => {
		const { journal, tokens } = world.emulator;
		const [first, second] = tokens.issued;
		const sent = journal.requests.map(({ headers }) => headers[HEADER.toLowerCase()]);
		expect([...new Set(sent)]).toEqual(['2025-01-01', '2023-01-01', '1900-01-01']);
		const [, data, firstAgain, wrong] = [0, 1, 11, 12].map(
			(index) => journal.requests[index]?.headers.authorization,
		);
		expect([data, firstAgain]).toEqual([`Bearer ${first}`, `Bearer ${first}`]);
		expect(wrong).toHaveLength(`Bearer ${second}`.length);
		expect(wrong).not.toBe(`Bearer ${second}`);
	});

	it('reports that all assumptions hold', () => {
		const { report, contact } = world;
		expect(contact.end).toBe('complete');
		expect(report).not.toMatch(/differs|not seen/);
		expect(finding(report, 'Unit of `expires_in`')).toEqual([
			'number in a text, 4 digits; by the lifetime in the token: seconds',
			'holds',
		]);
		expect(finding(report, 'Lifetime in the token')).toEqual(['3600 seconds', 'holds']);
		expect(finding(report, 'Whether a login ends earlier tokens')).toEqual([
			'The first token is still accepted',
			'holds',
		]);
		expect(finding(report, 'Fields that are not documented')).toEqual([
			'1 of the site, 0 of `info`, 0 of a unit',
			'holds',
		]);
	});

	it('has status, time and body of each request', () => {
		expect(PROBE_NAMES.map((name) => request(world.report, name))).toEqual(
			PROBE_NAMES.map((name) => [
				expect.any(String),
				{ unknownSite: '404', badVersion: '400', wrongToken: '401' }[name as string] ?? '200',
				expect.stringMatching(/^\d+$/),
				'JSON object',
				'',
			]),
		);
	});

	it('has the documented fields with their types, and which requests were answered alike', () => {
		const { report } = world;
		expect(row(report, 'Field')).toEqual(['Documented', 'Request 1, 11']);
		expect(row(report, '`info.maxTotalBiomass`')).toEqual(['number', 'number', '', 'number', '']);
		expect(row(report, '`units[].unitId`')).toEqual([
			'whole number',
			'whole number',
			'',
			'',
			'whole number',
		]);
		expect(report).toContain('| Field | Documented | Request 2, 6, 7 | Request 3, 8, 12 |');
		expect(row(report, '`traceId`')).toEqual(['text', 'text', 'text']);
	});
});

describe('the first contact with a service that is otherwise', () => {
	it('ends at a refused login, with what was seen', async () => {
		const { contact, report, emulator } = await meet({ account: { password: 'Feil-Passord' } });

		expect([contact.end, emulator.journal.requests.length]).toEqual(['loginRefused', 1]);
		expect(report).toContain('the service refused the login');
		expect(request(report, 'login')[1]).toBe('401');
		expect(finding(report, 'Status of a login that works')).toEqual(['Status 401', '**differs**']);
	});

	it('ends at a request that is one too many', async () => {
		const { contact, report, emulator } = await meet({
			settings: { requestsPerMinute: 3, retryAfter: 17 },
		});

		expect([contact.end, emulator.journal.requests.length]).toEqual(['limited', 4]);
		expect(emulator.journal.refusals).toBe(1);
		expect(report).toContain('status 429');
		expect(row(report, '`retry-after`')).toEqual(['17', '4']);
		expect(finding(report, 'Answer without `$include`')[1]).toBe('holds');
		expect(finding(report, 'Answer to `$include=info`')).toEqual(['', 'not seen']);
		expect(finding(report, 'Answer to `$include=units`')).toEqual(['', 'not seen']);
	});

	it('ends where the account cannot read the site', async () => {
		const { contact, emulator } = await meet({ siteId: 999_999_999 });

		expect([contact.end, emulator.journal.requests.length]).toEqual(['unreadable', 2]);
	});

	it.each<[string, Partial<EmulatorSettings['token']>, string, string[]]>([
		['is no JWT', { opaque: true }, 'Form of the token', ['Not a JWT, those characters', 'holds']],
		['is no JWT', { opaque: true }, 'Lifetime in the token', ['It does not have both', 'holds']],
		[
			'says its lifetime in minutes',
			{ announcedLifetime: '60' },
			'Unit of `expires_in`',
			['number in a text, 2 digits; by the lifetime in the token: minutes', '**differs**'],
		],
		[
			'says its lifetime in something else',
			{ announcedLifetime: '17.5' },
			'Unit of `expires_in`',
			[
				'number in a text, 3 digits, with decimals; by the lifetime in the token: no known unit',
				'**differs**',
			],
		],
		[
			'says nothing of its lifetime',
			{ announcedLifetime: null },
			'Unit of `expires_in`',
			['', 'not seen'],
		],
		[
			'says its lifetime in words',
			{ announcedLifetime: 'Hemmelig-Passord-7' },
			'size of `expires_in`',
			['text'],
		],
	])('reports a token that %s: %j', async (_name, token, open, expected) => {
		const { report, contact } = await meet({
			settings: { token: { lifetimeSeconds: 3600, ...token } },
		});

		expect(contact.end).toBe('complete');
		expect(finding(report, open)).toEqual(expected);
	});

	it('reports that a login has ended the tokens before it', async () => {
		const { report } = await meet({
			onProbe: (name, emulator) => {
				if (name === 'firstToken') emulator.tokens.revokeAll();
			},
		});

		expect(finding(report, 'Whether a login ends earlier tokens')).toEqual([
			'Status 401 for the first token',
			'holds',
		]);
	});

	it('reports parts that are null where they were not asked for', async () => {
		const body = (site: object) => ({ kind: 'body' as const, body: JSON.stringify(site) });
		const { report } = await meet({
			arrange: (emulator) => {
				emulator.fail({ route: 'site', times: 1, fault: body(SITE) });
				emulator.fail({
					route: 'site',
					times: 1,
					fault: body({ ...SITE, info: null, units: null }),
				});
			},
		});

		expect(finding(report, 'Answer without `$include`')).toEqual([
			'`info` null, `units` null',
			'holds',
		]);
	});

	it('reports parts that are missing although they were asked for', async () => {
		const { report } = await meet({
			arrange: (emulator) =>
				emulator.changeSite(SITE.siteId, ({ siteId, siteName }) => ({ siteId, siteName })),
		});

		expect(finding(report, 'Answer to `$include=units,info` in full')).toEqual([
			'`info` missing, `units` missing',
			'**differs**',
		]);
		expect(finding(report, '`maxTotalBiomass`')).toEqual(['', 'not seen']);
	});

	it('reports fields of other types, missing and null ones, and another site', async () => {
		const odd = {
			siteId: '73519',
			siteName: null,
			info: { longitude: '8.412731', maxTotalBiomass: '31207.25' },
			units: [{ unitId: 735191 }, { unitId: '735192', merkelapp: 'Merd-Nord' }],
		};
		const { report } = await meet({
			arrange: (emulator) =>
				emulator.fail({ route: 'site', fault: { kind: 'body', body: JSON.stringify(odd) } }),
		});

		expect(finding(report, 'Types of the fields of a site')).toEqual([
			'Others: `siteId`, `info.longitude`, `info.maxTotalBiomass`, `units[].unitId`',
			'**differs**',
		]);
		expect(finding(report, '`siteId` of the answer')[1]).toBe('**differs**');
		expect(finding(report, 'Which fields are required')[0]).toMatch(
			/^missing: `info.latitude`, .*`units\[\]\.unitName`.*; null: `siteName`$/,
		);
		expect(row(report, '`units[].unitId`')[1]).toBe('whole number or number in a text');
		expect(row(report, 'other fields of `units[]`')[1]).toBe('1');
		expect(report).not.toContain('merkelapp');
	});

	it('reports headers by the words and numbers that are known to be harmless', async () => {
		const headers = {
			'content-type': 'application/vnd.laks-operator+json; charset=ISO-8859-1',
			'cache-control': 'private, max-age=60, laks-operator, no-cache="Laksebas-Version"',
			vary: 'Laksebas-Version, Accept-Encoding',
			etag: 'W/"laks-operator"',
			expires: 'at laks-operator',
			'ratelimit-policy': '"laks-operator";q=100;w=60',
			'x-ratelimit-remaining': '97',
			'x-served-by': 'laks-operator',
			date: new Date(Date.now() + 3_600_000).toUTCString(),
		};
		const fault = { kind: 'status' as const, status: 200, headers, body: JSON.stringify(SITE) };
		const { report } = await meet({
			arrange: (emulator) => emulator.fail({ route: 'site', times: 1, fault }),
			probes: ['login', 'both'],
		});

		expect(row(report, '`cache-control`')).toEqual(['private, max-age=60, 2 not shown', '2']);
		expect(row(report, '`vary`')).toEqual(['accept-encoding, 1 not shown', '2']);
		expect(row(report, '`etag`')).toEqual(['there', '2']);
		expect(row(report, '`expires`')).toEqual(['in another form', '2']);
		expect(row(report, '`ratelimit-policy`')).toEqual(['q=100, w=60, 1 not shown', '2']);
		expect(row(report, '`x-ratelimit-remaining`')).toEqual(['97', '2']);
		expect(row(report, '`date`')).toEqual(['a date', 'all']);
		expect(report).toContain('| another type of JSON, charset iso-8859-1 | 2 |');
		expect(report).not.toContain('x-served-by');
	});

	it("reports how far the service's clock differs", async () => {
		const date = new Date(Date.now() + 3_600_000).toUTCString();
		const { report } = await meet({
			arrange: (emulator) =>
				emulator.fail({
					route: 'token',
					fault: { kind: 'status', status: 503, headers: { date } },
				}),
		});

		expect(finding(report, 'Clocks')).toEqual([
			'The service is 60 minutes ahead of this computer',
			'holds',
		]);
	});

	it.each<[string, Parameters<Emulator['fail']>[0]['fault'], RegExp, RegExp]>([
		['faults', { kind: 'status', status: 500 }, /^500$/, /^$/],
		[
			'pages in HTML',
			{ kind: 'body', body: '<html>laks-operator</html>', contentType: 'text/html' },
			/^200$/,
			/^$/,
		],
		['broken JSON', { kind: 'body', body: '{"siteName":"Storvågen-Æ' }, /^200$/, /^$/],
		[
			'redirects',
			{ kind: 'status', status: 302, headers: { location: 'https://example.com/laks-operator' } },
			/^302$/,
			/^redirect to another host, not followed$/,
		],
		[
			'redirects to itself',
			{ kind: 'status', status: 308, headers: { location: '/skjult' } },
			/^308$/,
			/^redirect to the same host, not followed$/,
		],
		[
			'connections that are closed',
			{ kind: 'reset' },
			/^none$/,
			/^the connection failed \(ECONNRESET\)$/,
		],
		['answers that break off', { kind: 'truncated' }, /^200$/, /^the connection failed \(/],
		['answers that do not come', { kind: 'hang' }, /^none$/, /^no whole answer in time$/],
		[
			'answers that come too slowly',
			{ kind: 'trickle', msPerByte: 1000 },
			/^200$/,
			/^no whole answer in time$/,
		],
		[
			'answers that are too large',
			{ kind: 'huge', bytes: 2 ** 25 },
			/^200$/,
			/^the answer is too large$/,
		],
		['repetitions of what was sent', { kind: 'echo', status: 500 }, /^500$/, /^$/],
		['repetitions beside the answer', { kind: 'echoBeside' }, /^200$/, /^$/],
	])('reports %s in place of a site, and goes on', async (_name, fault, status, remark) => {
		const { contact, report } = await meet({
			probes: ['login', 'none', 'unknownSite', 'secondLogin'],
			timeoutMs: fault.kind === 'hang' || fault.kind === 'trickle' ? 300 : 30_000,
			arrange: (emulator) => emulator.fail({ route: 'site', times: 1, fault }),
		});

		expect(contact.seen.map((seen) => seen.status)).toEqual([
			200,
			contact.seen[1]?.status,
			404,
			200,
		]);
		const [, shownStatus, , , remarks] = row(report, '2');
		expect(shownStatus).toMatch(status);
		expect(remarks).toMatch(remark);
	});

	it.each<[string, Parameters<Emulator['fail']>[0]['fault'], Contact['end']]>([
		['a fault', { kind: 'status', status: 503 }, 'noToken'],
		['a page in HTML', { kind: 'body', body: '<html>laks-operator</html>' }, 'noToken'],
		['an object without a token', { kind: 'body', body: '{"access_token":7}' }, 'noToken'],
		['nothing', { kind: 'reset' }, 'noToken'],
		['what it was sent', { kind: 'echo', status: 400 }, 'loginRefused'],
		['a refusal', { kind: 'status', status: 429 }, 'limited'],
	])('ends where a login is answered with %s', async (_name, fault, end) => {
		const { contact, emulator } = await meet({
			arrange: (emulator) => emulator.fail({ route: 'token', fault }),
		});

		expect([contact.end, emulator.journal.requests.length]).toEqual([end, 1]);
	});

	it('reports a token that cannot be sent as it is', async () => {
		const fault = { kind: 'body' as const, body: '{"access_token":"a\\nb","expires_in":3600}' };
		const { contact, report } = await meet({
			arrange: (emulator) => emulator.fail({ route: 'token', fault }),
		});

		expect(contact.end).toBe('unreadable');
		expect(finding(report, 'Form of the token')).toEqual([
			'Not a JWT, other characters too',
			'**differs**',
		]);
	});

	it('reports a service that does not answer', async () => {
		const { contact, report } = await meet({
			arrange: async (emulator) => await emulator.stop(),
		});

		expect(contact.end).toBe('noToken');
		expect(request(report, 'login')).toEqual([
			'Login',
			'none',
			expect.any(String),
			'none',
			'the connection failed (ECONNREFUSED)',
		]);
	});

	it('reports a certificate that is not accepted', async () => {
		const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }]);
		const { report, emulator } = await meet({ settings: { tls: { key, cert } } });

		expect(request(report, 'login')[4]).toMatch(/^the certificate is not accepted \([A-Z_]+\)$/);
		expect(emulator.journal.requests).toEqual([]);
	});

	it('reports what was seen until it was interrupted', async () => {
		const { contact, report, emulator } = await meet({
			onProbe: (name, _emulator, abort) => {
				if (name === 'none') abort();
			},
		});

		expect([contact.end, emulator.journal.requests.length]).toEqual(['interrupted', 2]);
		expect(finding(report, 'Answer to `$include=units,info` in full')[1]).toBe('holds');
	});

	it('never sends more than it may', async () => {
		const probes: ProbeName[] = ['login', ...Array<ProbeName>(30).fill('none')];
		const { emulator } = await meet({ probes });

		expect(emulator.journal.requests).toHaveLength(MAX_REQUESTS);
		expect(PROBE_NAMES.length).toBeLessThanOrEqual(MAX_REQUESTS);
		expect(MAX_REQUESTS).toBeLessThanOrEqual(15);
	});
});

describe('npm run first-contact', () => {
	const firstContact = (parameters: string[], env: NodeJS.ProcessEnv = {}) =>
		startScript('scripts/firstContact/main.ts', parameters, { ...WITHOUT_ACCOUNT, ...env });
	const account = {
		AQUACULTURE_BASE_URL: 'https://data.example.com',
		AQUACULTURE_USERNAME: 'me',
		AQUACULTURE_PASSWORD: 'mine',
	};

	it.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
		['no site ID', [], account, /^✗ The site ID is empty\n\nAQUACULTURE_BASE_URL=/],
		['no number', ['x'], account, /^✗ The site ID is not a whole number: "x"\n\n/],
		['two site IDs', ['1', '2'], account, /^✗ Give one site ID\n\n/],
		['no account', ['1'], {}, /^✗ Set AQUACULTURE_BASE_URL, .* the real service\n\n/],
		[
			'half an account',
			['1'],
			{ AQUACULTURE_USERNAME: 'me' },
			/^✗ To read the real service, set AQUACULTURE_BASE_URL and AQUACULTURE_PASSWORD too\n/,
		],
		[
			'an address without encryption',
			['1'],
			{ ...account, AQUACULTURE_BASE_URL: 'http://data.example.com' },
			/^✗ 'Base URL' must begin with https:\/\/\n/,
		],
		[
			'a version that is no date',
			['1'],
			{ ...account, AQUACULTURE_DATA_VERSION: 'new' },
			/^✗ 'Data Request Version' is not a date/,
		],
	])(
		'says what is to be corrected, and sends nothing: %s',
		async (_name, parameters, env, sentence) => {
			const { exitCode, stdout, stderr } = await firstContact(parameters, env);

			expect(stderr).toMatch(sentence);
			expect(stderr).not.toMatch(/\n {4}at /);
			expect([exitCode, stdout]).toEqual([1, '']);
		},
	);

	it('warns before the first request, and can be ended', async () => {
		const emulator = await Emulator.start();
		const child = firstContact(['1001'], { ...account, AQUACULTURE_BASE_URL: emulator.baseUrl });
		let out = '';
		for await (const line of child) {
			out += `${line}\n`;
			if (line.includes('Login')) child.kill('SIGINT');
		}

		await emulator.stop();

		expect(out).toMatch(/at most 15 requests.*limit that the account shares with n8n\n/);
		expect(out).toMatch(/may end the session of n8n/);
		expect(out).toMatch(/## First contact with the service\n[^]*it was interrupted/);
		expect(out).toMatch(/✗ Interrupted by SIGINT\n/);
		expect(emulator.journal.requests).toEqual([]);
	}, 60_000);
});
