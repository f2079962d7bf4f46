import type { Fault } from '../../emulator/faults';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import { expectSuccess, useHarness } from '../../testbed/engine/harness';

const SECOND = 1000;
const WRONG_PASSWORD = expect.stringMatching(
	/^The service refused the username and password\. Correct 'Username' and 'Password' in the credential\. You can save again immediately\. The service says: "The username is unknown or the password is wrong\."$/,
) as string;

describe('the credential test', () => {
	const harness = useHarness();

	const test = async () => await harness.engine.testCredential('account');
	const SUCCESS = { status: 'OK', message: 'Connection successful!' };

	it('fails for a wrong password, although there is a valid token', async () => {
		expectSuccess(await harness.run());
		harness.emulator.reset();
		harness.credential.password = 'Laks';

		await expect(test()).resolves.toEqual({ status: 'Error', message: WRONG_PASSWORD });
		expect(harness.emulator.journal.count('token')).toBe(1);
	});

	it('fails for unusable lines of Known Sites, after the login', async () => {
		harness.setCredential({
			knownSites: '1001 A\n\nNordvik 1002\n1001 Havøya\n1002 Nord, 1003 Havn',
		});

		await expect(test()).resolves.toEqual({
			status: 'Error',
			message: `The login works, but some lines of 'Known Sites' add no site: line 3 (Nordvik 1002), line 4 (1001 Havøya), line 5 (1002 Nord, 1003 Havn). Correct 'Known Sites' in the credential: one site per line, its ID in digits and then a name with a letter, each ID once, and no totals. If a number belongs to a name, put the name in double quotes: 1001 "Storvågen 1002".`,
		});
		expect(harness.emulator.journal.count('token')).toBe(1);

		harness.credential.password = 'Laks';
		await expect(test()).resolves.toEqual({ status: 'Error', message: WRONG_PASSWORD });
	});

	describe('as time passes', () => {
		const { settle, advance } = useFakeTime();
		/** Wait for it, so that no login outlives its test. */
		const LOGIN_ENDS_MS = 90 * SECOND;
		const TOO_SLOW = {
			status: 'Error',
			message:
				'The login took longer than 15 seconds. Try again later. If this continues, contact the operator of the service.',
		};
		const fault = (each: Fault, times = Infinity) =>
			harness.emulator.fail({ route: 'token', fault: each, times });

		const expectTooSlow = async () => {
			const beganAt = Date.now();
			expect(await settle(test())).toEqual(TOO_SLOW);
			expect(Date.now() - beganAt).toBeLessThanOrEqual(16 * SECOND);
		};

		it.each<[string, Fault]>([
			['gets no answer', { kind: 'hang' }],
			['trickles in', { kind: 'trickle', msPerByte: 100 }],
		])('fails within 16 seconds if the login %s', async (_what, slow) => {
			fault(slow);

			await expectTooSlow();
			await advance(LOGIN_ENDS_MS);
		});

		it('waits for the request limit and logs in after a 429', async () => {
			harness.failLogins(429, { retryAfter: 5, times: 1 });

			expect(await settle(test())).toEqual(SUCCESS);
		});

		it('fails within 15 seconds while the account is paused for longer', async () => {
			harness.failSites(429, { retryAfter: 60, times: 1 });
			const paused = harness.run();
			await advance(2 * SECOND);
			const beganAt = Date.now();

			await expect(settle(test())).resolves.toMatchObject({
				status: 'Error',
				message: expect.stringMatching(/^The account has reached its request limit/) as string,
			});
			expect(Date.now() - beganAt).toBeLessThanOrEqual(15 * SECOND);
			await settle(paused);
		});

		it('does not wait for the login of an execution that hangs', async () => {
			fault({ kind: 'hang' }, 1);
			const other = harness.run();
			await advance(SECOND);
			const beganAt = Date.now();

			expect(await settle(test())).toEqual(SUCCESS);
			expect(Date.now() - beganAt).toBeLessThan(5 * SECOND);
			expectSuccess(await settle(other));
		});
	});
});
