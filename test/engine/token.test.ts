import type { EmulatorSettings } from '../../emulator/server';
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

	describe('one exchange serves everyone', () => {
		it.each([401, 403] as const)(
			'when it is revoked (%d), and no request is lost',
			async (rejection) => {
				await start({ latencyMs: 20, latencyJitter: 0.4, rejection });
				await rig.run();
				rig.emulator.tokens.revokeAll();
				rig.emulator.reset();

				const output = await rig.run(APART, { input: FIFTY });

				expect(allRead([output])).toBe(true);
				expect(output.items).toHaveLength(50);
				expect(logins()).toBe(1);
				expect(siteRequests().filter(({ status }) => status === 200)).toHaveLength(50);
			},
		);

		it('when it is missing, and is stored once', async () => {
			await start({ latencyMs: 20, latencyJitter: 0.4 });

			const output = await rig.run(APART, { input: itemsApart(500) });

			expect(allRead([output])).toBe(true);
			expect([logins(), siteRequests().length]).toEqual([1, 500]);
			expect(rig.engine.credentials.writes).toBe(1);
		});

		it('and is not stored again where it is rejected: n8n could undo an edit of the credential by that', async () => {
			await start();
			await rig.run();
			rig.emulator.fail({ route: 'site', fault: { kind: 'status', status: 401 } });

			await rig.run(APART, { input: FIFTY });

			expect(rig.engine.credentials.writes).toBe(exchanges());
		});

		it('for five executions at once, cold and revoked', async () => {
			await start({ latencyMs: 20, latencyJitter: 0.4 });
			const five = async () =>
				await Promise.all(
					Array.from({ length: 5 }, async () => await rig.run(APART, { input: FIFTY })),
				);

			const cold = await five();
			expect(allRead(cold)).toBe(true);
			expect(logins()).toBe(1);

			rig.emulator.tokens.revokeAll();
			const revoked = await five();
			expect(allRead(revoked)).toBe(true);
			expect(logins()).toBe(2);
		});
	});

	describe('at its end', () => {
		it.each<[string, EmulatorSettings['token']]>([
			['the JWT tells its lifetime', { lifetimeSeconds: 2, announcedLifetime: null }],
			[
				'the JWT tells it by a clock that is wrong',
				{ lifetimeSeconds: 2, announcedLifetime: null, clockSkewSeconds: 7200 },
			],
			['expires_in tells it', { lifetimeSeconds: 5, opaque: true }],
		])(
			'is renewed without a request that was bound to fail: %s',
			async (_name, token) => {
				await start({ token });
				await rig.run();
				await new Promise((resolve) => setTimeout(resolve, token.lifetimeSeconds * 1000 + 100));

				const output = await rig.run(APART, { input: FIFTY.slice(0, 10) });

				expect(allRead([output])).toBe(true);
				expect(logins()).toBe(2);
				expect(siteRequests().map(({ status }) => status)).toEqual(Array(11).fill(200));
			},
			20_000,
		);

		it.each(['0', '1e9', 'soon', null])(
			'works where expires_in is %j, at the cost of one request',
			async (announcedLifetime) => {
				await start({ token: { lifetimeSeconds: 1, opaque: true, announcedLifetime } });
				await rig.run();
				await new Promise((resolve) => setTimeout(resolve, 1100));

				const outputs = [await rig.run(), await rig.run()];

				expect(allRead(outputs)).toBe(true);
				expect(siteRequests().map(({ status }) => status)).toEqual([200, 401, 200, 200]);
				expect(logins()).toBe(2);
			},
		);
	});

	describe('where the service rejects even a new one', () => {
		it.each([401, 403] as const)(
			'with %d, a thousand items cost two exchanges at most, and are told about rights',
			async (status) => {
				await start();
				rig.emulator.fail({ route: 'site', fault: { kind: 'status', status } });

				const { items } = await rig.run(APART, {
					input: itemsApart(1000),
					onError: 'continueRegularOutput',
				});

				expect(items).toHaveLength(1000);
				expect(new Set(items.map(({ json }) => json.error))).toEqual(
					new Set([
						status === 401
							? 'The service does not let this account read site 1001'
							: 'This account may not read site 1001',
					]),
				);
				expect(exchanges()).toBeLessThanOrEqual(2);
			},
			60_000,
		);

		it.each([401, 403] as const)(
			'for some sites only, with %d, the others arrive and the exchanges stay few',
			async (status) => {
				await start({ latencyMs: 5 });
				rig.emulator.fail({ route: 'site', siteId: 1002, fault: { kind: 'status', status } });
				const input = Array.from({ length: 1000 }, (_, index) => ({ id: 1001 + (index % 2) }));

				const { items, errorItems } = await rig.run(
					{ siteId: '={{ $json.id }}' },
					{ input, onError: 'continueErrorOutput' },
				);

				expect([items.length, errorItems.length]).toEqual([500, 500]);
				expect(exchanges()).toBeLessThanOrEqual(5);
			},
			60_000,
		);
	});
});
