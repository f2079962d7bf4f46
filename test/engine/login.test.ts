import type { EmulatorSettings } from '../../emulator/server';
import { allRead, APART, Bench, itemsApart } from './rig';

const FIFTY = itemsApart(50);
const REFUSED = 'The service refused the username and password';

describe('the login', () => {
	let bench: Bench;

	async function start(settings: Partial<EmulatorSettings> = {}): Promise<void> {
		bench = await Bench.start(settings);
	}
	afterEach(async () => await bench.stop());

	const logins = () => bench.emulator.journal.count('token');
	const siteRequests = () => bench.emulator.journal.of('site');

	describe('where it is refused', () => {
		const THOUSAND = itemsApart(1000);

		it.each([400, 401, 403] as const)(
			'with %d, "Stop Workflow" throws one clear sentence',
			async (status) => {
				await start();
				bench.emulator.fail({ route: 'token', fault: { kind: 'status', status } });

				const { error, items } = await bench.run(APART, { input: THOUSAND });

				expect(items).toEqual([]);
				expect(error).toMatchObject({
					message: status === 400 ? 'The service refused the login' : REFUSED,
					description: expect.stringContaining('in the credential') as unknown,
				});
				expect([logins(), siteRequests()]).toEqual([1, []]);
			},
		);

		it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
			'%s makes every item an error item, without a request',
			async (onError) => {
				await start();
				bench.setCredential({ password: 'wrong' });

				const { error, items, errorItems } = await bench.run(APART, { input: THOUSAND, onError });

				const failed = onError === 'continueErrorOutput' ? errorItems : items;
				expect(error).toBeUndefined();
				expect(items.length + errorItems.length).toBe(1000);
				expect(failed.map(({ json }) => json)).toEqual(Array(1000).fill({ error: REFUSED }));
				expect([logins(), siteRequests()]).toEqual([1, []]);
			},
		);

		it('the refusal is remembered by the next execution, until the account is edited', async () => {
			await start();
			const { password } = bench.setCredential();
			Object.assign(bench.credential, { password: 'wrong' });

			await expect(bench.run()).resolves.toMatchObject({ error: { message: REFUSED } });
			await expect(bench.run()).resolves.toMatchObject({ error: { message: REFUSED } });
			expect(logins()).toBe(1);

			Object.assign(bench.credential, { password });
			expect(allRead([await bench.run()])).toBe(true);
		});

		it('any edited field of the credential is tried at once', async () => {
			await start();
			bench.setCredential({ versionHeader: 'Wrong-Name' });
			await expect(bench.run()).resolves.toMatchObject({
				error: { message: 'The service refused the login' },
			});

			Object.assign(bench.credential, { versionHeader: 'Service-Version' });
			expect(allRead([await bench.run()])).toBe(true);
		});

		it('a credential test tries at once', async () => {
			await start();
			const { username, password } = bench.setCredential();
			bench.emulator.settings.accounts[username] = 'not yet';
			await bench.run();
			bench.emulator.settings.accounts[username] = password;

			await expect(bench.engine.testCredential('account')).resolves.toMatchObject({ status: 'OK' });
			expect(allRead([await bench.run()])).toBe(true);
		});
	});

	describe('where it fails otherwise', () => {
		it('passing failures are tried again, and nobody notices', async () => {
			await start();
			const fault = { kind: 'status', status: 503, headers: { 'retry-after': '0' } } as const;
			bench.emulator.fail({ route: 'token', fault, times: 3 });

			expect(allRead([await bench.run(APART, { input: FIFTY })])).toBe(true);
			expect(logins()).toBe(4);
		});

		it.each(['0', new Date(0).toUTCString()])(
			'lasting ones end after a few tries, whatever the number of items (Retry-After: %s)',
			async (retryAfter) => {
				await start();
				const headers = { 'retry-after': retryAfter };
				bench.emulator.fail({ route: 'token', fault: { kind: 'status', status: 429, headers } });

				const { items } = await bench.run(APART, {
					input: FIFTY,
					onError: 'continueRegularOutput',
				});

				expect(items.map(({ json }) => json)).toEqual(
					Array(50).fill({ error: 'The service is receiving too many logins' }),
				);
				expect([logins(), siteRequests()]).toEqual([4, []]);
			},
		);

		it('a wait that is longer than the time for a login is not begun', async () => {
			await start();
			const headers = { 'retry-after': '3600' };
			bench.emulator.fail({ route: 'token', fault: { kind: 'status', status: 429, headers } });

			await expect(bench.run()).resolves.toMatchObject({
				error: { message: 'The service is receiving too many logins' },
			});
			expect(logins()).toBe(1);
		});

		it.each(['hang', 'trickle'] as const)(
			'one whose answer does not come to its end is ended (%s)',
			async (kind) => {
				await start();
				const fault = kind === 'hang' ? { kind } : { kind, msPerByte: 1000 };
				bench.emulator.fail({ route: 'token', fault });

				const { items } = await bench.run(APART, {
					input: FIFTY,
					onError: 'continueRegularOutput',
				});

				expect(items.map(({ json }) => json)).toEqual(
					Array(50).fill({ error: 'The service did not answer the login within 20 seconds' }),
				);
				expect(logins()).toBe(1);
			},
			40_000,
		);

		it.each([301, 302, 303, 307, 308])(
			'a redirect (%d) gets neither username nor password',
			async (status) => {
				await start();
				const other = await Bench.start();
				const location = `${other.emulator.baseUrl}/auth/token`;
				bench.emulator.fail({
					route: 'token',
					fault: { kind: 'status', status, headers: { location } },
				});

				await expect(bench.run()).resolves.toMatchObject({
					error: { message: 'The service pointed to another address for the login' },
				});
				expect(other.emulator.journal.requests).toEqual([]);
				await other.stop();
			},
		);
	});
});
