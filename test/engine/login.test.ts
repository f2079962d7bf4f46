import { readFileSync } from 'node:fs';
import path from 'node:path';
import { makeSites } from '../../emulator/sites';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import { expectRead, expectSuccess, useHarness } from '../../testbed/engine/harness';

describe('the login', () => {
	const harness = useHarness();

	it.each([302, 307])('does not follow a redirect (%d)', async (status) => {
		const headers = { location: `${harness.emulator.baseUrl}/elsewhere` };
		harness.emulator.fail({ route: 'token', fault: { kind: 'status', status, headers } });

		await expect(harness.run()).resolves.toMatchObject({
			error: { message: 'The service pointed to another address for the login' },
		});
		await expect(harness.engine.testCredential('account')).resolves.toMatchObject({
			message: expect.stringContaining('pointed to another address for the login') as string,
		});
		expect(harness.emulator.journal.count('other')).toBe(0);
	});

	describe('as time passes', () => {
		const { settle, advance } = useFakeTime();

		it('does not count towards Timeout, even if slow', async () => {
			harness.emulator.fail({ route: 'token', fault: { kind: 'trickle', msPerByte: 8 } });

			expectSuccess(await settle(harness.run({ options: { timeout: 1 } })));

			const [login, site] = harness.emulator.journal.requests.map(({ at }) => at);
			expect((site ?? NaN) - (login ?? NaN)).toBeGreaterThan(1500);
		});

		it('that a 401 waits for longer than Timeout does not turn it into a timeout', async () => {
			const { tokens } = harness.emulator;
			expectSuccess(await settle(harness.run()));
			tokens.revokeAll();
			expectSuccess(await settle(harness.run()));
			tokens.revokeAll();
			const beganAt = Date.now();

			expectSuccess(await settle(harness.run({ options: { timeout: 5 } })));

			expect(Date.now() - beganAt).toBeGreaterThan(9000);
		});

		it('follows a 401 three times at most, although there is another token each time', async () => {
			harness.emulator.fail({
				route: 'site',
				siteId: 1001,
				fault: { kind: 'status', status: 401, afterMs: 45_000 },
			});
			const replaceToken = () => {
				harness.emulator.tokens.revokeAll();
				void harness.run({ siteId: '1002' });
			};
			const replacing = setInterval(replaceToken, 20_000);

			const { error } = await settle(harness.run({ options: { timeout: 60 } }));
			clearInterval(replacing);

			expect(error).toMatchObject({ httpCode: '401' });
			const urls = harness.emulator.journal.of('site').map(({ url }) => url);
			expect(urls.filter((url) => url.includes('1001'))).toHaveLength(4);
		});

		it('happens again for a site rejected with 401 while all others were answered with 503', async () => {
			harness.failSites(401, { siteId: 1001 });
			harness.failSites(503, { siteId: 1002 });
			await settle(harness.getMany([1001, 1002], { onError: 'continueRegularOutput' }));
			harness.emulator.reset();
			harness.emulator.tokens.revokeAll();
			await advance(6 * 60_000);

			expectSuccess(await settle(harness.run()));
		});
	});
});

describe('a login during an execution of 150 sites', () => {
	const SITES = makeSites(150);
	const { settle, advance } = useFakeTime();
	const harness = useHarness({ sites: SITES });

	const fetchSites = async (count: number) =>
		await settle(
			harness.getMany(
				SITES.slice(0, count).map(({ siteId }) => siteId),
				{ onError: 'continueRegularOutput' },
			),
		);

	it.each<[string, number[]]>([
		['each minute', [60, 120, 180]],
		['twice within five seconds', [60, 65]],
	])('follows a revocation %s, and no site is lost', async (_when, seconds) => {
		harness.credential.requestsPerMinute = 50;
		const { tokens, journal } = harness.emulator;
		for (const second of seconds) setTimeout(() => tokens.revokeAll(), 1000 * second);

		expectRead(await fetchSites(150), 150);

		expect(journal.count('token')).toBe(1 + seconds.length);
	});

	it('follows a revocation beside a site that is always rejected with 401', async () => {
		const { tokens } = harness.emulator;
		harness.failSites(401, { siteId: 5001 });
		for (let minute = 0; minute < 15; minute += 1) {
			if (minute === 9) tokens.revokeAll();

			expectRead(await fetchSites(20), 19);

			await advance(60_000);
		}
		// The first, one each five minutes, and one after the revocation.
		expect(harness.emulator.journal.count('token')).toBe(5);
	});
});

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
