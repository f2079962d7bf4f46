import { Emulator } from '../../emulator/server';
import { SITES } from '../../emulator/sites';
import { startScript } from '../../testbed/command';

async function demo(siteId: string[] = [], env: NodeJS.ProcessEnv = {}) {
	const { exitCode, stdout, stderr } = await startScript('scripts/demo.ts', siteId, {
		...WITHOUT_ACCOUNT,
		NODE_ENV: 'production',
		...env,
	});
	return { code: exitCode, out: stdout, told: stderr };
}

/** The account of whoever runs the tests is none of their business. */
const WITHOUT_ACCOUNT = Object.fromEntries(
	Object.keys(process.env)
		.filter((name) => name.startsWith('AQUACULTURE_'))
		.map((name) => [name, undefined]),
);

describe('npm run demo', () => {
	it('prints the items that the workflow puts out, and says what it does', async () => {
		const { code, out, told } = await demo();

		expect(JSON.parse(out)).toEqual([SITES[0]]);
		expect(told.trim().split('\n')).toEqual([
			expect.stringMatching(/^• Started the emulated service at http:\/\/127\.0\.0\.1:\d+$/),
			"• Loaded the built package with n8n's own loader",
			"• Running examples/get-a-site.json with n8n's engine",
			'• The node "Get Site" has put out 1 item(s):',
		]);
		expect(code).toBe(0);
	}, 30_000);

	it('reads the service that the environment names', async () => {
		const emulator = await Emulator.start({
			accounts: { me: 'mine' },
			versionHeader: 'Fish-Version',
		});

		const { code, out } = await demo(['1011'], {
			AQUACULTURE_BASE_URL: emulator.baseUrl,
			AQUACULTURE_USERNAME: 'me',
			AQUACULTURE_PASSWORD: 'mine',
			AQUACULTURE_VERSION_HEADER: 'Fish-Version',
		});

		expect([code, JSON.parse(out)]).toEqual([0, [SITES[10]]]);
		await emulator.stop();
	}, 30_000);

	it.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
		['an unknown site', ['9'], {}, /✗ The service does not know site 9\n {2}Check the site ID/],
		['two site IDs', ['1', '2'], {}, /✗ Give one site ID/],
		['no number', ['x'], {}, /✗ 'Site' is not a whole number: "x"/],
		[
			'half an account',
			['1'],
			{ AQUACULTURE_BASE_URL: 'https://data.example.com', AQUACULTURE_USERNAME: 'me' },
			/✗ To read the real service, set AQUACULTURE_PASSWORD too/,
		],
		[
			'an account without a site ID',
			[],
			{
				AQUACULTURE_BASE_URL: 'https://data.example.com',
				AQUACULTURE_USERNAME: 'me',
				AQUACULTURE_PASSWORD: 'mine',
			},
			/✗ To read the real service, give a site ID/,
		],
	])(
		'ends with a sentence for %s',
		async (_name, siteId, env, sentence) => {
			const { code, out, told } = await demo(siteId, env);

			expect(told).toMatch(sentence);
			expect(told).not.toMatch(/\n {4}at /);
			expect([code, out]).toEqual([1, '']);
		},
		30_000,
	);
});
