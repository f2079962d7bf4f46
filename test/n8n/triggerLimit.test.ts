import { Emulator } from '../../emulator/server';
import { madeUpSite } from '../../emulator/sites';
import { inEach } from '../../testbed/jest/inEach';
import { shareStage } from '../../testbed/jest/shareStage';
import { VERSIONS } from '../../testbed/n8n/versions';
import { itemsOf, N8nInstance, type Execution } from '../../testbed/n8n/instance';
import { until } from '../../testbed/wait';
import { credentialsOf, manualWorkflow, NODE_TYPE, triggerWorkflow } from '../../testbed/workflows';

const stage = shareStage();

const rowsOf = (execution: Execution) => itemsOf(execution, 'Read').map(({ json }) => json);

describe('triggers of accounts that may send 100 requests a minute', () => {
	const MINUTE = 60_000;
	const PASSWORD = 'fjord-and-salmon';
	const idsOf = (count: number) => Array.from({ length: count }, (_, index) => 5001 + index);
	let worlds: LimitedWorld[];

	/** An n8n, and a service with a limit. */
	interface LimitedWorld {
		name: string;
		n8n: N8nInstance;
		emulator: Emulator;
	}

	beforeAll(async () => {
		const begin = async (version: string): Promise<LimitedWorld> => {
			const settings = {
				accounts: { many: PASSWORD, beside: PASSWORD },
				latencyMs: 50,
				requestsPerMinute: 100,
				sites: idsOf(500).map(madeUpSite),
			};
			const emulator = await stage.keep(Emulator.start(settings));
			return { name: `n8n ${version}`, n8n: await N8nInstance.start(stage, version), emulator };
		};
		worlds = await Promise.all(VERSIONS.map(begin));
	}, 480_000);

	const credentialOf = async ({ n8n, emulator }: LimitedWorld, username: string) =>
		await n8n.createCredential({ baseUrl: emulator.baseUrl, username, password: PASSWORD });

	it(
		'read 160 sites by the end of the first poll, and five at every poll beside a run',
		async () => {
			await inEach(worlds, async (world) => {
				const { n8n, emulator } = world;
				const credentials = {
					many: await credentialOf(world, 'many'),
					beside: await credentialOf(world, 'beside'),
				};
				const asked = (account: string) =>
					emulator.journal.of('site').filter((request) => request.account === account);
				const many = await n8n.createWorkflow(
					triggerWorkflow('Many', credentials.many, {
						pollTimes: { item: [{ mode: 'everyX', unit: 'minutes', value: 3 }] },
						sites: 'byId',
						siteIds: idsOf(160).join(),
					}),
				);
				const few = await n8n.createWorkflow(
					triggerWorkflow('Few', credentials.beside, {
						pollTimes: { item: [{ mode: 'everyMinute' }] },
						sites: 'byId',
						siteIds: idsOf(5).join(),
					}),
				);
				const run = await n8n.createWorkflow(
					manualWorkflow([{}], {
						type: NODE_TYPE,
						credentials: credentialsOf(credentials.beside),
						parameters: {
							operation: 'getManySites',
							sites: 'byId',
							siteIds: idsOf(500).slice(5).join(),
						},
					}),
				);
				await expect(n8n.activate(many)).resolves.toBeUndefined();
				const execution = await n8n.startManually(run);
				await until(() => asked('beside').length > 50, MINUTE);
				await expect(n8n.activate(few)).resolves.toBeUndefined();

				const watchFew = async () => {
					for (let change = 1; change <= 3; change++) {
						const polls = asked('beside').filter(({ url }) => url.includes('/5001?')).length;
						emulator.changeSite(5003, (site) => ({ ...site, siteName: `Name ${change}` }));
						await until(
							async () => (await n8n.executionsOf(few)).flatMap(rowsOf).length >= change,
							1.7 * MINUTE,
						);
						const since =
							asked('beside').filter(({ url }) => url.includes('/5001?')).length - polls;
						expect(since).toBe(1);
					}
				};
				const readMany = async () =>
					await until(
						() => new Set(asked('many').map(({ url }) => url)).size === 160,
						4.5 * MINUTE,
					);
				await Promise.all([watchFew(), readMany()]);

				expect((await n8n.executionsOf(few)).flatMap(rowsOf)).toMatchObject(
					[1, 2, 3].map((change) => ({ siteId: 5003, newValue: `Name ${change}` })),
				);
				// What the first poll has read is not asked for again.
				expect(asked('many').length).toBeLessThanOrEqual(250);
				const failed = (await n8n.executionsOf(many)).filter(({ status }) => status === 'error');
				expect(failed).toEqual([]);
				expect(emulator.journal.refusals).toBe(0);
				await n8n.stopExecution(execution);
			});
		},
		6 * MINUTE,
	);
});
