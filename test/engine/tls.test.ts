import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expectSuccess, useHarness } from '../../testbed/engine/harness';

const UNTRUSTED = 'The certificate of the service is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)';

describe('an untrusted certificate', () => {
	const keyAndCertificate = readFileSync(path.join(__dirname, 'selfSigned.pem'), 'utf8');
	const harness = useHarness({ tls: { key: keyAndCertificate, cert: keyAndCertificate } });

	it('is refused before the login', async () => {
		await expect(harness.run()).resolves.toMatchObject({
			error: {
				message: UNTRUSTED,
				description: expect.not.stringContaining('Ignore SSL Issues') as unknown,
			},
		});
		await expect(harness.engine.testCredential('account')).resolves.toEqual({
			status: 'Error',
			message: expect.stringContaining(`${UNTRUSTED}. Ask the administrator of your n8n`) as string,
		});
		expect(harness.emulator.journal.requests).toEqual([]);
	});

	it('is accepted everywhere with Ignore SSL Issues', async () => {
		harness.setCredential({ allowUnauthorizedCerts: true });

		expectSuccess(await harness.run());
		await expect(harness.engine.testCredential('account')).resolves.toMatchObject({ status: 'OK' });
		const url = `${harness.emulator.baseUrl}/data/feed`;
		await expect(
			harness.run({ url, headers: {} }, { type: 'n8n-nodes-base.httpRequest' }),
		).resolves.toMatchObject({ items: [{ json: { path: '/data/feed' } }] });
	});
});
