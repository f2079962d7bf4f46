import { parse } from 'flatted';
import type { IDataObject, IRunExecutionData } from 'n8n-workflow';
import { DEMO_ACCOUNT, Emulator } from '../../emulator/server';
import { SITES } from '../../emulator/sites';
import { VERSIONS } from '../../scripts/n8n/install';
import { N8nInstance, type Execution } from '../../scripts/n8n/instance';
import { freePort, until } from '../../scripts/n8n/wait';
import { shareStage } from './harness/shareStage';
import { errorWorkflow, triggerWorkflow } from './harness/workflows';

jest.setTimeout(120_000);

describe.each(VERSIONS)('in n8n %s', (version) => {
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
		emulator = await stage.keep(Emulator.start());
		latePort = await freePort();
		n8n = await N8nInstance.start(stage, version);
		credential = await n8n.createCredential({ baseUrl: emulator.baseUrl, ...DEMO_ACCOUNT });
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
	const ended = async (workflow: string, count: number) => {
		let executions: Execution[] = [];
		await until(async () => {
			executions = await n8n.executionsOf(workflow);
			return executions.length >= count;
		});
		return executions;
	};
	const dataOf = (execution: Execution | undefined) =>
		parse(execution?.data ?? '[{}]') as IRunExecutionData;
	const itemsOf = (execution: Execution | undefined) =>
		dataOf(execution).resultData.runData.Read?.[0]?.data?.main?.[0]?.map(({ json }) => json);
	const errorOf = (execution: Execution | undefined) => dataOf(execution).resultData.error;
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
		await expect(n8n.executionsOf(watching)).resolves.toEqual([]);

		relicense(1002, 'T-N-2');
		const [execution] = await ended(watching, 1);

		expect(execution?.status).toBe('success');
		expect(itemsOf(execution)).toMatchObject([licenceChange(1002, 'T-N-0102', 'T-N-2')]);
	});

	it('is switched on while the service is away, and remembers later what it reads', async () => {
		const baseUrl = `http://127.0.0.1:${latePort}`;
		const lateCredential = await n8n.createCredential({ baseUrl, ...DEMO_ACCOUNT });
		const parameters = { siteIds: '1001', options: { maxTries: 1 } };
		waiting = await n8n.createWorkflow(triggerWorkflow('Away', lateCredential, parameters));

		await expect(n8n.activate(waiting)).resolves.toBeUndefined();
		const [failed] = await ended(waiting, 1);
		late = await stage.keep(Emulator.start({ port: latePort }));
		const [, baseline] = await ended(waiting, 2);

		expect(failed?.status).toBe('error');
		expect(errorOf(failed)?.message).toMatch(/could not be reached|refused/);
		expect(baseline?.status).toBe('success');
		expect(itemsOf(baseline)).toBeUndefined();
	});

	it('tells of what happened while n8n was down, and of nothing twice', async () => {
		await n8n.end('SIGKILL');
		relicense(1001, 'M-H-1');
		relicense(1001, 'M-H-7', late);
		await n8n.restart();
		const [, whileDown] = await ended(watching, 2);
		const [, , lateWhileDown] = await ended(waiting, 3);
		await polled(1001);

		expect(itemsOf(whileDown)).toMatchObject([licenceChange(1001, 'M-H-0101', 'M-H-1')]);
		expect(itemsOf(lateWhileDown)).toMatchObject([licenceChange(1001, 'M-H-0101', 'M-H-7')]);
		await expect(n8n.executionsOf(watching)).resolves.toHaveLength(2);
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
		await polled(1003);
		emulator.fail({ route: 'site', siteId: 1004, fault: { kind: 'status', status: 400 } });
		relicense(1003, 'N-A-3');
		relicense(1004, 'N-A-4');

		await polled(1003, 3);
		const executions = await ended(workflow, 2);
		const failed = executions.filter(({ status }) => status === 'error');
		const succeeded = executions.filter(({ status }) => status === 'success');

		expect(failed.map((execution) => errorOf(execution)?.message)).toEqual([
			'The service did not accept the request for site 1004',
		]);
		expect(succeeded.map(itemsOf)).toMatchObject([[licenceChange(1003, 'N-A-0103', 'N-A-3')]]);
		await expect(ended(onFailure, 1)).resolves.toMatchObject([{ status: 'success' }]);
	});

	it('does not poll beside a poll that takes longer than the time between two', async () => {
		const slow = await stage.keep(Emulator.start({ latencyMs: 6_500 }));
		const credentialOfSlow = await n8n.createCredential({
			baseUrl: slow.baseUrl,
			...DEMO_ACCOUNT,
		});
		const workflow = await n8n.createWorkflow(
			triggerWorkflow('Slow', credentialOfSlow, { siteIds: '1001', options: { timeout: 20 } }),
		);
		await n8n.activate(workflow);
		await polled(1001, 1, slow);
		const { peakConcurrency } = slow.journal;
		await n8n.deactivate(workflow);

		expect(peakConcurrency).toBe(1);
	});

	it('is not switched on with a list of sites that cannot be used, and says why', async () => {
		const workflow = await create('Bad list', { siteIds: '1001, two' });

		await expect(n8n.activate(workflow)).resolves.toContain(
			`The 'Site IDs' parameter holds an entry that is not a site ID: "two"`,
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
		expect(itemsOf(execution)).toMatchObject([
			{ siteId: 1005, field: 'maxTotalBiomass', oldValue: limit, newValue: limit },
		]);
		const { data } = await n8n.get<{ data: IDataObject }>(`/rest/workflows/${workflow}`);
		expect(data.staticData).toBeNull();

		const missing = await n8n.runManually(await create('Missing', { siteIds: '4040' }));
		expect(errorOf(missing)?.message).toBe('The service does not know site 4040');
	});
});
