import { Emulator } from '../../emulator/server';
import { SITES } from '../../emulator/sites';
import { startScript } from '../../testbed/command';
import { WITHOUT_ACCOUNT } from './withoutAccount';

const demo = async (siteId: string[] = [], env: NodeJS.ProcessEnv = {}) =>
	await startScript('scripts/demo.ts', siteId, {
		...WITHOUT_ACCOUNT,
		NODE_ENV: 'production',
		...env,
	});

/** The address and the username of an account, without its password. */
const HALF = {
	AQUACULTURE_BASE_URL: 'https://data.example.com',
	AQUACULTURE_USERNAME: 'me',
};

it('npm run demo prints the items that the workflow returns, and says what it does', async () => {
	const { exitCode, stdout, stderr } = await demo();

	expect(JSON.parse(stdout)).toEqual([SITES[0]]);
	expect(stderr.trim().split('\n')).toEqual([
		expect.stringMatching(/^• Started the emulated service at http:\/\/127\.0\.0\.1:\d+$/),
		"• Loaded the built package with n8n's own loader",
		"• Running examples/get-a-site.json with n8n's engine",
		'• The node "Get Site" has returned 1 item(s):',
	]);
	expect(exitCode).toBe(0);
}, 30_000);

it('npm run demo reads the service that the environment names', async () => {
	const emulator = await Emulator.start({
		accounts: { me: 'mine' },
		versionHeader: 'Fish-Version',
	});

	const { exitCode, stdout } = await demo(['1011'], {
		AQUACULTURE_BASE_URL: emulator.baseUrl,
		AQUACULTURE_USERNAME: 'me',
		AQUACULTURE_PASSWORD: 'mine',
		AQUACULTURE_VERSION_HEADER: 'Fish-Version',
	});

	expect([exitCode, JSON.parse(stdout)]).toEqual([0, [SITES[10]]]);
	await emulator.stop();
}, 30_000);

it.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
	['an unknown site', ['9'], {}, /✗ The service does not know site 9\n {2}Check the site ID/],
	['two site IDs', ['1', '2'], {}, /✗ Give one site ID/],
	['half an account', ['1'], HALF, /✗ To read the real service, set AQUACULTURE_PASSWORD too/],
	[
		'an account without a site ID',
		[],
		{ ...HALF, AQUACULTURE_PASSWORD: 'mine' },
		/✗ To read the real service, give a site ID/,
	],
])(
	'npm run demo ends with a sentence for %s',
	async (_name, siteId, env, sentence) => {
		const { exitCode, stdout, stderr } = await demo(siteId, env);

		expect(stderr).toMatch(sentence);
		expect(stderr).not.toMatch(/\n {4}at /);
		expect([exitCode, stdout]).toEqual([1, '']);
	},
	30_000,
);
