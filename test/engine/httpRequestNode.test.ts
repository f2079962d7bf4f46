import type { IDataObject } from 'n8n-workflow';
import { generate } from 'selfsigned';
import { ForwardProxy } from '../../testbed/engine/forwardProxy';
import { Rig } from '../../testbed/engine/rig';

const OTHER_ADDRESS = /^This credential is for http:\/\/127\.0\.0\.1:\d+ only/;

describe('the HTTP Request node with this credential', () => {
	let rig: Rig;
	let elsewhere: Rig;

	beforeAll(async () => {
		rig = await Rig.start();
		elsewhere = await Rig.start();
	});
	afterAll(async () => {
		await rig.stop();
		await elsewhere.stop();
	});
	beforeEach(() => {
		rig.emulator.reset();
		elsewhere.emulator.reset();
		rig.setCredential();
	});

	const send = async (url: string, headers: IDataObject = {}, count = 1) =>
		await rig.run(
			{ url, headers },
			{ type: 'n8n-nodes-base.httpRequest', input: Array.from({ length: count }, () => ({})) },
		);

	it('signs requests to an endpoint that the node does not know, with one exchange for many', async () => {
		const address = `${rig.emulator.baseUrl}/data/feed?from=2026-01-01`;
		const { items, error } = await send(address, {}, 20);

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual(
			Array(20).fill({ path: '/data/feed?from=2026-01-01' }),
		);
		expect(rig.emulator.journal.count('token')).toBe(1);
		expect(rig.emulator.journal.of('other')[0]?.headers).toMatchObject({
			authorization: `Bearer ${String(rig.credential.accessToken)}`,
			'service-version': '2023-01-01',
		});
	});

	it('stays few exchanges where the endpoint does not exist', async () => {
		rig.emulator.fail({ route: 'site', fault: { kind: 'status', status: 404 } });

		await send(`${rig.emulator.baseUrl}/meta/sites/1`, {}, 20);

		expect(rig.emulator.journal.count('token')).toBeLessThanOrEqual(2);
	});

	it.each([
		['service-version', '2031-01-01'],
		['Accept', 'text/csv'],
		['authorization', 'Basic mine'],
	])('a header %s that the user has set wins', async (name, value) => {
		await send(`${rig.emulator.baseUrl}/data/feed`, { [name]: value });

		expect(rig.emulator.journal.of('other')[0]?.headers[name.toLowerCase()]).toBe(value);
	});

	it.each(['Host', 'Proxy-Authorization', 'TE'])('a header %s is not sent', async (name) => {
		const { error } = await send(`${rig.emulator.baseUrl}/data/feed`, { [name]: 'example.com' });

		expect(error).toBeUndefined();
		const [received] = rig.emulator.journal.of('other');
		expect(received?.headers.host).toBe(new URL(rig.emulator.baseUrl).host);
		expect(Object.values(received?.headers ?? {})).not.toContain('example.com');
	});

	it('replaces its own token when the request is sent again', async () => {
		await send(`${rig.emulator.baseUrl}/data/feed`);
		rig.emulator.tokens.revokeAll();

		const { error } = await send(`${rig.emulator.baseUrl}/data/feed`);

		expect(error).toBeUndefined();
		expect(rig.emulator.journal.of('other').map(({ status }) => status)).toEqual([200, 401, 200]);
	});

	it('sends all requests again that were under way when the token was revoked, with one exchange', async () => {
		const address = `${rig.emulator.baseUrl}/data/feed`;
		await send(address);
		rig.emulator.tokens.revokeAll();

		const { items, error } = await send(address, {}, 20);

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual(Array(20).fill({ path: '/data/feed' }));
		expect(rig.emulator.journal.count('token')).toBe(2);
	});

	it('does not follow a redirect with the token', async () => {
		const location = `${elsewhere.emulator.baseUrl}/data/feed`;
		rig.emulator.fail({
			route: 'site',
			fault: { kind: 'status', status: 302, headers: { location } },
		});

		const { error } = await send(`${rig.emulator.baseUrl}/meta/sites/1001`);

		expect(error).toBeDefined();
		expect(elsewhere.emulator.journal.requests).toEqual([]);
	});

	describe('refuses another address before anything is sent there', () => {
		const port = () => new URL(elsewhere.emulator.baseUrl).port;
		const ownPort = () => new URL(rig.emulator.baseUrl).port;

		it.each<[string, () => string]>([
			['another port', () => `http://127.0.0.1:${port()}/x`],
			['another scheme', () => `https://127.0.0.1:${ownPort()}/x`],
			['another host', () => `http://localhost:${ownPort()}/x`],
			['another spelling of the host', () => `http://127.0.0.1.:${ownPort()}.nip.example/x`],
			['a trailing dot', () => `http://localhost.:${ownPort()}/x`],
			['the own host as user name', () => `http://127.0.0.1:${ownPort()}@127.0.0.1:${port()}/x`],
			['a user name before the own host', () => `http://me:pw@127.0.0.1:${ownPort()}/x`],
			['a backslash', () => `http://127.0.0.1:${port()}\\@127.0.0.1:${ownPort()}/x`],
			['no scheme', () => `//127.0.0.1:${port()}/x`],
			['an encoded host', () => `http://%31%32%37.0.0.1:${port()}/x`],
			['upper case', () => `HTTP://LOCALHOST:${port()}/x`],
			['nothing', () => ' '],
		])('%s', async (_name, url) => {
			const { error } = await send(url());

			expect(error?.message).toMatch(OTHER_ADDRESS);
			expect(elsewhere.emulator.journal.requests).toEqual([]);
			expect(rig.emulator.journal.count('other')).toBe(0);
		});

		it.each<[string, () => string]>([
			['the own host as a number', () => `http://2130706433:${ownPort()}/x`],
			['the own address in upper case', () => `HTTP://127.0.0.1:${ownPort()}/x`],
			['the own host, encoded', () => `http://%31%32%37.0.0.1:${ownPort()}/x`],
		])('but not %s', async (_name, url) => {
			const { error } = await send(url());

			expect(error).toBeUndefined();
			expect(rig.emulator.journal.of('other').map((request) => request.url)).toEqual(['/x']);
		});
	});
});

describe.each(['HTTP', 'HTTPS'])('a proxy that the HTTP Request node names, over %s', (scheme) => {
	let rig: Rig;
	let proxy: ForwardProxy;

	beforeAll(async () => {
		const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }]);
		rig = await Rig.start(scheme === 'HTTPS' ? { tls: { key, cert } } : {});
		proxy = await ForwardProxy.start({ key, cert });
	});
	afterAll(async () => {
		await rig.stop();
		await proxy.stop();
	});
	beforeEach(() => {
		rig.emulator.reset();
		proxy.received = '';
	});

	const send = async () =>
		await rig.run(
			{
				url: `${rig.emulator.baseUrl}/data/feed`,
				headers: {},
				options: { proxy: proxy.url, rejectUnauthorized: false },
			},
			{ type: 'n8n-nodes-base.httpRequest' },
		);

	it('gets nothing to read, and the request goes to the service itself', async () => {
		rig.setCredential({ allowUnauthorizedCerts: true });

		const { error, items } = await send();

		expect(error).toBeUndefined();
		expect(items).toMatchObject([{ json: { path: '/data/feed' } }]);
		expect(proxy.received).toBe('');
	});

	it('gets nothing to read either where the credential has certificates checked', async () => {
		rig.setCredential({ allowUnauthorizedCerts: true });
		await rig.run();
		rig.credential.allowUnauthorizedCerts = false;

		await send();

		expect(proxy.received).toBe('');
		expect(rig.emulator.journal.count('other')).toBe(scheme === 'HTTPS' ? 0 : 1);
	});
});
