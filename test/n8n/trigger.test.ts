import { parse } from 'flatted';
import type { IDataObject, IRunExecutionData } from 'n8n-workflow';
import { Emulator, UNLIMITED } from '../../emulator/server';
import { SITES } from '../../emulator/sites';
import { itemsOf, N8nInstance, type Execution } from '../../testbed/n8n/instance';
import { triggerWorlds, VERSIONS, type TriggerWorld } from '../../testbed/n8n/versions';
import { freePort, until } from '../../testbed/wait';
import { inEach } from '../../testbed/jest/inEach';
import { shareStage } from '../../testbed/jest/shareStage';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { errorWorkflow, pollTimesOf, triggerWorkflow } from '../../testbed/workflows';

/** n8n 2.40's scheduler takes up a poll that was under way when n8n was killed up to a minute and a half later. */
const LONGEST = 120_000;

jest.setTimeout(2 * LONGEST);

const stage = shareStage();

/** An n8n, and a service of its own. */
class World {
	/** A service that is away at first. */
	late!: Emulator;

	/** Workflows that go on from test to test. */
	watching = '';

	waiting = '';

	private constructor(
		readonly name: string,
		readonly withoutItems: number,
		readonly n8n: N8nInstance,
		readonly emulator: Emulator,
		readonly latePort: number,
		private readonly credential: string,
	) {}

	static async begin({ name, version, env, withoutItems }: TriggerWorld): Promise<World> {
		const emulator = await stage.keep(Emulator.start(UNLIMITED));
		const latePort = await freePort();
		const n8n = await N8nInstance.start(stage, version, env);
		const credential = await n8n.createCredential(unlimitedAccount(emulator.baseUrl));
		return new World(name, withoutItems, n8n, emulator, latePort, credential);
	}

	async create(name: string, parameters: IDataObject, settings: IDataObject = {}) {
		const workflow = triggerWorkflow(name, this.credential, parameters, settings);
		return await this.n8n.createWorkflow(workflow);
	}

	relicense(siteId: number, license: string, service = this.emulator) {
		service.changeSite(siteId, (site) => ({ ...site, info: { ...site.info, license } }));
	}

	/** Waits until the site has been polled so many times more, and until the last of these polls is over. */
	async polled(siteId: number, times = 1, service = this.emulator) {
		const polls = () =>
			service.journal.of('site').filter(({ url }) => url.includes(`/meta/sites/${siteId}?`)).length;
		const enough = polls() + times + 1;
		await until(() => polls() >= enough, 60_000);
	}

	/** The items of the executions that had any, once there are so many. */
	async told(workflow: string, count: number) {
		return await this.allOf(workflow, count, (execution) => {
			const rows = rowsOf(execution);
			return execution.status === 'success' && rows.length > 0 ? rows : undefined;
		});
	}

	async failures(workflow: string, count: number) {
		return await this.allOf(workflow, count, (execution) =>
			execution.status === 'error' ? dataOf(execution).resultData.error?.message : undefined,
		);
	}

	/** The executions that failed or had items; the test fails if there is another number of others. */
	async eventful(workflow: string) {
		const executions = await this.n8n.executionsOf(workflow);
		const found = executions.filter(
			(execution) => execution.status !== 'success' || rowsOf(execution).length > 0,
		);
		expect(executions.length - found.length).toBe(this.withoutItems);
		return found;
	}

	/** Waits for so many executions that have something in common, and gives what it is. */
	private async allOf<T>(
		workflow: string,
		count: number,
		read: (execution: Execution) => T | undefined,
	) {
		let found: T[] = [];
		await until(async () => {
			const executions = await this.n8n.executionsOf(workflow);
			found = executions.map(read).filter((value) => value !== undefined);
			return found.length >= count;
		}, LONGEST);
		return found;
	}
}

const dataOf = (execution: Execution) => parse(execution.data) as IRunExecutionData;
const rowsOf = (execution: Execution) => itemsOf(execution, 'Read').map(({ json }) => json);
const licenceChange = (siteId: number, oldValue: string, newValue: string) => ({
	siteId,
	change: 'licenceChanged',
	field: 'license',
	oldValue,
	newValue,
});

describe('the trigger, in all settings at once', () => {
	let worlds: World[];

	beforeAll(async () => {
		worlds = await Promise.all(
			triggerWorlds(VERSIONS).map(async (world) => await World.begin(world)),
		);
	}, 480_000);

	const everywhere = (promise: string, test: (world: World) => Promise<void>) =>
		it(promise, async () => await inEach(worlds, test));

	everywhere('the trigger starts the workflow for a change, and only then', async (world) => {
		world.watching = await world.create('Changes', { sites: 'byId', siteIds: '1001, 1002' });
		await expect(world.n8n.activate(world.watching)).resolves.toBeUndefined();
		await world.polled(1001);
		await expect(world.eventful(world.watching)).resolves.toEqual([]);

		world.relicense(1002, 'T-N-2');

		await expect(world.told(world.watching, 1)).resolves.toMatchObject([
			[licenceChange(1002, 'T-N-0102', 'T-N-2')],
		]);
	});

	everywhere(
		'the trigger is switched on while the service is away, and remembers later what it reads',
		async (world) => {
			const baseUrl = `http://127.0.0.1:${world.latePort}`;
			const lateCredential = await world.n8n.createCredential(unlimitedAccount(baseUrl));
			const parameters = { sites: 'byId', siteIds: '1001' };
			world.waiting = await world.n8n.createWorkflow(
				triggerWorkflow('Away', lateCredential, parameters),
			);

			await expect(world.n8n.activate(world.waiting)).resolves.toBeUndefined();
			const [failure] = await world.failures(world.waiting, 1);
			world.late = await stage.keep(Emulator.start({ ...UNLIMITED, port: world.latePort }));
			await world.polled(1001, 1, world.late);
			const remembered = (await world.n8n.executionsOf(world.waiting)).filter(
				({ status }) => status === 'success',
			);

			expect(failure).toMatch(/could not be reached|refused/);
			expect(remembered.length).toBeGreaterThanOrEqual(1);
			expect(remembered.length).toBeLessThanOrEqual(1 + world.withoutItems);
			await expect(world.told(world.waiting, 0)).resolves.toEqual([]);
		},
	);

	everywhere(
		'the trigger reports what happened while n8n was down, and nothing twice, though n8n was killed in the middle of a poll',
		async (world) => {
			world.emulator.fail({ route: 'site', siteId: 1002, times: 1, fault: { kind: 'hang' } });
			await until(() => world.emulator.journal.requests.some(({ fault }) => fault));
			await world.n8n.end('SIGKILL');
			world.relicense(1001, 'M-H-1');
			world.relicense(1001, 'M-H-7', world.late);
			await world.n8n.restart();
			const [, ...whileDown] = await world.told(world.watching, 2);
			const lateWhileDown = await world.told(world.waiting, 1);
			await world.polled(1001);

			expect(whileDown).toMatchObject([[licenceChange(1001, 'M-H-0101', 'M-H-1')]]);
			expect(lateWhileDown).toMatchObject([[licenceChange(1001, 'M-H-0101', 'M-H-7')]]);
			await expect(world.eventful(world.watching)).resolves.toHaveLength(2);
		},
	);

	everywhere(
		'the trigger reports a site that fails once, by a failed execution and the error workflow, and the others',
		async (world) => {
			const onFailure = await world.n8n.createWorkflow(errorWorkflow());
			await world.n8n.activate(onFailure);
			const workflow = await world.create(
				'A site fails',
				{ sites: 'byId', siteIds: '1003, 1004' },
				{ errorWorkflow: onFailure },
			);
			await world.n8n.activate(workflow);
			// The site that is asked for last: a poll that is under way would see one of the changes only.
			await world.polled(1004);
			world.emulator.fail({ route: 'site', siteId: 1004, fault: { kind: 'status', status: 400 } });
			world.relicense(1003, 'N-A-3');
			world.relicense(1004, 'N-A-4');

			await world.polled(1003, 3);

			await expect(world.failures(workflow, 1)).resolves.toEqual([
				'The service did not accept the request for site 1004',
			]);
			await expect(world.told(workflow, 1)).resolves.toMatchObject([
				[licenceChange(1003, 'N-A-0103', 'N-A-3')],
			]);
			await expect(world.eventful(workflow)).resolves.toHaveLength(2);
			await expect(world.told(onFailure, 1)).resolves.toHaveLength(1);
			await expect(world.n8n.executionsOf(onFailure)).resolves.toMatchObject([
				{ status: 'success' },
			]);
		},
	);

	everywhere(
		'the trigger reports each change once, however close upon each other n8n polls',
		async (world) => {
			const atOnce = pollTimesOf(Array.from({ length: 60 }, (_, index) => 3 * (index % 20)));
			const workflow = await world.create('Often', {
				sites: 'byId',
				siteIds: '1006',
				pollTimes: atOnce,
			});
			await world.n8n.activate(workflow);
			await world.polled(1006, 3);
			const [first = '', ...others] = ['F-A-0106', 'F-A-1', 'F-A-2', 'F-A-3', 'F-A-4', 'F-A-5'];
			for (const [index, licence] of others.entries()) {
				world.relicense(1006, licence);
				await world.told(workflow, index + 1);
			}
			await world.polled(1006, 3);
			const changes = (await world.told(workflow, others.length)).flat();
			await world.n8n.deactivate(workflow);

			expect(changes).toMatchObject(
				others.map((licence, index) =>
					licenceChange(1006, [first, ...others][index] ?? '', licence),
				),
			);
		},
	);

	it('the trigger gives a change the same ID where a backup brings it back, and another one to any other', async () => {
		// Durable cursors are no part of a backup (n8n 2.40).
		const inBackup = worlds.filter(({ name }) => !name.includes('scheduler'));
		await inEach(inBackup, async (world) => {
			const { n8n } = world;
			const workflow = await world.create('Again', { sites: 'byId', siteIds: '1007' });
			await n8n.activate(workflow);
			await world.polled(1007);
			const backup = await n8n.backUp(workflow);
			world.relicense(1007, 'AGAIN');
			await world.told(workflow, 1);
			await world.polled(1007);
			await n8n.deactivate(workflow);
			await n8n.restore(backup);

			await n8n.activate(workflow);
			await world.told(workflow, 2);
			world.relicense(1007, 'OTHER');
			const [first, again, other] = (await world.told(workflow, 3)).flat();

			const licence = String(SITES.find(({ siteId }) => siteId === 1007)?.info?.license);
			expect(first).toMatchObject(licenceChange(1007, licence, 'AGAIN'));
			expect(again).toEqual({ ...first, seenAt: again?.seenAt });
			expect(other).toMatchObject(licenceChange(1007, 'AGAIN', 'OTHER'));
			expect(other?.id).not.toBe(first?.id);
		});
	});

	everywhere(
		'the trigger is not switched on with a list of sites that cannot be used, and says why',
		async (world) => {
			const workflow = await world.create('Bad list', { sites: 'byId', siteIds: '1001, two' });

			await expect(world.n8n.activate(workflow)).resolves.toContain(
				`'Site IDs' contains an unknown site: "two"`,
			);
		},
	);

	everywhere(
		'the trigger gives a sample to the editor, and remembers nothing of it',
		async (world) => {
			const workflow = await world.create('Sample', {
				sites: 'byId',
				siteIds: '1005',
				changes: ['biomassLimitChanged'],
			});

			const execution = await world.n8n.runManually(workflow);

			const limit = SITES.find(({ siteId }) => siteId === 1005)?.info?.maxTotalBiomass;
			expect(rowsOf(execution)).toMatchObject([
				{ siteId: 1005, field: 'maxTotalBiomass', newValue: limit },
			]);
			expect(rowsOf(execution)[0]?.oldValue).not.toBe(limit);
			const { data } = await world.n8n.get<{ data: IDataObject }>(`/rest/workflows/${workflow}`);
			expect(data.staticData).toBeNull();
		},
	);
});
