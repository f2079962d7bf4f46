import type { IDataObject } from 'n8n-workflow';
import { Emulator } from '../../emulator/server';
import { N8nHome } from '../../testbed/n8n/home';
import { N8nInstance } from '../../testbed/n8n/instance';
import { until } from '../../testbed/wait';
import { startPostgresql, startRedis } from '../../testbed/servers/databases';
import { useCleanup } from '../../testbed/jest/useCleanup';
import { getSiteNode, webhookWorkflow } from '../../testbed/workflows';

// Slow: starts three n8n processes, PostgreSQL and Redis.

const WORKERS = 2;
const EXECUTIONS = 40;

const cleanup = useCleanup();
let emulator: Emulator;
let main: N8nInstance;
let workers: N8nHome[];

beforeAll(async () => {
	emulator = await cleanup.use(new Emulator({ latencyMs: 20, latencyJitter: 0.4 }).start());
	const [database, redis] = await Promise.all([
		cleanup.use(startPostgresql()),
		cleanup.use(startRedis()),
	]);
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
	main = await new N8nInstance().start(cleanup, env);
	workers = await Promise.all(
		Array.from({ length: WORKERS }, async () => {
			const worker = await cleanup.use(N8nHome.create(env));
			await worker.start('worker');
			return worker;
		}),
	);
	for (const worker of workers) {
		await until(async () => (await worker.log()).includes('worker is now ready'), 240_000);
	}
	const account = emulator.credential;
	const credential = await main.createCredential(account);
	await main.addWebhook(webhookWorkflow('sites', getSiteNode(credential)));
});

const executionsOf = async (worker: N8nHome) =>
	(await worker.log()).match(/Worker finished execution \d+/g)?.length ?? 0;
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
it('in queue mode, each worker logs in once, and again after a revocation', async () => {
	const logins: number[] = [];
	for (const isRevoked of [false, false, true]) {
		emulator.reset();
		if (isRevoked) emulator.tokens.revokeAll();
		const { answers, shares } = await burst();
		expect(answers).toEqual(Array(EXECUTIONS).fill([1001, 1002]));
		expect(shares).not.toContain(0);
		logins.push(emulator.journal.count('token'));
	}

	expect(logins).toEqual([WORKERS, 0, WORKERS]);
});

it('in queue mode, n8n logs no warnings about the package', async () => {
	for (const home of [main.home, ...workers]) {
		await expect(home.getWarnings()).resolves.toEqual([]);
	}
});
