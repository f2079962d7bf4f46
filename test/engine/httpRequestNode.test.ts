import type { IDataObject } from 'n8n-workflow';
import { generate } from 'selfsigned';
import { ForwardProxy } from '../../testbed/engine/forwardProxy';
import { jumpingTime } from '../../testbed/engine/jumpingTime';
import { Rig, rigPerTest } from '../../testbed/engine/rig';

const OTHER_ADDRESS = /^This credential is for http:\/\/127\.0\.0\.1:\d+ only/;

describe('the HTTP Request node with this credential', () => {
	let rig: Rig;
	let elsewhere: Rig;

	rigPerTest((started) => {
		rig = started;
	});
	rigPerTest((started) => {
		elsewhere = started;
	});

	const send = async (url: string, headers: IDataObject = {}, count = 1, from = rig) =>
		await from.run(
			{ url, headers },
			{ type: 'n8n-nodes-base.httpRequest', input: Array.from({ length: count }, () => ({})) },
		);

	it('the HTTP Request node signs requests to any endpoint, with one login for many', async () => {
		const address = `${rig.emulator.baseUrl}/data/feed?from=2026-01-01`;
		const { items, error } = await send(address, {}, 20);

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual(
			Array(20).fill({ path: '/data/feed?from=2026-01-01' }),
		);
		expect(rig.emulator.journal.count('token')).toBe(1);
		const signed = rig.emulator.journal.of('other').map(({ headers }) => headers);
		expect(new Set(signed.map(({ authorization }) => authorization)).size).toBe(1);
		expect(signed[0]).toMatchObject({
			authorization: expect.stringMatching(/^Bearer \S+$/) as unknown,
			'service-version': '2023-01-01',
		});
	});

	it.each([404, 429, 401])(
		'the HTTP Request node sends no request again if the token is seconds old (status %d)',
		async (status) => {
			rig.emulator.fail({ route: 'site', fault: { kind: 'status', status } });

			await send(`${rig.emulator.baseUrl}/meta/sites/1`, {}, 60);

			expect(rig.emulator.journal.count('token')).toBe(1);
			expect(rig.emulator.journal.count('site')).toBe(60);
		},
	);

	it('the HTTP Request node sends the headers of the user, a version header too, but none about the connection', async () => {
		const headers = { 'service-version': '2031-01-01', Host: 'example.com', TE: 'example.com' };

		await send(`${rig.emulator.baseUrl}/data/feed`, headers);

		const received = rig.emulator.journal.of('other')[0]?.headers ?? {};
		expect(received).toMatchObject({
			'service-version': '2031-01-01',
			host: new URL(rig.emulator.baseUrl).host,
		});
		expect(Object.values(received)).not.toContain('example.com');
	});

	describe('half a minute later', () => {
		const { until, wait } = jumpingTime();

		it('the HTTP Request node sends requests again whose token was revoked, with one login for all', async () => {
			// An account of its own: four logins in half a minute are the most.
			const { baseUrl, journal, tokens } = elsewhere.emulator;
			elsewhere.setCredential();
			const sendThere = async (count: number) =>
				await send(`${baseUrl}/data/feed`, {}, count, elsewhere);
			await until(sendThere(1));
			tokens.revokeAll();
			await wait(31_000);

			const { items, error } = await until(sendThere(20));

			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json)).toEqual(Array(20).fill({ path: '/data/feed' }));
			expect(journal.count('token')).toBe(2);
		});
	});

	it('the HTTP Request node follows no redirect', async () => {
		const location = `${elsewhere.emulator.baseUrl}/data/feed`;
		rig.emulator.fail({
			route: 'site',
			fault: { kind: 'status', status: 302, headers: { location } },
		});

		const { error } = await send(`${rig.emulator.baseUrl}/meta/sites/1001`);

		expect(error).toBeDefined();
		expect(elsewhere.emulator.journal.requests).toEqual([]);
	});

	it.each<[string, (host: string, other: string) => string]>([
		['another port', (_host, other) => `http://${other}/x`],
		['a backslash before the own host', (host, other) => `http://${other}\\@${host}/x`],
		['a user name before the own host', (host) => `http://me:pw@${host}/x`],
	])(
		'the HTTP Request node refuses %s before anything but a login is sent',
		async (_name, addressOf) => {
			const [host, other] = [rig, elsewhere].map(({ emulator }) => new URL(emulator.baseUrl).host);

			const { error } = await send(addressOf(String(host), String(other)));

			expect(error?.message).toMatch(OTHER_ADDRESS);
			expect(elsewhere.emulator.journal.requests).toEqual([]);
			// n8n asks for the login before it shows the address.
			expect(rig.emulator.journal.requests.map(({ route }) => route)).toEqual(['token']);
		},
	);
});

it('a proxy that the HTTP Request node names gets nothing', async () => {
	const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }]);
	const rig = await Rig.start({ tls: { key, cert } });
	const proxy = await ForwardProxy.start({ key, cert });
	const { journal, baseUrl } = rig.emulator;
	const send = async () =>
		await rig.run(
			{
				url: `${baseUrl}/data/feed`,
				headers: {},
				options: { proxy: proxy.url, rejectUnauthorized: false },
			},
			{ type: 'n8n-nodes-base.httpRequest' },
		);

	rig.setCredential({ allowUnauthorizedCerts: true });
	await expect(send()).resolves.toMatchObject({ items: [{ json: { path: '/data/feed' } }] });
	rig.credential.allowUnauthorizedCerts = false;
	await expect(send()).resolves.toMatchObject({
		error: {
			message: 'The certificate of the service is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)',
		},
	});

	expect(proxy.received).toBe('');
	expect(journal.count('other')).toBe(1);
	await rig.stop();
	await proxy.stop();
});
