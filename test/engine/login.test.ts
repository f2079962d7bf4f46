import { jumpingTime } from '../../testbed/engine/jumpingTime';
import { allRead, APART, Rig, itemsApart, shareRig } from '../../testbed/engine/rig';

const FIFTY = itemsApart(50);
const REFUSED = 'The service refused the username and password';

describe('the login', () => {
	let rig: Rig;

	shareRig((started) => {
		rig = started;
	});

	const logins = () => rig.emulator.journal.count('token');
	const siteRequests = () => rig.emulator.journal.of('site');

	describe('where it is refused', () => {
		it('if the login is refused, each of a thousand items is an error item after one login, without a request', async () => {
			rig.setCredential({ password: 'wrong' });

			const { error, items } = await rig.run(APART, {
				input: itemsApart(1000),
				onError: 'continueRegularOutput',
			});

			expect(error).toBeUndefined();
			expect(items.map(({ json }) => json.error)).toEqual(Array(1000).fill(REFUSED));
			expect([logins(), siteRequests()]).toEqual([1, []]);
		});

		it('a refused login is remembered by the next execution, until the account is edited', async () => {
			const { password } = rig.setCredential();
			Object.assign(rig.credential, { password: 'wrong' });

			await expect(rig.run()).resolves.toMatchObject({ error: { message: REFUSED } });
			await expect(rig.run()).resolves.toMatchObject({ error: { message: REFUSED } });
			expect(logins()).toBe(1);

			Object.assign(rig.credential, { password });
			expect(allRead([await rig.run()])).toBe(true);
		});
	});

	describe('where it fails otherwise', () => {
		it('retryable failures of a login are tried again, and nobody notices', async () => {
			const fault = { kind: 'status', status: 503, headers: { 'retry-after': '0' } } as const;
			rig.emulator.fail({ route: 'token', fault, times: 3 });

			expect(allRead([await rig.run(APART, { input: FIFTY })])).toBe(true);
			expect(logins()).toBe(4);
		});

		it('lasting failures of a login end after a few tries, whatever the number of items', async () => {
			const headers = { 'retry-after': new Date(0).toUTCString() };
			rig.emulator.fail({ route: 'token', fault: { kind: 'status', status: 503, headers } });

			const { items } = await rig.run(APART, { input: FIFTY, onError: 'continueRegularOutput' });

			expect(items.map(({ json }) => json.error)).toEqual(
				Array(50).fill('The service could not answer the login (status 503)'),
			);
			expect([logins(), siteRequests()]).toEqual([4, []]);
		});

		describe('on a clock that jumps', () => {
			const { until } = jumpingTime();

			it('a login that takes its time is nobody’s timeout', async () => {
				rig.emulator.fail({ route: 'token', fault: { kind: 'trickle', msPerByte: 8 } });

				const { items, error } = await until(rig.run({ options: { timeout: 0.5, maxTime: 1 } }));

				const [login] = rig.emulator.journal.of('token');
				const [site] = rig.emulator.journal.of('site');
				expect((site?.at ?? 0) - (login?.at ?? 0)).toBeGreaterThan(1500);
				expect(error).toBeUndefined();
				expect(items).toHaveLength(1);
			});
		});

		it.each([302, 307])(
			'a redirect (%d) of a login gets neither username nor password',
			async (status) => {
				const other = await Rig.start();
				const location = `${other.emulator.baseUrl}/auth/token`;
				rig.emulator.fail({
					route: 'token',
					fault: { kind: 'status', status, headers: { location } },
				});

				await expect(rig.run()).resolves.toMatchObject({
					error: { message: 'The service pointed to another address for the login' },
				});
				expect(other.emulator.journal.requests).toEqual([]);
				await other.stop();
			},
		);
	});
});
