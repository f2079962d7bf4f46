import { Emulator } from '../../emulator/server';
import { madeUpSite } from '../../emulator/sites';
import { VERSIONS } from '../../testbed/n8n/versions';
import { hintsOf, itemsOf, N8nInstance, type Execution } from '../../testbed/n8n/instance';
import { until } from '../../testbed/wait';
import { inEach } from '../../testbed/jest/inEach';
import { shareStage } from '../../testbed/jest/shareStage';
import {
	credentialsOf,
	httpRequestNode,
	manualWorkflow,
	NODE_TYPE,
	triggerWorkflow,
	type NewWorkflow,
} from '../../testbed/workflows';

const MINUTE = 60_000;
/** Nothing here takes longer. */
const LONGEST = 5 * MINUTE;

jest.setTimeout(LONGEST);

const PASSWORD = 'fjord-and-salmon';
/** The account of each test. */
const ACCOUNTS = ['long', 'request', 'many'] as const;
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
				sites: idsOf(250).map(madeUpSite),
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

	async create(workflow: NewWorkflow) {
		return await this.inTurn(async () => await this.n8n.createWorkflow(workflow));
	}

	async run(workflow: string) {
		const execution = await this.inTurn(async () => await this.n8n.startManually(workflow));
		return await this.n8n.finished(execution, LONGEST);
	}

	async readMany(credential: string, count: number) {
		const workflow = manualWorkflow([{}], {
			type: NODE_TYPE,
			credentials: credentialsOf(credential),
			parameters: { operation: 'getManySites', sites: 'byId', siteIds: idsOf(count).join() },
		});
		return await this.run(await this.create(workflow));
	}

	requestsOf(username: Account) {
		return this.emulator.journal.requests.filter(({ account }) => account === username);
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

	everywhere(
		'a credential test and ten sites come before the end of a run of 250 sites, and four triggers are read at every poll',
		async (world) => {
			const credential = await world.credentialOf('long');
			const run = world.readMany(credential, 250);
			await until(() => world.requestsOf('long').length > 90, 2 * MINUTE);

			const triggers = idsOf(20).filter((_, index) => index % 5 === 0);
			const activating = triggers.map(async (first) => {
				const workflow = await world.create(
					triggerWorkflow(`From ${first}`, credential, {
						pollTimes: { item: [{ mode: 'everyMinute' }] },
						sites: 'byId',
						siteIds: idsOf(5)
							.map((id) => id - 5001 + first)
							.join(),
					}),
				);
				await world.inTurn(async () => await world.n8n.activate(workflow));
				return workflow;
			});
			const workflows = await Promise.all(activating);
			await expect(
				world.inTurn(async () => await world.n8n.testCredential(credential)),
			).resolves.toMatchObject({ status: 'OK' });
			expect(idsIn(await world.readMany(credential, 10))).toEqual(idsOf(10));
			// Neither had to wait until the run is over.
			expect(world.requestsOf('long').some(({ url }) => url.includes('/5250'))).toBe(false);

			const execution = await run;
			expect(idsIn(execution)).toEqual(idsOf(250));
			expect(world.emulator.journal.refusalsOf('long')).toBe(0);
			expect(world.emulator.journal.busiestMinute('long')).toBeLessThanOrEqual(100);
			expect(hintsOf(execution, 'Node')).toEqual([
				expect.stringMatching(
					/^The account may send 100 requests a minute, so 250 sites took (1\d\d seconds|[34] minutes)$/,
				),
			]);
			for (const workflow of workflows) {
				const failed = await world.n8n.executionsOf(workflow);
				expect(failed.filter(({ status }) => status !== 'success')).toEqual([]);
				await world.inTurn(async () => await world.n8n.deactivate(workflow));
			}
			// Each was read at its activation, and at each full minute since.
			const asked = (id: number) =>
				world.requestsOf('long').filter(({ url }) => url.includes(`/sites/${id}?$include=units`));
			for (const id of idsOf(20)) expect(asked(id).length).toBeGreaterThanOrEqual(3);
		},
	);

	everywhere('130 items of the HTTP Request node with the credential arrive', async (world) => {
		const rows = idsOf(130).map((id) => ({ url: `${world.emulator.baseUrl}/meta/sites/${id}` }));
		const node = httpRequestNode(await world.credentialOf('request'));

		const execution = await world.run(await world.create(manualWorkflow(rows, node)));

		expect(idsIn(execution)).toEqual(idsOf(130));
		expect(world.emulator.journal.refusalsOf('request')).toBe(0);
		expect(world.requestsOf('request')).toHaveLength(131);
	});

	everywhere(
		'a trigger has read 160 sites by the end of the first of its polls every three minutes',
		async (world) => {
			const workflow = await world.create(
				triggerWorkflow('Many', await world.credentialOf('many'), {
					pollTimes: { item: [{ mode: 'everyX', unit: 'minutes', value: 3 }] },
					sites: 'byId',
					siteIds: idsOf(160).join(),
				}),
			);
			await world.inTurn(async () => await world.n8n.activate(workflow));
			const asked = () => world.requestsOf('many').filter(({ method }) => method === 'GET');
			await until(() => new Set(asked().map(({ url }) => url)).size === 160, LONGEST);
			await world.inTurn(async () => await world.n8n.deactivate(workflow));

			const failed = await world.n8n.executionsOf(workflow);
			expect(failed.filter(({ status }) => status !== 'success')).toEqual([]);
			// What the activation has read is not asked for again.
			expect(asked().length).toBeLessThanOrEqual(250);
			expect(world.emulator.journal.refusalsOf('many')).toBe(0);
		},
	);

	it('no request was refused, and n8n has nothing to complain of', async () => {
		await inEach(worlds, async ({ emulator, n8n }) => {
			expect(emulator.journal.refusals).toBe(0);
			await expect(n8n.home.complaints()).resolves.toEqual([]);
		});
	});
});
