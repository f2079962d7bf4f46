import type { IDataObject } from 'n8n-workflow';
import { generate } from 'selfsigned';
import { ForwardProxy } from '../../testbed/engine/forwardProxy';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import type { Fault } from '../../emulator/faults';
import { Harness, useHarness, type NodeSettings } from '../../testbed/engine/harness';

const OTHER_ADDRESS = /^The request goes to an address that this credential is not for/;

describe('the HTTP Request node with this credential', () => {
	const harness = useHarness();
	const elsewhere = useHarness();

	const run = async (parameters: IDataObject, settings: NodeSettings = {}, from = harness) =>
		await from.run(
			{ headers: {}, ...parameters },
			{ type: 'n8n-nodes-base.httpRequest', ...settings },
		);
	const send = async (url: string, headers: IDataObject = {}, count = 1) =>
		await run({ url, headers }, { input: Array.from({ length: count }, () => ({})) });
	const feed = () => `${harness.emulator.baseUrl}/data/feed`;
	const logins = () => harness.emulator.journal.count('token');

	it('signs requests to any endpoint, with one login', async () => {
		const address = `${harness.emulator.baseUrl}/data/feed?from=2026-01-01`;
		const { items, error } = await send(address, {}, 20);

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual(
			Array(20).fill({ path: '/data/feed?from=2026-01-01' }),
		);
		expect(harness.emulator.journal.count('token')).toBe(1);
		const signed = harness.emulator.journal.of('other').map(({ headers }) => headers);
		expect(new Set(signed.map(({ authorization }) => authorization)).size).toBe(1);
		expect(signed[0]).toMatchObject({
			authorization: expect.stringMatching(/^Bearer \S+$/) as unknown,
			'service-version': '2023-01-01',
		});
	});

	it.each([404, 429, 401])('logs in once after many failures with status %d', async (status) => {
		harness.emulator.fail({ route: 'other', fault: { kind: 'status', status } });

		await send(feed(), {}, 60);
		expect(logins()).toBe(1);
		await send(feed(), {}, 60);

		expect(logins()).toBe(2);
		expect(harness.emulator.journal.count('other')).toBe(120);
	});

	describe.each(['POST', 'PUT', 'DELETE'])('a failed %s', (method) => {
		it.each<[string, Fault, string]>([
			['400', { kind: 'status', status: 400 }, '400'],
			['403', { kind: 'status', status: 403 }, '403'],
			['500', { kind: 'status', status: 500 }, '500'],
			['an answer too late', { kind: 'hang' }, 'ECONNABORTED'],
			['an answer that breaks off', { kind: 'reset' }, 'ECONNRESET'],
		])('is not retried, and shows its error: %s', async (_name, fault, shown) => {
			harness.emulator.fail({ route: 'other', fault });

			const { error } = await run({
				url: feed(),
				options: { method, body: { a: 1 }, timeout: 300 },
			});

			expect(error?.httpCode).toBe(shown);
			expect(harness.emulator.journal.requests.map(({ route }) => route)).toEqual([
				'token',
				'other',
			]);
		});
	});

	it.each([false, true])(
		'fails once after a revocation, then uses a new token (newer helper: %p)',
		async (newerHelper) => {
			await run({ url: feed(), newerHelper });
			harness.emulator.tokens.revokeAll();

			const { error } = await run({ url: feed(), newerHelper });
			const { items } = await run({ url: feed(), newerHelper });

			expect(`${error?.message} ${error?.httpCode}`).toContain('401');
			expect(items.map(({ json }) => json)).toEqual([{ path: '/data/feed' }]);
			expect(harness.emulator.journal.count('other')).toBe(3);
			expect(logins()).toBe(2);
		},
	);

	it('retries with a new token with Retry On Fail', async () => {
		await run({ url: feed() });
		harness.emulator.tokens.revokeAll();

		const { items } = await run({ url: feed() }, { retryOnFail: true });

		expect(items.map(({ json }) => json)).toEqual([{ path: '/data/feed' }]);
		expect(logins()).toBe(2);
	});

	it('keeps the token of other nodes after a failure', async () => {
		await run({ url: `${harness.emulator.baseUrl}/meta/sites/4040` });

		const { items } = await harness.run({ siteId: '1001' });

		expect(items).toHaveLength(1);
		expect(logins()).toBe(1);
	});

	it("shows a 401 and does not retry with n8n's newer helper", async () => {
		harness.emulator.fail({ route: 'other', fault: { kind: 'status', status: 401 } });

		const { error } = await run({ url: feed(), newerHelper: true, options: { method: 'POST' } });

		expect(error).toMatchObject({
			message: 'The service rejected the request (status 401)',
			description: expect.stringContaining('Retry On Fail') as unknown,
		});
		expect(harness.emulator.journal.count('other')).toBe(1);
	});

	it.each([false, true])(
		'does not send a token from the credential (newer helper: %p)',
		async (newerHelper) => {
			harness.credential.accessToken = 'from-elsewhere';

			const { items: sites } = await harness.run({ siteId: '1001' });
			const { items, error } = await run({ url: feed(), newerHelper });

			expect(error).toBeUndefined();
			expect([sites.length, items.map(({ json }) => json)]).toEqual([1, [{ path: '/data/feed' }]]);
			expect(JSON.stringify(harness.emulator.journal.requests)).not.toContain('from-elsewhere');
		},
	);

	it("keeps the user's headers and version, but not connection headers", async () => {
		const headers = { 'service-version': '2031-01-01', Host: 'example.com', TE: 'example.com' };

		await send(`${harness.emulator.baseUrl}/data/feed`, headers);

		const received = harness.emulator.journal.of('other')[0]?.headers ?? {};
		expect(received).toMatchObject({
			'service-version': '2031-01-01',
			host: new URL(harness.emulator.baseUrl).host,
		});
		expect(Object.values(received)).not.toContain('example.com');
	});

	describe('as time passes', () => {
		const { settle, advance } = useFakeTime();

		it('logs in at most seven times in an hour of 404s', async () => {
			harness.emulator.fail({ route: 'other', fault: { kind: 'status', status: 404 } });

			for (let minute = 0; minute < 60; minute += 1) {
				await settle(run({ url: feed() }));
				await advance(60_000);
			}

			expect(logins()).toBeLessThanOrEqual(7);
			expect(harness.emulator.journal.count('other')).toBe(60);
		});

		it('sends waiting items with a new token after a revocation', async () => {
			harness.credential.requestsPerMinute = 100;
			const running = run({ url: feed() }, { input: Array(150).fill({}) });
			setTimeout(() => harness.emulator.tokens.revokeAll(), 61_000);
			await settle(running);

			const answers = harness.emulator.journal.of('other').map(({ status }) => status);
			expect(answers).toHaveLength(150);
			expect(answers.filter((status) => status === 401).length).toBeLessThan(20);
			expect(logins()).toBe(2);
		});

		it('replaces a token of unknown lifetime after an hour with Never Error', async () => {
			Object.assign(harness.emulator.tokens.settings, { opaque: true, announcedLifetime: null });
			const neverError = async () => {
				const options = { simple: false, resolveWithFullResponse: true };
				return (await settle(run({ url: feed(), options }))).items[0]?.json.statusCode;
			};
			await neverError();
			harness.emulator.tokens.revokeAll();

			expect(await neverError()).toBe(401);
			await advance(60 * 60_000);
			expect(await neverError()).toBe(200);
		});
	});

	it('does not follow redirects', async () => {
		const location = `${elsewhere.emulator.baseUrl}/data/feed`;
		harness.emulator.fail({
			route: 'site',
			fault: { kind: 'status', status: 302, headers: { location } },
		});

		const { error } = await send(`${harness.emulator.baseUrl}/meta/sites/1001`);

		expect(error).toBeDefined();
		expect(elsewhere.emulator.journal.requests).toEqual([]);
	});

	it.each<[string, (host: string, other: string) => string]>([
		['another port', (_host, other) => `http://${other}/x`],
		['a backslash before the own host', (host, other) => `http://${other}\\@${host}/x`],
		['a user name before the own host', (host) => `http://me:pw@${host}/x`],
	])('refuses %s, and sends only a login', async (_name, addressOf) => {
		const [host, other] = [harness, elsewhere].map(
			({ emulator }) => new URL(emulator.baseUrl).host,
		);

		const { error } = await send(addressOf(String(host), String(other)));

		expect(error?.message).toMatch(OTHER_ADDRESS);
		expect(elsewhere.emulator.journal.requests).toEqual([]);
		// n8n calls for a token before it passes the address.
		expect(harness.emulator.journal.requests.map(({ route }) => route)).toEqual(['token']);
	});
});

it('the HTTP Request node ignores the proxy of its options', async () => {
	const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }]);
	const harness = await Harness.start({ tls: { key, cert } });
	const proxy = await ForwardProxy.start({ key, cert });
	const { journal, baseUrl } = harness.emulator;
	const send = async () =>
		await harness.run(
			{
				url: `${baseUrl}/data/feed`,
				headers: {},
				options: { proxy: proxy.url, rejectUnauthorized: false },
			},
			{ type: 'n8n-nodes-base.httpRequest' },
		);

	harness.setCredential({ allowUnauthorizedCerts: true });
	await expect(send()).resolves.toMatchObject({ items: [{ json: { path: '/data/feed' } }] });
	harness.credential.allowUnauthorizedCerts = false;
	await expect(send()).resolves.toMatchObject({
		error: {
			message: 'The certificate of the service is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)',
		},
	});

	expect(proxy.received).toBe('');
	expect(journal.count('other')).toBe(1);
	await harness.stop();
	await proxy.stop();
});
