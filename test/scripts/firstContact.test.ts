import { setImmediate as turn } from 'node:timers/promises';
import { checkCredentialSettings } from '../../nodes/Aquaculture/input/credentialSettings';
import type { Fault, Route } from '../../emulator/faults';
import { Emulator } from '../../emulator/server';
import type { StoredSite } from '../../emulator/sites';
import { makeContact } from '../../scripts/firstContact/contact';
import { formatReport } from '../../scripts/firstContact/report';
import { startScript } from '../../testbed/command';

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
async function meet(route: Route = 'site', fault?: Fault, sites = [SITE]) {
	const emulator = await new Emulator({
		accounts: { [ACCOUNT.username]: ACCOUNT.password },
		versionHeader: HEADER,
		prefix: PREFIX,
		sites,
	}).start();
	const { value: settings } = checkCredentialSettings({
		...ACCOUNT,
		baseUrl: emulator.baseUrl,
		versionHeader: HEADER,
		tokenVersion: '2025-01-01',
		dataVersion: '2023-01-01',
	});
	if (!settings) throw new Error('The credential of the test cannot be used');
	if (fault) emulator.fail({ route, fault, times: 1 });
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
		const versions = requests.map(({ headers }) => headers[HEADER.toLowerCase()]);
		expect(versions.slice(0, 2)).toEqual(['2025-01-01', '2023-01-01']);
		const authorizations = requests.map(({ headers }) => headers.authorization);
		const [tokenOfFirstLogin, wrongToken] = authorizations.slice(11);
		expect(tokenOfFirstLogin).toBe(authorizations[1]);
		expect(wrongToken).toHaveLength(Number(tokenOfFirstLogin?.length));
		expect(report).not.toMatch(/differs|not seen/);
		expect(report).toContain('not documented: 1\n');
		expect(report).toContain('`expires_in`: 3600, 3600\n');
	});

	const status = (code: number): Fault => ({ kind: 'echo', status: code });

	it.each<[string, Parameters<typeof meet>, number, string]>([
		['a refused login', ['token', status(401)], 1, 'returned no token'],
		['a request too many', ['site', status(429)], 2, 'too many (status 429)'],
		['a site that it may not read', ['site', undefined, []], 2, 'does not let this account read'],
	])('stops after %s, and reports it', async (_what, given, count, end) => {
		const { requests, report } = await meet(...given);

		expect(requests).toHaveLength(count);
		expect(report).toContain(end);
	});

	const PAGE = '<p>laks-operator</p>';
	const LIMITS = { 'x-ratelimit-limit': 'laks-operator', 'laks-operator': '1' };

	it.each<[string, Fault, string]>([
		['another site', answering({ siteId: 735190 }), '| another site | **differs** |'],
		['another type', answering({ siteName: [735190] }), '| `siteName` is not text | **differs** |'],
		['no part', answering({ siteId: 73519 }), 'info and units | a site | **differs** |'],
		['a fault', status(500), '| status 500 | not seen |'],
		['a page', { kind: 'body', body: PAGE }, 'without a JSON object | **differs** |'],
		['a redirect', status(302), '| status 302 | **differs** |'],
		['a broken connection', { kind: 'reset' }, '| no whole answer | not seen |'],
		['what was sent', { kind: 'echoBeside' }, '| a site with info and units | holds |'],
		['headers', answering(SITE, LIMITS), 'Headers about the limit: x-ratelimit-limit'],
	])('reports %s without repeating data', async (_what, fault, seen) => {
		const { report } = await meet('site', fault);

		expect(report).toContain(seen);
	});

	const REAL = {
		AQUACULTURE_BASE_URL: 'https://data.example.com',
		AQUACULTURE_USERNAME: 'me',
		AQUACULTURE_PASSWORD: 'mine',
	};
	it.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
		['no site ID', [], {}, /^✗ The site ID is empty\n\nAQUACULTURE_BASE_URL=/],
		['no password', ['1'], { AQUACULTURE_PASSWORD: '' }, /^✗ Set AQUACULTURE_PASSWORD: /],
		['a wrong address', ['1'], { AQUACULTURE_BASE_URL: 'x' }, /^✗ 'Base URL' must begin with/],
	])('npm run first-contact refuses %s', async (_what, parameters, env, sentence) => {
		const { exitCode, stdout, stderr } = await startScript(
			'scripts/firstContact/main.ts',
			parameters,
			{ ...REAL, ...env },
		);

		expect(stderr).toMatch(sentence);
		expect([exitCode, stdout]).toEqual([1, '']);
	});
});
