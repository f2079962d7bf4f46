import type { EmulatorSettings } from '../../emulator/server';
import { jumpingTime } from '../../testbed/engine/jumpingTime';
import { allRead, APART, Rig, itemsApart } from '../../testbed/engine/rig';

const FIFTY = itemsApart(50);

describe('the token', () => {
	let rig: Rig;

	async function start(settings: Partial<EmulatorSettings> = {}): Promise<void> {
		rig = await Rig.start(settings);
	}
	afterEach(async () => await rig.stop());

	const exchanges = () => rig.emulator.journal.exchanges;
	const logins = () => rig.emulator.journal.count('token');
	const siteRequests = () => rig.emulator.journal.of('site');
	const statuses = () => siteRequests().map(({ status }) => status);

	it.each([401, 403] as const)(
		'one exchange serves everyone for five executions at once, cold and revoked (%d), and is stored once',
		async (rejection) => {
			await start({ latencyMs: 20, latencyJitter: 0.4, rejection });
			const { credentials } = rig.engine;
			const five = async () =>
				await Promise.all(
					Array.from({ length: 5 }, async () => await rig.run(APART, { input: FIFTY })),
				);

			expect(allRead(await five())).toBe(true);
			expect([logins(), siteRequests().length, credentials.writes]).toEqual([1, 250, 1]);

			rig.emulator.tokens.revokeAll();
			expect(allRead(await five())).toBe(true);
			expect([logins(), credentials.writes]).toEqual([2, 2]);
			expect(statuses().filter((status) => status === 200)).toHaveLength(500);
		},
	);

	describe('at its end', () => {
		const { until, wait } = jumpingTime();

		it.each<[string, EmulatorSettings['token']]>([
			['the JWT tells its lifetime', { lifetimeSeconds: 60, announcedLifetime: null }],
			[
				'the JWT tells it by a clock that is wrong',
				{ lifetimeSeconds: 60, announcedLifetime: null, clockSkewSeconds: 7200 },
			],
			['expires_in tells it', { lifetimeSeconds: 60, opaque: true }],
		])(
			'a token at its end is renewed without a request that was bound to fail: %s',
			async (_name, token) => {
				await start({ token });
				await until(rig.run());
				await wait(60_000);

				const output = await until(rig.run(APART, { input: FIFTY }));

				expect(allRead([output])).toBe(true);
				expect(logins()).toBe(2);
				expect(statuses()).toEqual(Array(51).fill(200));
			},
		);

		it.each(['1e9', 'soon'])(
			'a token at its end works where expires_in is %j, at the cost of one request',
			async (announcedLifetime) => {
				await start({ token: { lifetimeSeconds: 60, opaque: true, announcedLifetime } });
				await until(rig.run());
				await wait(60_000);

				const outputs = [await until(rig.run()), await until(rig.run())];

				expect(allRead(outputs)).toBe(true);
				expect(statuses()).toEqual([200, 401, 200, 200]);
				expect(logins()).toBe(2);
			},
		);
	});

	it.each([
		[401, 'The service does not let this account read site 1001'],
		[403, 'This account has no right to read site 1001'],
	])(
		'if the service rejects even a new token with %d, 200 items cost two exchanges at most, and say: %s',
		async (status, message) => {
			await start();
			rig.emulator.fail({ route: 'site', fault: { kind: 'status', status } });

			const { items } = await rig.run(APART, {
				input: itemsApart(200),
				onError: 'continueRegularOutput',
			});

			expect(items.map(({ json }) => json.error)).toEqual(Array(200).fill(message));
			expect(exchanges()).toBeLessThanOrEqual(2);
		},
	);

	it.each([401, 403])(
		'if the service rejects even a new token for some sites only, with %d, the others arrive and the exchanges stay few',
		async (status) => {
			await start({ latencyMs: 5 });
			rig.emulator.fail({ route: 'site', siteId: 1002, fault: { kind: 'status', status } });
			const input = Array.from({ length: 500 }, (_, index) => ({ id: 1001 + (index % 2) }));

			const { items, errorItems } = await rig.run(
				{ siteId: '={{ $json.id }}' },
				{ input, onError: 'continueErrorOutput' },
			);

			expect([items.length, errorItems.length]).toEqual([250, 250]);
			expect(exchanges()).toBeLessThanOrEqual(5);
		},
	);
});
