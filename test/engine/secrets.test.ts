import { inspect } from 'node:util';
import type { Fault, Route } from '../../emulator/faults';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import {
	DISTINCT_REQUESTS,
	distinctItems,
	NODE,
	useHarness,
	buildWorkflow,
	statusFault,
} from '../../testbed/engine/harness';

const PASSWORD = 'plainmark4711 "\\ ø {{ 1 }} $&';
/** No escaping changes this part. */
const PASSWORD_MARK = 'plainmark4711';

describe('secrets', () => {
	const { settle } = useFakeTime();

	const harness = useHarness();
	beforeEach(() => {
		const { username } = harness.setCredential({ password: PASSWORD });
		harness.emulator.settings.accounts[username] = PASSWORD;
	});

	const log = () => inspect(harness.engine.log, { depth: Infinity, maxArrayLength: Infinity });
	const echo = (route: Route, status: number, contentType?: string): [Route, Fault] => [
		route,
		{ kind: 'echo', status, ...(contentType !== undefined && { contentType }) },
	];
	const faults: Array<[Route, Fault]> = [
		...[302, 400, 401, 403, 404, 500, 200].map((status) => echo('site', status)),
		...[200, 500].map((status) => echo('site', status, 'text/html')),
		['site', { kind: 'reset' }],
		['site', { kind: 'hang' }],
		['site', { kind: 'truncated' }],
		...[200, 307, 400, 401, 403, 404].map((status) => echo('token', status)),
		echo('token', 200, 'text/html'),
		['token', statusFault(503, 3600)],
	];

	/** The texts of all settings are made in one place; with Continue, they are in the items, too. */
	it.each([
		...faults.map((fault) => ['continueRegularOutput', ...fault] as const),
		...(['stopWorkflow', 'continueErrorOutput'] as const).flatMap((onError) => [
			[onError, ...echo('site', 400)] as const,
			[onError, ...echo('token', 401)] as const,
		]),
	])('do not appear with %s after a fault on the %s route: %j', async (onError, route, fault) => {
		harness.emulator.fail({ route, fault });

		const run = await settle(harness.engine.run(buildWorkflow({}, { onError })));
		const test = await settle(harness.engine.testCredential('account'));

		const output = run.data.resultData.runData[NODE]?.[0]?.data?.main?.flat() ?? [];
		expect(output.filter((item) => !item?.json.error)).toEqual([]);
		expect([run.data.resultData.error, ...output.map((item) => item?.json.error)]).not.toEqual([
			undefined,
		]);
		expectNoSecret(JSON.stringify(run));
		expectNoSecret(inspect([run, test], { depth: Infinity, showHidden: true }));
		expect(log()).toContain(' finished');
		expectNoSecret(log());
	});

	it('are masked in a good answer that repeats the token', async () => {
		harness.emulator.fail({ route: 'site', fault: { kind: 'echoBeside' } });
		const { username } = harness.setCredential({ password: 'Storvågen' });
		harness.emulator.settings.accounts[username] = 'Storvågen';

		const plain = await harness.run();
		const detailed = await harness.run({ options: { includeResponseDetails: true } });

		const shown = JSON.stringify([plain.items, detailed.items]);
		expect(plain.items).toMatchObject([{ json: { siteName: 'Storvågen' } }]);
		expect(detailed.items).toMatchObject([
			{ json: { headers: { 'x-echoed': expect.stringMatching(/Bearer%20\*{5}%22/) as unknown } } },
		]);
		expect(shown).toContain('Bearer *****');
		expectNoSecret(shown);
	});

	it("do not appear in the package's debug log of logins, 429s and retries", async () => {
		harness.failSites(429, { retryAfter: 7, times: 1 });
		harness.failSites(401, { times: 1 });
		harness.failSites(503, { times: 1 });

		expect(await settle(harness.run())).toMatchObject({ items: [{ json: { siteId: 1001 } }] });
		harness.setCredential({ password: 'wrong' });
		await settle(harness.run());

		const told = harness.engine.log.filter(({ message }) => message.startsWith('Aquaculture: '));
		const account = 'st***';
		const anyMs = expect.any(Number) as number;
		const reason = 'The service could not answer the request for site 1001 (status 503)';
		expect(told.map(({ message, details }) => [message.slice(13), details])).toMatchObject([
			['Logged in', { account, tookMs: anyMs }],
			[
				'Rate limited (429), so nothing is sent for now',
				{ account, resumesInMs: 60_000, retryAfterMs: 7000 },
			],
			['Sending a request again', { account, document: 'site 1001', reason: '401', waitMs: 0 }],
			['Logged in', { account }],
			['Sending a request again', { document: 'site 1001', reason, waitMs: anyMs }],
			['Login failed', { failed: 'The service refused the username and password' }],
		]);
		expect(told.filter(({ level }) => level !== 'debug')).toEqual([]);
		expectNoSecret(log());
	});

	it('the log has one line for twenty simultaneous 429s', async () => {
		// The limiter lets as many requests be in flight as were accepted before.
		await settle(harness.run(DISTINCT_REQUESTS, { input: distinctItems(20) }));
		harness.failSites(429, { times: 20 });

		const { items } = await settle(harness.run(DISTINCT_REQUESTS, { input: distinctItems(20) }));

		expect(items).toHaveLength(20);
		const told = harness.engine
			.logMessages('debug')
			.filter((message) => message.includes('Rate limited'));
		expect(told).toHaveLength(1);
	});

	function expectNoSecret(text: string): void {
		const secrets = [PASSWORD_MARK, ...harness.emulator.tokens.issued];
		expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
	}
});
