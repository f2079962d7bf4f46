import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { DEMO_ACCOUNT, Emulator } from '../../emulator/server';
import { end, N8nHome } from '../../scripts/n8n/home';
import { MAIN_VERSION } from '../../scripts/n8n/install';
import { N8nInstance } from '../../scripts/n8n/instance';
import { until } from '../../scripts/n8n/wait';
import { startPostgresql, startRedis, type Server } from './harness/servers';
import { getSiteNode, webhookWorkflow } from './harness/workflows';

const WORKERS = 2;
const EXECUTIONS = 100;

describe(`n8n ${MAIN_VERSION} in queue mode, with a main process and ${WORKERS} workers`, () => {
	let emulator: Emulator;
	let servers: Server[];
	let main: N8nInstance;
	let workers: Array<{ home: N8nHome; process: ChildProcess }>;

	beforeAll(async () => {
		emulator = await Emulator.start({ latencyMs: 20, latencyJitter: 0.4 });
		const [database, redis] = await Promise.all([startPostgresql(), startRedis()]);
		servers = [database, redis];
		const env = {
			EXECUTIONS_MODE: 'queue',
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(database.port),
			DB_POSTGRESDB_DATABASE: 'postgres',
			DB_POSTGRESDB_USER: 'n8n',
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(redis.port),
			N8N_ENCRYPTION_KEY: 'the same for all processes',
		};
		main = await N8nInstance.start(MAIN_VERSION, env);
		workers = await Promise.all(
			Array.from({ length: WORKERS }, async () => {
				const home = await N8nHome.create(MAIN_VERSION, env);
				return { home, process: await home.start('worker') };
			}),
		);
		for (const { home } of workers) {
			await until(async () => (await home.log()).includes('worker is now ready'), 120_000);
		}
		const account = { baseUrl: emulator.baseUrl, ...DEMO_ACCOUNT };
		const credential = await main.createCredential(account);
		await main.addWebhook(webhookWorkflow('sites', getSiteNode(credential)));
	}, 240_000);
	afterAll(async () => {
		for (const { home, process } of workers) {
			await end(process);
			await home.delete();
		}
		await main.stop();
		for (const server of servers) await server.stop();
		await emulator.stop();
	}, 60_000);
	beforeEach(() => emulator.reset());

	const executionsOf = async ({ home }: { home: N8nHome }) =>
		(await home.log()).match(/Worker finished execution \d+/g)?.length ?? 0;
	const burst = async () => {
		const before = await Promise.all(workers.map(executionsOf));
		const answers = await Promise.all(
			Array.from({ length: EXECUTIONS }, async () => {
				const rows = [{ id: 1001 }, { id: 1002 }];
				const items = await main.callWebhook<IDataObject[]>('sites', rows);
				return items.map(({ siteId }) => siteId);
			}),
		);
		const after = await Promise.all(workers.map(executionsOf));
		return { answers, shares: after.map((count, index) => count - (before[index] ?? 0)) };
	};
	const ALL_READ = Array(EXECUTIONS).fill([1001, 1002]);
	const expectAllRead = async () => {
		const { answers, shares } = await burst();
		expect(answers).toEqual(ALL_READ);
		expect(Math.min(...shares)).toBeGreaterThan(0);
	};

	it('cold, each worker logs in once at the most', async () => {
		await expectAllRead();

		expect(emulator.journal.count('token')).toBeGreaterThan(0);
		expect(emulator.journal.count('token')).toBeLessThanOrEqual(WORKERS);
	});

	it('warm, nobody logs in', async () => {
		await expectAllRead();

		expect(emulator.journal.count('token')).toBe(0);
	});

	it('after a revocation, each worker logs in once at the most', async () => {
		// Longer than a new token needs to count as proven.
		await sleep(5_500);
		emulator.tokens.revokeAll();
		await expectAllRead();

		expect(emulator.journal.count('token')).toBeGreaterThan(0);
		expect(emulator.journal.count('token')).toBeLessThanOrEqual(WORKERS);
	});

	it('no process has anything to complain of', async () => {
		for (const { home } of [main, ...workers]) {
			await expect(home.complaints()).resolves.toEqual([]);
		}
	});
});
