import type { EmulatorSettings } from '../../emulator/server';
import { allRead, APART, Rig, itemsApart } from '../../testbed/engine/rig';

const FIFTY = itemsApart(50);

/** Longer than the package waits before it believes that a token it has just obtained was good, on a busy machine too. */
async function used(): Promise<void> {
	await new Promise((resolve) => setTimeout(resolve, 1500));
}

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
		it('when it is missing', async () => {
			await start({ latencyMs: 20, latencyJitter: 0.4 });

			const output = await rig.run(APART, { input: FIFTY });

			expect(allRead([output])).toBe(true);
			expect([logins(), siteRequests().length]).toEqual([1, 50]);
		});

		it.each([401, 403] as const)(
			'when it is revoked (%d), and no request is lost',
			async (rejection) => {
				await start({ latencyMs: 20, latencyJitter: 0.4, rejection });
				await rig.run();
				await used();
				rig.emulator.tokens.revokeAll();
				rig.emulator.reset();

				const output = await rig.run(APART, { input: FIFTY });

				expect(allRead([output])).toBe(true);
				expect(output.items).toHaveLength(50);
				expect(logins()).toBe(1);
				expect(siteRequests().filter(({ status }) => status === 200)).toHaveLength(50);
			},
		);

		it('and is stored once', async () => {
			await start({ latencyMs: 5 });

			await rig.run(APART, { input: itemsApart(500) });

			expect(logins()).toBe(1);
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

			await used();
			rig.emulator.tokens.revokeAll();
			const revoked = await five();
			expect(allRead(revoked)).toBe(true);
			expect(logins()).toBe(2);
		});

		it('when the executions run one after the other, it is not repeated at all', async () => {
			await start();

			for (let count = 0; count < 5; count++) await rig.run();

			expect(logins()).toBe(1);
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

				const output = await rig.run(APART, { input: FIFTY });

				expect(allRead([output])).toBe(true);
				expect(logins()).toBe(2);
				expect(siteRequests().map(({ status }) => status)).toEqual(Array(51).fill(200));
			},
			20_000,
		);

		it.each(['0', '-1', '1e9', 'soon', '', '0.5', '  ', null])(
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

		it('works each time where nothing is said about a short one', async () => {
			await start({ token: { lifetimeSeconds: 1, opaque: true, announcedLifetime: null } });
			const outputs = [];
			for (let round = 0; round < 4; round++) {
				outputs.push(await rig.run(APART, { input: FIFTY.slice(0, 3) }));
				await new Promise((resolve) => setTimeout(resolve, 1100));
			}

			expect(allRead(outputs)).toBe(true);
			expect(logins()).toBe(4);
		}, 20_000);

		it('is renewed when it dies soon after a credential test', async () => {
			await start();
			await rig.engine.testCredential('account');
			rig.emulator.tokens.revokeAll();

			expect(allRead([await rig.run()])).toBe(true);
		});

		it('works where the service announces less than it grants', async () => {
			await start({ token: { lifetimeSeconds: 3600, opaque: true, announcedLifetime: '5' } });

			expect(allRead([await rig.run(APART, { input: FIFTY })])).toBe(true);
			expect(logins()).toBe(1);
		});
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
