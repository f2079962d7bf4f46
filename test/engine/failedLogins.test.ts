import type { Fault } from '../../emulator/faults';
import { makeSites } from '../../emulator/sites';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import { useHarness, type Output } from '../../testbed/engine/harness';

const REFUSED = 'The service refused the login (status %)';
const NEXT_LOGIN = /Until a login succeeds, n8n waits longer between logins/;

describe('a failed login', () => {
	const { settle, advance } = useFakeTime();

	const harness = useHarness();

	const status = (code: number, body = ''): Fault => ({ kind: 'status', status: code, body });

	it.each<[Fault, string, RegExp]>([
		...['', '{"traceId":"00-1"}', '{"error":"invalid_grant"}'].map(
			(body): [Fault, string, RegExp] => [
				status(401, body),
				'The service refused the username and password',
				/^Correct 'Username' and/,
			],
		),
		[
			status(403),
			'The service does not let this account log in',
			/^Ask the operator of the service whether the account may use this interface, and check 'Username'/,
		],
		...[
			...[400, 401, 403].map((code) => status(code, '<html>')),
			...[401, 403].map((code) => status(code, '{"detail":"denied"}')),
		].map((fault): [Fault, string, RegExp] => [
			fault,
			'The login was refused (status %), but perhaps not by the service',
			/^Check 'Base URL' in the credential, then 'Username' and 'Password': the answer from http:/,
		]),
		[
			status(400),
			REFUSED,
			/^'Version Header Name' is still the placeholder Service-Version\. Enter /,
		],
		[status(422), REFUSED, /^Check 'Base URL', 'Version Header Name', 'Token Request Version', /],
		[
			status(422, '{"message":"Version unknown"}'),
			REFUSED,
			/^'Version Header Name' is still .+, then check .+\nUntil .+\nThe service says: "Version unknown"\./,
		],
	])('that is refused says what to check: %j', async (fault, message, description) => {
		harness.emulator.fail({ route: 'token', fault });

		const { error } = await settle(harness.run());

		expect(error?.message).toBe(message.replace('%', String(Object(fault).status)));
		expect(error?.description).toMatch(description);
		expect(error?.description).toMatch(NEXT_LOGIN);
	});

	it.each<[Fault, string, RegExp]>([
		[status(404), 'The service has no login at this address', /^Check 'Base URL' .*\nIt is http/],
		[status(501), 'The service could not answer the login (status 501)', /operator/],
		[status(407), 'A proxy between n8n and the service requires a login', /HTTPS_PROXY/],
		[{ kind: 'body', body: '<p>' }, 'The answer to the login is a web page', /'Base URL'/],
		[
			{ kind: 'body', body: '{}' },
			'The answer to the login contains no usable token',
			/'Base URL'/,
		],
	])('that cannot lock the account says what to check: %j', async (fault, message, description) => {
		harness.emulator.fail({ route: 'token', fault });

		const { error } = await settle(harness.run());

		expect(error?.message).toBe(message);
		expect(error?.description).toMatch(description);
		expect(error?.description).not.toMatch(NEXT_LOGIN);
	});

	it.each([
		[401, 30],
		[404, 5],
	])('with status %d delays the next one by %d seconds', async (code, seconds) => {
		harness.emulator.fail({ route: 'token', fault: status(code) });
		const logins = [];
		for (const pause of [0, seconds - 2, 3]) {
			await advance(pause * 1000);
			await settle(harness.run());
			logins.push(harness.emulator.journal.count('token'));
		}

		expect(logins).toEqual([1, 1, 2]);
	});
});

describe('failing logins', () => {
	const SITES = makeSites(200);
	const { settle } = useFakeTime();
	const harness = useHarness({ sites: SITES });
	const UNAVAILABLE = { kind: 'status', status: 503 } as const;

	const fetchAll = async (count = 30) => {
		const siteIds = SITES.slice(0, count).map(({ siteId }) => siteId);
		return await settle(harness.getMany(siteIds, { onError: 'continueRegularOutput' }));
	};
	const errorsOf = ({ items }: Output) =>
		items.flatMap(({ json }) => (json.error === undefined ? [] : [json]));

	it.each<[string, Fault]>([
		['fail', UNAVAILABLE],
		['hang', { kind: 'hang' }],
	])(
		'leave the old token to the other sites when one is answered with 401 (logins %s)',
		async (_what, fault) => {
			await settle(harness.run({ siteId: '5001' }));
			harness.emulator.fail({ route: 'token', fault });
			harness.failSites(401, { siteId: 5015 });

			for (let count = 0; count < 3; count++) {
				const errors = errorsOf(await fetchAll());
				expect(errors).toMatchObject([
					{
						description: expect.stringContaining(
							'n8n tried to log in because the service rejected the request with status 401.',
						) as unknown,
					},
				]);
			}
		},
	);

	it('end the execution if they are refused, although others could use the old token', async () => {
		await settle(harness.run({ siteId: '5001' }));
		harness.emulator.fail({ route: 'token', fault: { kind: 'status', status: 401 } });
		harness.failSites(401, { siteId: 5001 });
		harness.emulator.settings.latencyMs = 1000;

		const errors = errorsOf(await fetchAll());

		expect(errors.length).toBeGreaterThan(1);
		expect(new Set(errors.map(({ error }) => error))).toEqual(
			new Set(['The service refused the username and password']),
		);
	});

	it.each<[number, Fault]>([
		[1, { ...UNAVAILABLE, headers: { 'retry-after': '3600' } }],
		[3, { kind: 'hang' }],
	])('are sent %i times within a minute: %j', async (count, fault) => {
		harness.emulator.fail({ route: 'token', fault });
		const beganAt = Date.now();

		await settle(harness.run({ siteId: '5001' }));

		expect(Date.now() - beganAt).toBeLessThan(61_000);
		expect(harness.emulator.journal.count('token')).toBe(count);
	});

	it.each<[string, Fault]>([
		['answered with 500', { kind: 'status', status: 500 }],
		['answered with 503', UNAVAILABLE],
		['answered with a web page', { kind: 'body', body: '<p>' }],
		['reset', { kind: 'reset' }],
	])('that are %s cost at most twenty requests if 200 sites answer 401', async (_what, fault) => {
		harness.credential.requestsPerMinute = 100;
		await settle(harness.run({ siteId: '5001' }));
		harness.emulator.fail({ route: 'token', fault });
		harness.emulator.tokens.revokeAll();

		const messages = errorsOf(await fetchAll(200)).map(({ error }) => error);

		expect(messages).toEqual(Array(200).fill(expect.stringMatching(/login|connection/)));
		expect(new Set(messages).size).toBe(1);
		expect(harness.emulator.journal.of('site').length).toBeLessThanOrEqual(1 + 20);
	});

	it('of a credential test are not those of an execution that waited for it', async () => {
		harness.emulator.settings.latencyMs = 1000;
		harness.emulator.fail({ route: 'token', fault: UNAVAILABLE, times: 1 });
		const test = harness.engine.testCredential('account');

		const { items } = await settle(harness.run({ siteId: '5001' }));

		expect((await test).status).toBe('Error');
		expect(items).toMatchObject([{ json: { siteId: 5001 } }]);
	});
});

describe('a wrong version header, address or password', () => {
	const harness = useHarness();
	const answer = (route: 'token' | 'site', status: number, more: object = {}) =>
		harness.emulator.fail({ route, fault: { kind: 'status', status, ...more } });

	it.each([
		['X-Version', 'The version is unknown', /^Check 'Version Header Name' and 'Token Request/],
		['X-Version', 'Bad request', /^Check 'Base URL', 'Version Header Name', 'Token Request/],
	])(
		'with the version header %s and the answer %j, the login failure names the fields to check',
		async (versionHeader, message, description) => {
			harness.setCredential({ versionHeader });
			answer('token', 400, { body: JSON.stringify({ message }) });

			await expect(harness.run()).resolves.toMatchObject({
				error: { description: expect.stringMatching(description) as unknown },
			});
		},
	);

	it('an error with status 200 shows the message and trace ID of the service', async () => {
		const body = JSON.stringify({ code: 'busy', message: 'Try later', traceId: 'trace' });
		answer('site', 200, { body });
		const description = expect.stringMatching(
			/The service says: "Try later"\.\nTrace ID for the operator: trace\.$/,
		) as unknown;
		await expect(harness.run()).resolves.toMatchObject({ error: { description } });

		harness.setCredential();
		answer('token', 200, { body });
		const message = 'The answer to the login contains no usable token';
		await expect(harness.run()).resolves.toMatchObject({ error: { message, description } });
	});

	it.each([
		['sec\u200bret', 'contains an invisible character'],
		[' secret', 'begins with a space'],
		['sec\u200bret\n', 'ends with a space and contains an invisible character'],
	])('says what nobody sees of a refused password, sent unchanged: %j', async (password, seen) => {
		harness.setCredential({ password });

		const { error } = await harness.run();

		expect(error?.description?.split('\n')[0]).toBe(
			`Correct 'Username' and 'Password' in the credential: the password ${seen}.`,
		);
		expect(JSON.parse(harness.emulator.journal.of('token')[0]?.body ?? '')).toMatchObject({
			password,
		});
	});
});
