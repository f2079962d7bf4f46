import { inspect } from 'node:util';
import type { Fault, Route } from '../../emulator/faults';
import { Rig } from '../../testbed/engine/rig';

const PASSWORD = 'plainmark4711 "\\ ø {{ 1 }} $&';
/** The part of it that survives any escaping. */
const PASSWORD_MARK = 'plainmark4711';

describe('neither password nor token', () => {
	let rig: Rig;
	const log: string[] = [];

	beforeAll(async () => {
		rig = await Rig.start();
		for (const level of ['debug', 'info', 'warn', 'error'] as const) {
			jest.spyOn(rig.engine.logger, level).mockImplementation((...entry) => {
				log.push(inspect(entry, { depth: Infinity }));
			});
		}
	});
	afterAll(async () => {
		await rig.stop();
		jest.restoreAllMocks();
	});
	beforeEach(() => {
		rig.emulator.reset();
		const { username } = rig.setCredential({ password: PASSWORD });
		rig.emulator.settings.accounts[username] = PASSWORD;
	});

	const faults: Array<[Route, Fault]> = [
		...[302, 400, 401, 403, 404, 500, 200].map((status): [Route, Fault] => [
			'site',
			{ kind: 'echo', status },
		]),
		['site', { kind: 'echo', status: 200, contentType: 'text/html' }],
		['site', { kind: 'echo', status: 500, contentType: 'text/html' }],
		['site', { kind: 'reset' }],
		['site', { kind: 'hang' }],
		['site', { kind: 'truncated' }],
		...[200, 307, 400, 401, 403, 404].map((status): [Route, Fault] => [
			'token',
			{ kind: 'echo', status },
		]),
		['token', { kind: 'echo', status: 200, contentType: 'text/html' }],
		['token', { kind: 'status', status: 503, headers: { 'retry-after': '3600' } }],
	];

	describe.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'shows with %s',
		(onError) => {
			it.each(faults)('after a fault on the %s route: %j', async (route, fault) => {
				rig.emulator.fail({ route, fault });
				const runs: unknown[] = [];
				const originalRun = rig.engine.run.bind(rig.engine);
				jest.spyOn(rig.engine, 'run').mockImplementationOnce(async (...parameters) => {
					const run = await originalRun(...parameters);
					runs.push(run);
					return run;
				});

				const output = await rig.run({ options: { timeout: 0.5, maxTries: 1 } }, { onError });
				const test = await rig.engine.testCredential('account');

				expect(output.items.some(({ json }) => !('error' in json))).toBe(false);
				expectNoSecret(JSON.stringify(runs));
				expectNoSecret(inspect([runs, output, test], { depth: Infinity, showHidden: true }));
				expectNoSecret(log.join('\n'));
			});
		},
	);

	it.each([{}, { includeResponseDetails: true }])(
		'shows where a good answer repeats what was sent, with %j',
		async (options) => {
			rig.emulator.fail({ route: 'site', fault: { kind: 'echoBeside' } });
			rig.emulator.changeSite(1001, (site) => ({ ...site, login: [{ password: PASSWORD }] }));

			const { items, error } = await rig.run({ options });

			expect(error).toBeUndefined();
			expect(JSON.stringify(items)).toContain('"siteName":"Storv');
			expect(items).toMatchObject([
				'includeResponseDetails' in options
					? {
							json: {
								headers: { 'x-echoed': expect.stringMatching(/Bearer%20\*{5}%22/) as unknown },
							},
						}
					: { json: { login: [{ password: '*****' }] } },
			]);
			expect(JSON.stringify(items)).toContain('Bearer *****');
			expectNoSecret(JSON.stringify(items));
		},
	);

	it('shows in the log at debug level, which n8n wrote', () => {
		expect(log.join('\n')).toContain('finished with error');
		expectNoSecret(log.join('\n'));
	});

	function expectNoSecret(text: string): void {
		const secrets = [PASSWORD_MARK, ...rig.emulator.tokens.issued];
		expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
	}
});
