import { parse } from 'flatted';
import type { IDataObject, IRunExecutionData } from 'n8n-workflow';
import { Emulator, UNLIMITED } from '../../emulator/server';
import { SITES } from '../../emulator/sites';
import { MAIN_VERSION, VERSIONS } from '../../testbed/n8n/install';
import { itemsOf, N8nInstance, type Execution } from '../../testbed/n8n/instance';
import { freePort, until } from '../../testbed/wait';
import { shareStage } from '../../testbed/jest/shareStage';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { errorWorkflow, pollTimesOf, triggerWorkflow } from '../../testbed/workflows';

jest.setTimeout(120_000);

/** n8n 2's own scheduler polls, each time with what n8n has stored of the workflow (n8n 2.40). */
const SCHEDULER = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '1',
};
/** With this n8n forgets what a trigger remembers when it is switched on, unless an execution starts (n8n 2.40). */
const DURABLE_CURSORS = { ...SCHEDULER, N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true' };

describe.each<{ how: string; version: string; env?: NodeJS.ProcessEnv; withoutItems: number }>([
	...VERSIONS.map((version) => ({ how: version, version, withoutItems: 0 })),
	{
		how: `${MAIN_VERSION} with its scheduler`,
		version: MAIN_VERSION,
		env: SCHEDULER,
		withoutItems: 0,
	},
	{
		how: `${MAIN_VERSION} with its scheduler and durable cursors`,
		version: MAIN_VERSION,
		env: DURABLE_CURSORS,
		withoutItems: 1,
	},
])('in n8n $how', ({ version, env, withoutItems }) => {
	const stage = shareStage();
	let n8n: N8nInstance;
	let emulator: Emulator;
	let credential: string;
	/** A service that is away at first. */
	let late: Emulator;
	let latePort: number;
	/** Workflows that go on from test to test. */
	let watching: string;
	let waiting: string;

	beforeAll(async () => {
		emulator = await stage.keep(Emulator.start(UNLIMITED));
		latePort = await freePort();
		n8n = await N8nInstance.start(stage, version, env);
		credential = await n8n.createCredential(unlimitedAccount(emulator.baseUrl));
	}, 240_000);

	const create = async (name: string, parameters: IDataObject, settings: IDataObject = {}) =>
		await n8n.createWorkflow(triggerWorkflow(name, credential, parameters, settings));
	const relicense = (siteId: number, license: string, service = emulator) =>
		service.changeSite(siteId, (site) => ({ ...site, info: { ...site.info, license } }));
	const pollsOf = (siteId: number, service = emulator) =>
		service.journal.of('site').filter(({ url }) => url.includes(`/meta/sites/${siteId}?`)).length;
	/** Waits until the site has been polled so many times more, and until the last of these polls is over. */
	const polled = async (siteId: number, times = 1, service = emulator) => {
		const enough = pollsOf(siteId, service) + times + 1;
		await until(() => pollsOf(siteId, service) >= enough, 60_000);
	};
	const dataOf = (execution: Execution) => parse(execution.data) as IRunExecutionData;
	const rowsOf = (execution: Execution) => itemsOf(execution, 'Read').map(({ json }) => json);
	/** Waits for so many executions that have something in common, and gives what it is. */
	const allOf = async <T>(
		workflow: string,
		count: number,
		read: (execution: Execution) => T | undefined,
	) => {
		let found: T[] = [];
		await until(async () => {
			const executions = await n8n.executionsOf(workflow);
			found = executions.map(read).filter((value) => value !== undefined);
			return found.length >= count;
		});
		return found;
	};
	/** The items of the executions that had any. */
	const told = async (workflow: string, count: number) =>
		await allOf(workflow, count, (execution) => {
			const rows = rowsOf(execution);
			return execution.status === 'success' && rows.length > 0 ? rows : undefined;
		});
	const failures = async (workflow: string, count: number) =>
		await allOf(workflow, count, (execution) =>
			execution.status === 'error' ? dataOf(execution).resultData.error?.message : undefined,
		);
	const licenceChange = (siteId: number, oldValue: string, newValue: string) => ({
		siteId,
		change: 'infoChanged',
		field: 'license',
		oldValue,
		newValue,
	});

	it('starts the workflow for a change, and only then', async () => {
		watching = await create('Changes', { siteIds: '1001, 1002' });
		await expect(n8n.activate(watching)).resolves.toBeUndefined();
		await polled(1001);
		await expect(n8n.executionsOf(watching)).resolves.toHaveLength(withoutItems);

		relicense(1002, 'T-N-2');

		await expect(told(watching, 1)).resolves.toMatchObject([
			[licenceChange(1002, 'T-N-0102', 'T-N-2')],
		]);
	});

	it('is switched on while the service is away, and remembers later what it reads', async () => {
		const baseUrl = `http://127.0.0.1:${latePort}`;
		const lateCredential = await n8n.createCredential(unlimitedAccount(baseUrl));
		const parameters = { siteIds: '1001', options: { maxTries: 1 } };
		waiting = await n8n.createWorkflow(triggerWorkflow('Away', lateCredential, parameters));

		await expect(n8n.activate(waiting)).resolves.toBeUndefined();
		const [failure] = await failures(waiting, 1);
		late = await stage.keep(Emulator.start({ ...UNLIMITED, port: latePort }));
		await polled(1001, 1, late);
		const remembered = (await n8n.executionsOf(waiting)).filter(
			({ status }) => status === 'success',
		);

		expect(failure).toMatch(/could not be reached|refused/);
		expect(remembered.length).toBeGreaterThanOrEqual(1);
		expect(remembered.length).toBeLessThanOrEqual(1 + withoutItems);
		await expect(told(waiting, 0)).resolves.toEqual([]);
	});

	it('tells of what happened while n8n was down, and of nothing twice', async () => {
		await n8n.end('SIGKILL');
		relicense(1001, 'M-H-1');
		relicense(1001, 'M-H-7', late);
		await n8n.restart();
		const [, ...whileDown] = await told(watching, 2);
		const lateWhileDown = await told(waiting, 1);
		await polled(1001);

		expect(whileDown).toMatchObject([[licenceChange(1001, 'M-H-0101', 'M-H-1')]]);
		expect(lateWhileDown).toMatchObject([[licenceChange(1001, 'M-H-0101', 'M-H-7')]]);
		await expect(n8n.executionsOf(watching)).resolves.toHaveLength(2 + withoutItems);
	});

	it('tells once of a site that fails, by a failed execution and the error workflow, and of the others', async () => {
		const onFailure = await n8n.createWorkflow(errorWorkflow());
		await n8n.activate(onFailure);
		const workflow = await create(
			'A site fails',
			{ siteIds: '1003, 1004' },
			{ errorWorkflow: onFailure },
		);
		await n8n.activate(workflow);
		// The site that is asked for last: a poll that is under way would see one of the changes only.
		await polled(1004);
		emulator.fail({ route: 'site', siteId: 1004, fault: { kind: 'status', status: 400 } });
		relicense(1003, 'N-A-3');
		relicense(1004, 'N-A-4');

		await polled(1003, 3);

		await expect(failures(workflow, 1)).resolves.toEqual([
			'The service did not accept the request for site 1004',
		]);
		await expect(told(workflow, 1)).resolves.toMatchObject([
			[licenceChange(1003, 'N-A-0103', 'N-A-3')],
		]);
		await expect(n8n.executionsOf(workflow)).resolves.toHaveLength(2 + withoutItems);
		await expect(told(onFailure, 1)).resolves.toHaveLength(1);
		await expect(n8n.executionsOf(onFailure)).resolves.toMatchObject([{ status: 'success' }]);
	});

	it('does not poll beside a poll that takes longer than the time between two', async () => {
		const slow = await stage.keep(Emulator.start({ ...UNLIMITED, latencyMs: 6_500 }));
		const credentialOfSlow = await n8n.createCredential(unlimitedAccount(slow.baseUrl));
		const workflow = await n8n.createWorkflow(
			triggerWorkflow('Slow', credentialOfSlow, { siteIds: '1001', options: { timeout: 20 } }),
		);
		await n8n.activate(workflow);
		await polled(1001, 1, slow);
		const { peakConcurrency } = slow.journal;
		await n8n.deactivate(workflow);

		expect(peakConcurrency).toBe(1);
	});

	it('tells of each change once, however close upon each other n8n polls', async () => {
		const atOnce = pollTimesOf(Array.from({ length: 60 }, (_, index) => 3 * (index % 20)));
		const workflow = await create('Often', { siteIds: '1006', pollTimes: atOnce });
		await n8n.activate(workflow);
		await polled(1006, 3);
		const [first = '', ...others] = ['F-A-0106', 'F-A-1', 'F-A-2', 'F-A-3', 'F-A-4', 'F-A-5'];
		for (const [index, licence] of others.entries()) {
			relicense(1006, licence);
			await told(workflow, index + 1);
		}
		await polled(1006, 3);
		const changes = (await told(workflow, others.length)).flat();
		await n8n.deactivate(workflow);

		expect(changes).toMatchObject(
			others.map((licence, index) => licenceChange(1006, [first, ...others][index] ?? '', licence)),
		);
	});

	it('is not switched on with a list of sites that cannot be used, and says why', async () => {
		const workflow = await create('Bad list', { siteIds: '1001, two' });

		await expect(n8n.activate(workflow)).resolves.toContain(
			`'Site IDs' contains an entry that is not a site ID: "two"`,
		);
	});

	it('gives a sample to the editor, and remembers nothing of it', async () => {
		const workflow = await create('Sample', {
			siteIds: '1005',
			changes: ['infoChanged'],
			infoFields: ['maxTotalBiomass'],
		});

		const execution = await n8n.runManually(workflow);

		const limit = SITES.find(({ siteId }) => siteId === 1005)?.info?.maxTotalBiomass;
		expect(rowsOf(execution)).toMatchObject([
			{ siteId: 1005, field: 'maxTotalBiomass', oldValue: limit, newValue: limit },
		]);
		const { data } = await n8n.get<{ data: IDataObject }>(`/rest/workflows/${workflow}`);
		expect(data.staticData).toBeNull();

		const missing = await n8n.runManually(await create('Missing', { siteIds: '4040' }));
		expect(dataOf(missing).resultData.error?.message).toBe('The service does not know site 4040');
	});
});
