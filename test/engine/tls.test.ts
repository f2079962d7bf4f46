import { generate } from 'selfsigned';
import { Bench, allRead } from './rig';

const UNTRUSTED = 'The certificate of the service is not trusted';

describe('a service whose certificate is not trusted', () => {
	let bench: Bench;

	beforeAll(async () => {
		const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }]);
		bench = await Bench.start({ tls: { key, cert } });
	});
	afterAll(async () => await bench.stop());
	beforeEach(() => bench.emulator.reset());

	it('is not used, and gets no password', async () => {
		bench.setCredential();

		await expect(bench.run()).resolves.toMatchObject({
			error: {
				message: UNTRUSTED,
				description: expect.stringContaining('Ignore SSL Issues') as unknown,
			},
		});
		await expect(bench.engine.testCredential('account')).resolves.toEqual({
			status: 'Error',
			message: UNTRUSTED,
		});
		expect(bench.emulator.journal.requests).toEqual([]);
	});

	it('is used with Ignore SSL Issues: for the login, the data, the test and the HTTP Request node', async () => {
		bench.setCredential({ allowUnauthorizedCerts: true });

		expect(allRead([await bench.run()])).toBe(true);
		await expect(bench.engine.testCredential('account')).resolves.toMatchObject({ status: 'OK' });
		const url = `${bench.emulator.baseUrl}/data/feed`;
		await expect(
			bench.run({ url, headers: {} }, { type: 'n8n-nodes-base.httpRequest' }),
		).resolves.toMatchObject({ items: [{ json: { path: '/data/feed' } }] });
	});
});
