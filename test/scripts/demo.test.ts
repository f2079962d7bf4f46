import { Emulator } from '../../emulator/server';
import { SITES } from '../../emulator/sites';
import { startScript } from '../../testbed/command';
import { WITHOUT_ACCOUNT } from './withoutAccount';

// Each test starts a process.
jest.setTimeout(300_000);

const demo = async (siteId: string[] = [], env: NodeJS.ProcessEnv = {}) =>
	await startScript('scripts/demo.ts', siteId, {
		...WITHOUT_ACCOUNT,
		NODE_ENV: 'production',
		...env,
	});

it('npm run demo prints its progress and the items', async () => {
	const { exitCode, stdout, stderr } = await demo();

	expect(JSON.parse(stdout)).toEqual([SITES[0]]);
	expect(stderr.trim().split('\n')).toEqual([
		expect.stringMatching(/^• Started the emulated service at http:\/\/127\.0\.0\.1:\d+$/),
		"• Loaded the built package with n8n's own loader",
		"• Running examples/get-a-site.json with n8n's engine",
		'• The node "Get Site" has returned 1 item(s):',
	]);
	expect(exitCode).toBe(0);
});

it('npm run demo reads the service in the environment', async () => {
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
});

it('npm run demo fails with the error of the node for an unknown site', async () => {
	const { exitCode, stdout, stderr } = await demo(['9']);

	expect(stderr).toMatch(/✗ The service does not know site 9\n {2}Check the site ID/);
	expect(stderr).not.toMatch(/\n {4}at /);
	expect([exitCode, stdout]).toEqual([1, '']);
});
