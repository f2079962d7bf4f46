import { jumpingTime } from '../../testbed/engine/jumpingTime';
import { allRead, APART, itemsApart, Rig, rigPerTest } from '../../testbed/engine/rig';

describe('the login', () => {
	let rig: Rig;

	rigPerTest((started) => {
		rig = started;
	});

	const logins = () => rig.emulator.journal.count('token');
	const siteRequests = () => rig.emulator.journal.of('site');

	it('one login serves five executions, cold and after a revocation, and its token is stored nowhere', async () => {
		Object.assign(rig.emulator.settings, { latencyMs: 20, latencyJitter: 0.4 });
		const { credentials } = rig.engine;
		const five = async () =>
			await Promise.all(
				Array.from({ length: 5 }, async () => await rig.run(APART, { input: itemsApart(50) })),
			);

		expect(allRead(await five())).toBe(true);
		expect([logins(), siteRequests().length, credentials.writes]).toEqual([1, 250, 0]);

		rig.emulator.tokens.revokeAll();
		expect(allRead(await five())).toBe(true);
		expect([logins(), credentials.writes]).toEqual([2, 0]);
		expect(siteRequests().filter(({ status }) => status === 200)).toHaveLength(500);
	});

	it('a refused login makes each of a thousand items an error item, after one login and without a request', async () => {
		rig.setCredential({ password: 'wrong' });

		const { error, items } = await rig.run(APART, {
			input: itemsApart(1000),
			onError: 'continueRegularOutput',
		});

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.error)).toEqual(
			Array(1000).fill('The service refused the username and password'),
		);
		expect([logins(), siteRequests()]).toEqual([1, []]);
	});

	it.each([302, 307])(
		'a redirect (%d) of the login gets neither username nor password',
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

	describe('on a clock that jumps', () => {
		const { until, wait } = jumpingTime();

		it('a slow login does not count for Timeout', async () => {
			rig.emulator.fail({ route: 'token', fault: { kind: 'trickle', msPerByte: 8 } });

			const { items, error } = await until(rig.run({ options: { timeout: 0.5, maxTime: 1 } }));

			const [login] = rig.emulator.journal.of('token');
			const [site] = siteRequests();
			expect((site?.at ?? 0) - (login?.at ?? 0)).toBeGreaterThan(1500);
			expect(error).toBeUndefined();
			expect(items).toHaveLength(1);
		});

		it('a site that waits for the next login is asked for with its token', async () => {
			await until(rig.run());
			rig.emulator.tokens.revokeAll();
			await until(rig.run());
			rig.emulator.reset();
			rig.emulator.fail({ route: 'site', times: 1, fault: { kind: 'status', status: 401 } });

			expect(allRead([await until(rig.run())])).toBe(true);

			const tokens = siteRequests().map(({ headers }) => headers.authorization);
			expect([tokens.length, new Set(tokens).size, logins()]).toEqual([2, 2, 1]);
		});

		it.each([
			[401, 2],
			[403, 1],
		])(
			'a site that is answered with %d every ten minutes for an hour costs %d logins',
			async (status, count) => {
				rig.emulator.fail({ route: 'site', siteId: 1002, fault: { kind: 'status', status } });

				for (let polls = 0; polls < 6; polls += 1) {
					const { items, error } = await until(
						rig.run(
							{ operation: 'getManySites', siteIds: '1001, 1002' },
							{ onError: 'continueRegularOutput' },
						),
					);
					expect([items.length, error]).toEqual([2, undefined]);
					await wait(9 * 60_000);
				}

				expect(logins()).toBe(count);
			},
		);

		it('a login that waits for its slot is not sent once the execution is cancelled', async () => {
			const headers = { 'retry-after': '60' };
			rig.emulator.fail({ route: 'token', fault: { kind: 'status', status: 429, headers } });
			let cancel = () => {};
			const run = rig.run({}, { onStart: (execution) => (cancel = () => execution.cancel()) });
			setTimeout(() => cancel(), 5000);

			await until(run);
			await wait(300_000);

			expect(logins()).toBe(1);
		});
	});
});
