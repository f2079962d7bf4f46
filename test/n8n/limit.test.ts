import axios from 'axios';
import { Emulator } from '../../emulator/server';
import { madeUpSite } from '../../emulator/sites';
import { VERSIONS } from '../../testbed/n8n/install';
import { hintsOf, itemsOf, N8nInstance, type Execution } from '../../testbed/n8n/instance';
import { until } from '../../testbed/wait';
import { inEach } from '../../testbed/jest/inEach';
import { shareStage } from '../../testbed/jest/shareStage';
import {
	credentialsOf,
	getSiteNode,
	httpRequestNode,
	manualWorkflow,
	NODE_TYPE,
	triggerWorkflow,
	type NewWorkflow,
} from '../../testbed/workflows';

const MINUTE = 60_000;
/** Nothing here takes longer. */
const LONGEST = 4 * MINUTE;

jest.setTimeout(LONGEST);

const PASSWORD = 'fjord-and-salmon';
/** The account of each test. */
const ACCOUNTS = ['list', 'twice', 'request', 'shared', 'trigger'] as const;
type Account = (typeof ACCOUNTS)[number];

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => 5001 + index);

const stage = shareStage();

/** An n8n, and a service of its own. */
class World {
	private lastWrite: Promise<unknown> = Promise.resolve();

	private constructor(
		readonly name: string,
		readonly n8n: N8nInstance,
		readonly emulator: Emulator,
	) {}

	static async begin(version: string): Promise<World> {
		const emulator = await stage.keep(
			Emulator.start({
				accounts: Object.fromEntries(ACCOUNTS.map((account) => [account, PASSWORD])),
				banAfter: 40,
				latencyMs: 50,
				latencyJitter: 0.4,
				requestsPerMinute: 100,
				sites: idsOf(150).map(madeUpSite),
			}),
		);
		return new World(`n8n ${version}`, await N8nInstance.start(stage, version), emulator);
	}

	/** Writes one thing after the other: n8n 1.123 answers with 500 where it is to write two at the same moment. */
	async inTurn<T>(write: () => Promise<T>): Promise<T> {
		const turn = this.lastWrite.then(write);
		this.lastWrite = turn.catch(() => undefined);
		return await turn;
	}

	/** A credential with the limit that n8n fills in. */
	async credentialOf(username: Account) {
		const { baseUrl } = this.emulator;
		const fields = { baseUrl, username, password: PASSWORD };
		return await this.inTurn(async () => await this.n8n.createCredential(fields));
	}

	async create(workflow: NewWorkflow) {
		return await this.inTurn(async () => await this.n8n.createWorkflow(workflow));
	}

	async run(workflow: string) {
		const execution = await this.inTurn(async () => await this.n8n.startManually(workflow));
		return await this.n8n.finished(execution, LONGEST);
	}

	async manySites(username: Account, count: number) {
		return await this.create(
			manualWorkflow([{}], {
				type: NODE_TYPE,
				credentials: credentialsOf(await this.credentialOf(username)),
				parameters: { operation: 'getManySites', siteIds: idsOf(count).join() },
			}),
		);
	}

	requestsOf(username: Account) {
		return this.emulator.journal.requests.filter(({ account }) => account === username);
	}

	/** Milliseconds from the first request of an account to its last one. */
	timeOf(username: Account) {
		const times = this.requestsOf(username).map(({ receivedAt }) => receivedAt);
		return Math.max(...times) - Math.min(...times);
	}

	async sendAsSomebodyElse(username: Account, count: number) {
		const { baseUrl, settings } = this.emulator;
		const client = axios.create({
			baseURL: baseUrl,
			headers: { [settings.versionHeader]: '2025-01-01', 'Content-Type': 'application/json' },
		});
		const { data } = await client.post<{ access_token: string }>('/auth/token', {
			username,
			password: PASSWORD,
		});
		const headers = { Authorization: `Bearer ${data.access_token}` };
		await Promise.all(
			idsOf(count).map(async (id) => await client.get(`/meta/sites/${id}`, { headers })),
		);
	}
}

const idsIn = (execution: Execution) => itemsOf(execution, 'Node').map(({ json }) => json.siteId);

/** The tests run side by side, in all versions at once: each of them waits for minutes. */
describe('a service that takes 100 requests a minute', () => {
	let worlds: World[];

	beforeAll(async () => {
		worlds = await Promise.all(VERSIONS.map(async (version) => await World.begin(version)));
	}, LONGEST);

	const everywhere = (promise: string, test: (world: World) => Promise<void>) =>
		it.concurrent(promise, async () => await inEach(worlds, test));

	everywhere('130 sites arrive in a minute and little more, and n8n shows why', async (world) => {
		const execution = await world.run(await world.manySites('list', 130));

		expect(idsIn(execution)).toEqual(idsOf(130));
		expect(world.emulator.journal.refusalsOf('list')).toBe(0);
		expect(world.emulator.journal.requestsOf('list')).toBe(131);
		expect(world.timeOf('list')).toBeGreaterThan(MINUTE);
		expect(world.timeOf('list')).toBeLessThan(1.25 * MINUTE);
		expect(hintsOf(execution, 'Node')).toEqual([
			expect.stringMatching(
				/^The service takes 100 requests a minute, so 130 sites took 6\d seconds$/,
			),
		]);
	});

	everywhere('two executions of 80 sites at once get them all', async (world) => {
		const rows = idsOf(80).map((id) => ({ id }));
		const node = getSiteNode(await world.credentialOf('twice'));
		const workflow = await world.create(manualWorkflow(rows, node));

		const executions = await Promise.all([world.run(workflow), world.run(workflow)]);

		expect(executions.map(idsIn)).toEqual([idsOf(80), idsOf(80)]);
		expect(world.emulator.journal.refusalsOf('twice')).toBe(0);
		expect(world.emulator.journal.requestsOf('twice')).toBe(161);
		expect(world.timeOf('twice')).toBeLessThan(1.25 * MINUTE);
	});

	everywhere('130 items of the HTTP Request node with the credential arrive', async (world) => {
		const rows = idsOf(130).map((id) => ({ url: `${world.emulator.baseUrl}/meta/sites/${id}` }));
		const node = httpRequestNode(await world.credentialOf('request'));

		const execution = await world.run(await world.create(manualWorkflow(rows, node)));

		expect(idsIn(execution)).toEqual(idsOf(130));
		expect(world.emulator.journal.refusalsOf('request')).toBe(0);
		expect(world.emulator.journal.requestsOf('request')).toBe(131);
	});

	everywhere('60 sites arrive although somebody else uses the account', async (world) => {
		await world.sendAsSomebodyElse('shared', 70);

		const execution = await world.run(await world.manySites('shared', 60));

		expect(idsIn(execution)).toEqual(idsOf(60));
		// Those that were under way when the first one was refused.
		expect(world.emulator.journal.refusalsOf('shared')).toBeGreaterThan(0);
		expect(world.emulator.journal.refusalsOf('shared')).toBeLessThanOrEqual(20);
		expect(hintsOf(execution, 'Node')).toEqual([
			expect.stringMatching(/^The service refused \d+ requests because .* so 60 sites took /),
		]);
	});

	everywhere(
		'a trigger reads 150 sites in four polls, and leaves half of the limit',
		async (world) => {
			const workflow = await world.create(
				triggerWorkflow('Many sites', await world.credentialOf('trigger'), {
					pollTimes: { item: [{ mode: 'everyMinute' }] },
					siteIds: idsOf(150).join(),
				}),
			);
			const asked = () =>
				new Set(
					world
						.requestsOf('trigger')
						.filter(({ route }) => route === 'site')
						.map(({ url }) => url),
				);

			// The activation is a poll as well. A poll may take half a minute.
			await expect(
				world.inTurn(async () => await world.n8n.activate(workflow)),
			).resolves.toBeUndefined();
			await until(() => asked().size === 150, 3.5 * MINUTE);

			expect(world.emulator.journal.refusalsOf('trigger')).toBe(0);
			// Beside the login.
			expect(world.emulator.journal.busiestMinute('trigger')).toBeLessThanOrEqual(50 + 1);
			const statuses = (await world.n8n.executionsOf(workflow)).map(({ status }) => status);
			expect(statuses.filter((status) => status !== 'success')).toEqual([]);
			const told = (await world.n8n.home.log()).match(/so 150 sites are read only once in/g);
			expect(told).toHaveLength(1);
		},
	);

	it('nobody has been banned, and n8n has nothing to complain of', async () => {
		await inEach(worlds, async ({ emulator, n8n }) => {
			expect(emulator.journal.bans).toEqual([]);
			await expect(n8n.home.complaints()).resolves.toEqual([]);
		});
	});
});
