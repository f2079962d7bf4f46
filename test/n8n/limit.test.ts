import { Emulator } from '../../emulator/server';
import { madeUpSite } from '../../emulator/sites';
import { VERSIONS } from '../../testbed/n8n/versions';
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

/** The runs wait for the minute of the service, which is a real one: nothing here takes longer. */
const LONGEST = 240_000;

jest.setTimeout(LONGEST);

const PASSWORD = 'fjord-and-salmon';
/** The account of each test. */
const ACCOUNTS = ['long', 'request', 'told', 'untold'] as const;
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
				latencyMs: 50,
				latencyJitter: 0.4,
				requestsPerMinute: 100,
				sites: idsOf(150).map(madeUpSite),
			}),
		);
		return new World(`n8n ${version}`, await N8nInstance.start(stage, version), emulator);
	}

	/** Writes one thing after the other: n8n 1.123 answers with 500 if it is to write two at the same moment. */
	async inTurn<T>(write: () => Promise<T>): Promise<T> {
		const turn = this.lastWrite.then(write);
		this.lastWrite = turn.catch(() => undefined);
		return await turn;
	}

	/** A credential, with the limit that n8n fills in. */
	async credentialOf(username: Account) {
		const { baseUrl } = this.emulator;
		const typed = { baseUrl, username, password: PASSWORD };
		return await this.inTurn(async () => await this.n8n.createCredential(typed));
	}

	async run(workflow: NewWorkflow) {
		const { n8n } = this;
		const execution = await this.inTurn(
			async () => await n8n.startManually(await n8n.createWorkflow(workflow)),
		);
		return await n8n.finished(execution, LONGEST);
	}

	async readMany(credential: string, count: number) {
		const workflow = manualWorkflow([{}], {
			type: NODE_TYPE,
			credentials: credentialsOf(credential),
			parameters: { operation: 'getManySites', sites: 'byId', siteIds: idsOf(count).join() },
		});
		return await this.run(workflow);
	}

	/** Activates a trigger that polls each minute. */
	async watch(credential: string, siteIds: string) {
		const pollTimes = { item: [{ mode: 'everyMinute' }] };
		const parameters = { pollTimes, sites: 'byId', siteIds };
		return await this.inTurn(async () => {
			const workflow = triggerWorkflow(`Of ${siteIds}`, credential, parameters);
			const id = await this.n8n.createWorkflow(workflow);
			await this.n8n.activate(id);
			return id;
		});
	}

	requestsOf(username: Account) {
		return this.emulator.journal.requests.filter(({ account }) => account === username);
	}
}

const idsIn = (execution: Execution) => itemsOf(execution, 'Node').map(({ json }) => json.siteId);

/** The tests run side by side, in all versions at once: each of them waits for a minute or two. */
describe('a service that takes 100 requests a minute', () => {
	let worlds: World[];

	beforeAll(async () => {
		worlds = await Promise.all(VERSIONS.map(async (version) => await World.begin(version)));
	}, LONGEST);

	const everywhere = (promise: string, test: (world: World) => Promise<void>) =>
		it.concurrent(promise, async () => await inEach(worlds, test));

	everywhere(
		'a credential test, ten sites and two triggers come before the end of a run of 150 sites, and nothing is refused',
		async (world) => {
			const { n8n, emulator } = world;
			const credential = await world.credentialOf('long');
			const run = world.readMany(credential, 150);
			await until(() => world.requestsOf('long').length > 80, LONGEST);

			const triggers = [
				await world.watch(credential, '5001, 5002'),
				await world.watch(credential, '5003, 5004'),
			];
			const test = world.inTurn(async () => await n8n.testCredential(credential));
			await expect(test).resolves.toMatchObject({ status: 'OK' });
			expect(idsIn(await world.readMany(credential, 10))).toEqual(idsOf(10));
			expect(world.requestsOf('long').some(({ url }) => url.includes('/5150'))).toBe(false);

			const execution = await run;
			expect(idsIn(execution)).toEqual(idsOf(150));
			expect(emulator.journal.refusalsOf('long')).toBe(0);
			expect(emulator.journal.busiestMinute('long')).toBeLessThanOrEqual(100);
			expect(hintsOf(execution, 'Node')).toEqual([
				expect.stringMatching(
					/^150 sites took .+ because of the limit of the account, which other workflows and triggers share$/,
				),
			]);
			for (const trigger of triggers) {
				const executions = await n8n.executionsOf(trigger);
				expect(executions.filter(({ status }) => status !== 'success')).toEqual([]);
			}
			// Each site was read when its trigger was activated, and at a full minute since.
			for (const id of idsOf(4)) {
				const polls = world
					.requestsOf('long')
					.filter(({ url }) => url.includes(`/${id}?$include=units`));
				expect(polls.length).toBeGreaterThanOrEqual(2);
			}
		},
	);

	everywhere('110 items of the HTTP Request node with the credential arrive', async (world) => {
		const rows = idsOf(110).map((id) => ({ url: `${world.emulator.baseUrl}/meta/sites/${id}` }));
		const node = httpRequestNode(await world.credentialOf('request'));

		const execution = await world.run(manualWorkflow(rows, node));

		expect(idsIn(execution)).toEqual(idsOf(110));
		expect(world.emulator.journal.refusalsOf('request')).toBe(0);
		expect(world.requestsOf('request')).toHaveLength(111);
	});

	it.concurrent.each([
		['told', 'as long as it says', { 'retry-after': '5' }, 5],
		['untold', 'a minute if it does not say how long', {}, 60],
	] as const)(
		'a refusal (%s) stops the account for %s',
		async (account, _how, headers, seconds) =>
			await inEach(worlds, async (world) => {
				const credential = await world.credentialOf(account);
				const siteId = account === 'told' ? 5140 : 5141;
				const fault = { kind: 'status', status: 429, headers } as const;
				world.emulator.fail({ route: 'site', siteId, times: 1, fault });
				const rows = [{ id: siteId }];

				const execution = await world.run(manualWorkflow(rows, getSiteNode(credential)));

				expect(idsIn(execution)).toEqual([siteId]);
				const [, refused, next] = world.requestsOf(account);
				expect(refused?.status).toBe(429);
				const stoppedMs = (next?.receivedAt ?? 0) - (refused?.receivedAt ?? 0);
				expect(stoppedMs).toBeGreaterThanOrEqual(seconds * 1000);
				expect(stoppedMs).toBeLessThan(seconds * 1000 + 10_000);
			}),
	);

	it('n8n has nothing to complain of at the limit', async () => {
		await inEach(worlds, async ({ n8n }) => {
			await expect(n8n.home.complaints()).resolves.toEqual([]);
		});
	});
});
