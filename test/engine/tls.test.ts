import { generate } from 'selfsigned';
import { Rig, allRead } from '../../testbed/engine/rig';

const UNTRUSTED = 'The certificate of the service is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)';

describe('a service whose certificate is not trusted', () => {
	let rig: Rig;

	beforeEach(async () => {
		const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }]);
		rig = await Rig.start({ tls: { key, cert } });
	});
	afterEach(async () => await rig.stop());

	it('a service whose certificate is not trusted is not used, and gets no password', async () => {
		rig.setCredential();

		await expect(rig.run()).resolves.toMatchObject({
			error: {
				message: UNTRUSTED,
				description: expect.not.stringContaining('Ignore SSL Issues') as unknown,
			},
		});
		await expect(rig.engine.testCredential('account')).resolves.toEqual({
			status: 'Error',
			message: expect.stringContaining(`${UNTRUSTED}. Ask the people who run your n8n`) as string,
		});
		expect(rig.emulator.journal.requests).toEqual([]);
	});

	it('a service whose certificate is not trusted is used with Ignore SSL Issues: for the login, the data, the test and the HTTP Request node', async () => {
		rig.setCredential({ allowUnauthorizedCerts: true });

		expect(allRead([await rig.run()])).toBe(true);
		await expect(rig.engine.testCredential('account')).resolves.toMatchObject({ status: 'OK' });
		const url = `${rig.emulator.baseUrl}/data/feed`;
		await expect(
			rig.run({ url, headers: {} }, { type: 'n8n-nodes-base.httpRequest' }),
		).resolves.toMatchObject({ items: [{ json: { path: '/data/feed' } }] });
	});
});
