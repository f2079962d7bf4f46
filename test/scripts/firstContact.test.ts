import { setImmediate as turn } from 'node:timers/promises';
import { checkCredentialSettings } from '../../nodes/Aquaculture/login/credentialSettings';
import type { Fault, Route } from '../../emulator/faults';
import { Emulator } from '../../emulator/server';
import type { StoredSite } from '../../emulator/sites';
import { makeContact } from '../../scripts/firstContact/contact';
import { formatReport } from '../../scripts/firstContact/report';
import { startScript } from '../../testbed/command';

/** Hides the account of whoever runs the tests from scripts. */
const WITHOUT_ACCOUNT = Object.fromEntries(
	Object.keys(process.env)
		.filter((name) => name.startsWith('AQUACULTURE_'))
		.map((name) => [name, undefined]),
);

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
/** A report must contain none of these. */
const SECRETS = [
	...[...Object.values(ACCOUNT), HEADER, PREFIX, '127.0.0.1', 'laks-operator', 'example.com'],
	...['73519', 'Storvågen', '8.41273', '63.521848', 'M-H-0101', '31207', 'Merd-Nord'],
	...['artsnavn', 'latinsk', 'Salmo-salar'],
];

/** Makes contact with an emulator, and checks that the report contains no secrets. */
async function meet(faults: Array<[Route, Fault, times?: number]> = [], sites = [SITE]) {
	const emulator = await Emulator.start({
		accounts: { [ACCOUNT.username]: ACCOUNT.password },
		versionHeader: HEADER,
		prefix: PREFIX,
		sites,
	});
	const { value: settings } = checkCredentialSettings({
		...ACCOUNT,
		baseUrl: emulator.baseUrl,
		versionHeader: HEADER,
		tokenVersion: '2025-01-01',
		dataVersion: '2023-01-01',
	});
	if (!settings) throw new Error('The credential of the test cannot be used');
	for (const [route, fault, times = 1] of faults) emulator.fail({ route, fault, times });
	const { siteId } = SITE;
	const contact = await makeContact({ settings, siteId }, async () => await turn());
	const report = formatReport(contact, siteId, 'Made on 2026-03-02');
	await emulator.stop();
	const tokens = emulator.tokens.issued.flatMap((token) => token.split('.'));
	const shown = report.toLowerCase();
	expect([...SECRETS, ...tokens].filter((each) => shown.includes(each.toLowerCase()))).toEqual([]);
	return { requests: emulator.journal.requests, report };
}

const answering = (json: unknown, headers: Record<string, string> = {}): Fault => ({
	kind: 'status',
	status: 200,
	headers,
	body: JSON.stringify(json),
});

describe('first contact', () => {
	it('sends 13 requests, and all assumptions hold for the emulator', async () => {
		const { requests, report } = await meet();

		expect(requests).toHaveLength(13);
		const [login, site, ...others] = requests.map(({ url, headers }) => ({
			url: url.slice(PREFIX.length),
			version: headers[HEADER.toLowerCase()],
		}));
		expect(login).toEqual({ url: '/auth/token', version: '2025-01-01' });
		expect(site).toEqual({ url: '/meta/sites/73519?$include=units,info', version: '2023-01-01' });
		expect(others.map(({ version }) => version)).toContain('1900-01-01');
		const sent = requests.map(({ headers }) => headers.authorization);
		expect([sent[11] === sent[1], sent[12] === sent[11], sent[12]?.length]).toEqual([
			true,
			false,
			sent[11]?.length,
		]);
		expect(report).not.toMatch(/differs|not seen/);
		expect(report).toContain('not documented: 1\n');
		expect(report).toContain('`expires_in`: 3600, 3600\n');
	});

	it.each<[string, Array<[Route, Fault]>, StoredSite[], number, string]>([
		['a refused login', [['token', { kind: 'echo', status: 401 }]], [SITE], 1, 'returned no token'],
		[
			'a login without a token',
			[['token', answering({ access_token: 7 })]],
			[SITE],
			1,
			'returned no token',
		],
		['a request too many', [['site', { kind: 'status', status: 429 }]], [SITE], 2, 'status 429'],
		['a site that the account may not read', [], [], 2, 'does not let this account read the site'],
	])('stops after %s, and reports it', async (_what, faults, sites, count, end) => {
		const { requests, report } = await meet(faults, sites);

		expect(requests).toHaveLength(count);
		expect(report).toContain(end);
	});

	it.each<[string, Fault, string]>([
		['another site', answering({ ...SITE, siteId: 735190 }), '| another site | **differs** |'],
		[
			'other types',
			answering({ ...SITE, siteName: 735 }),
			'| `siteName` is not text | **differs** |',
		],
		['no part', answering({ siteId: 73519 }), 'info and units | a site | **differs** |'],
		['status 403', { kind: 'echo', status: 403 }, 'does not let this account'],
		['a fault', { kind: 'echo', status: 500 }, '| status 500 | not seen |'],
		[
			'a page',
			{ kind: 'body', body: '<p>laks-operator</p>' },
			'without a JSON object | **differs** |',
		],
		['a redirect', { kind: 'echo', status: 302 }, '| status 302 | **differs** |'],
		['a broken connection', { kind: 'reset' }, '| no whole answer | not seen |'],
		['what was sent', { kind: 'echoBeside' }, '| a site with info and units | holds |'],
		[
			'headers',
			answering(SITE, { 'x-ratelimit-limit': 'laks-operator', 'laks-operator': '1' }),
			'Headers about the limit: x-ratelimit-limit',
		],
	])('reports %s without repeating data', async (_what, fault, seen) => {
		const { report } = await meet([['site', fault]]);

		expect(report).toContain(seen);
	});

	const REAL = {
		AQUACULTURE_BASE_URL: 'https://data.example.com',
		AQUACULTURE_USERNAME: 'me',
		AQUACULTURE_PASSWORD: 'mine',
	};
	it.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
		['no site ID', [], REAL, /^✗ The site ID is empty\n\nAQUACULTURE_BASE_URL=/],
		['no account', ['1'], {}, /^✗ Set AQUACULTURE_BASE_URL and .* reads the real service\n\n/],
		[
			'half an account',
			['1'],
			{ AQUACULTURE_USERNAME: 'me' },
			/^✗ Set AQUACULTURE_BASE_URL and AQUACULTURE_PASSWORD: /,
		],
		[
			'plain HTTP',
			['1'],
			{ ...REAL, AQUACULTURE_BASE_URL: 'http://data.example.com' },
			/^✗ 'Base URL' must begin with https:\/\/\n/,
		],
	])(
		'npm run first-contact refuses %s before any request',
		async (_what, parameters, env, sentence) => {
			const { exitCode, stdout, stderr } = await startScript(
				'scripts/firstContact/main.ts',
				parameters,
				{ ...WITHOUT_ACCOUNT, ...env },
			);

			expect(stderr).toMatch(sentence);
			expect([exitCode, stdout]).toEqual([1, '']);
		},
	);
});
