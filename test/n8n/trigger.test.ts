import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inspect } from 'node:util';
import type { IDataObject, INode } from 'n8n-workflow';
import { Emulator } from '../../emulator/server';
import { SITES } from '../../emulator/sites';
import { errorOf, itemsOf, type Execution } from '../../testbed/n8n/instance';
import { getFreePort, until } from '../../testbed/wait';
import { useN8n } from '../../testbed/jest/useN8n';
import {
	credentialRef,
	errorWorkflow,
	pollTimesOf,
	step,
	triggerWorkflow,
	workflow,
} from '../../testbed/workflows';
import { OtherService } from '../../testbed/servers/otherService';
import { Page } from '../docs/pages';

// Slow: starts n8n. Triggers poll every five seconds or more often.

/** After a kill, n8n 2.40's scheduler resumes the interrupted poll up to 90 seconds later. */
const MAX_MS = 120_000;

/** n8n 2's scheduler loads the stored workflow for each poll, and with durable cursors stores the memory after it (n8n 2.40). */
const SCHEDULER = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '1',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TIMEOUT: '15',
};

/** With durable cursors, the poll after an activation starts an execution without items, so that n8n stores what that has fetched. */
const EMPTY_EXECUTIONS = globalThis.N8N_SCHEDULER ? 1 : 0;

const settings = globalThis.N8N_SCHEDULER ? SCHEDULER : {};
const { cleanup, emulator, n8n, activate } = useN8n({}, settings);
let credential: string;

beforeAll(async () => {
	credential = await n8n.createCredential(emulator.credential);
});
afterEach(() => emulator.reset());

const rowsOf = (execution: Execution) => itemsOf(execution, 'Read').map(({ json }) => json);
const licenceChange = (siteId: number, oldValue: string, newValue: string) => ({
	siteId,
	change: 'licenseChanged',
	field: 'license',
	oldValue,
	newValue,
});

const create = async (
	name: string,
	parameters: IDataObject,
	settings: IDataObject = {},
	account = credential,
) => await n8n.createWorkflow(triggerWorkflow(name, account, parameters, settings));
const relicense = (siteId: number, license: string, service = emulator) =>
	service.changeSite(siteId, (site) => ({ ...site, info: { ...site.info, license } }));

const requestsOf = (siteId: number, service = emulator) =>
	service.journal.of('site').filter(({ url }) => url.includes(`/meta/sites/${siteId}?`));
/** Waits until this many more polls of the site have ended. */
const polled = async (siteId: number, times = 1, service = emulator) => {
	const enough = requestsOf(siteId, service).length + times + 1;
	await until(() => requestsOf(siteId, service).length >= enough);
};
/** Makes the site hang once, and waits for a poll that requests it. */
const hang = async (siteId: number) => {
	emulator.fail({ route: 'site', siteId, times: 1, fault: { kind: 'hang' } });
	await until(() => requestsOf(siteId).some(({ fault }) => fault));
};

/** Waits for this many executions with a value, and returns the values. */
const allOf = async <T>(
	workflow: string,
	count: number,
	read: (execution: Execution) => T | undefined,
) => {
	let executions: Execution[] = [];
	const found = () => executions.map(read).filter((value) => value !== undefined);
	const haveCome = async () => {
		executions = await n8n.executionsOf(workflow);
		return found().length >= count;
	};
	await until(haveCome, MAX_MS).catch((cause: unknown) => {
		const came = executions.map((each) => [each.status, errorOf(each) ?? rowsOf(each)]);
		throw new Error(`${count} should have come. These came: ${inspect(came)}`, { cause });
	});
	return found();
};
/** Waits for this many executions with items, and returns their items. */
const told = async (workflow: string, count: number) =>
	await allOf(workflow, count, (execution) => {
		const rows = rowsOf(execution);
		return execution.status === 'success' && rows.length > 0 ? rows : undefined;
	});
const failures = async (workflow: string, count: number) =>
	await allOf(workflow, count, (execution) =>
		execution.status === 'error' ? errorOf(execution) : undefined,
	);

it('the trigger reports changes once after n8n was killed during a poll, also if the service was down at its activation', async () => {
	const port = await getFreePort();
	const away = { ...emulator.credential, baseUrl: `http://127.0.0.1:${port}` };
	const account = await n8n.createCredential(away);
	const waiting = await create('Away', { sites: 'byId', siteIds: '1001' }, {}, account);
	const watching = await create('Killed', { sites: 'byId', siteIds: '1001, 1002' });

	await expect(activate(waiting)).resolves.toBeUndefined();
	await expect(failures(waiting, 1)).resolves.toEqual([
		expect.stringMatching(/could not be reached|refused/),
	]);
	const late = await cleanup.use(new Emulator({ port }).start());
	await activate(watching);
	await polled(1001);
	await polled(1001, 1, late);
	// n8n has stored the memory, with an execution without items.
	const isStored = ({ status }: Execution) => (status === 'success' ? true : undefined);
	await expect(allOf(waiting, 1, isStored)).resolves.toHaveLength(1);
	await expect(told(waiting, 0)).resolves.toEqual([]);

	await hang(1002);
	await n8n.stop('SIGKILL');
	relicense(1001, 'M-H-1');
	relicense(1001, 'M-H-7', late);
	await n8n.restart();

	const change = (licence: string) => [[licenceChange(1001, 'M-H-0101', licence)]];
	await expect(told(watching, 1)).resolves.toMatchObject(change('M-H-1'));
	await expect(told(waiting, 1)).resolves.toMatchObject(change('M-H-7'));
	await polled(1001);
	await expect(n8n.executionsOf(watching)).resolves.toHaveLength(1 + EMPTY_EXECUTIONS);
});

it('the trigger reports a failed site once to the error workflow, and the changes of others', async () => {
	const onFailure = await n8n.createWorkflow(errorWorkflow());
	await activate(onFailure);
	const workflow = await create(
		'A site fails',
		{ sites: 'byId', siteIds: '1003, 1004' },
		{ errorWorkflow: onFailure },
	);
	await activate(workflow);
	// This site is read last: a poll in progress might see only one of the changes.
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
	await expect(n8n.executionsOf(workflow)).resolves.toHaveLength(2 + EMPTY_EXECUTIONS);
	await expect(told(onFailure, 1)).resolves.toHaveLength(1);
	await expect(n8n.executionsOf(onFailure)).resolves.toMatchObject([{ status: 'success' }]);
});

it('the trigger reports a failure once after each activation, also after one by an edit', async () => {
	const workflow = await create('Activated', { sites: 'byId', siteIds: '1008' });
	const other = await n8n.createCredential(emulator.credential);
	emulator.fail({ route: 'site', siteId: 1008, fault: { kind: 'status', status: 400 } });
	const edit = (change: (trigger: INode) => unknown) => async () =>
		await n8n.editFirstNode(workflow, change);
	const activations = [
		async () => await activate(workflow),
		edit(({ parameters }) => Object.assign(parameters, { changes: ['unitAdded'] })),
		edit((trigger) => (trigger.credentials = credentialRef(other))),
		async () => await n8n.deactivate(workflow).then(async () => await activate(workflow)),
	];

	for (const [index, activateAgain] of activations.entries()) {
		await activateAgain();
		await failures(workflow, index + 1);
		await polled(1008);
		await expect(failures(workflow, 0)).resolves.toHaveLength(index + 1);
	}
});

it('the trigger reports each change once with overlapping polls', async () => {
	const atOnce = pollTimesOf(Array.from({ length: 60 }, (_, index) => 3 * (index % 20)));
	const parameters = { sites: 'byId', siteIds: '1006', pollTimes: atOnce };
	const workflow = await create('Often', parameters);
	/** Counts the polls in n8n's log: of its timers as they begin, of its scheduler as they end. */
	const beganPolls = async () => {
		const log = (await n8n.home.log()).split('\n');
		const line = /Poll(ing)? trigger initiated for workflow "Often"|Poll returned no new data/;
		return log.filter((each) => line.test(each) && each.includes(workflow)).length;
	};
	await activate(workflow);
	await polled(1006, 3);
	await hang(1006);
	const began = await beganPolls();
	await until(async () => (await beganPolls()) > began + 2);
	expect(requestsOf(1006).at(-1)).toMatchObject({ fault: { kind: 'hang' } });
	expect(requestsOf(1006).at(-1)?.wasAborted).toBeUndefined();
	const [first = '', ...others] = ['F-A-0106', 'F-A-1', 'F-A-2', 'F-A-3', 'F-A-4', 'F-A-5'];
	for (const [index, licence] of others.entries()) {
		relicense(1006, licence);
		await told(workflow, index + 1);
	}
	await polled(1006, 3);
	const changes = (await told(workflow, others.length)).flat();

	expect(changes).toMatchObject(
		others.map((licence, index) => licenceChange(1006, [first, ...others][index] ?? '', licence)),
	);
});

if (globalThis.N8N_SCHEDULER) {
	it('the trigger reports changes before n8n gives up on a poll with a site that hangs', async () => {
		const parameters = { sites: 'byId', siteIds: '1011, 1012', options: { timeout: 60 } };
		const workflow = await create('Hanging', parameters);
		await activate(workflow);
		await polled(1012);
		emulator.fail({ route: 'site', siteId: 1012, fault: { kind: 'hang' } });
		await polled(1012, 0);
		relicense(1011, 'HANGING');

		await expect(told(workflow, 1)).resolves.toMatchObject([[{ newValue: 'HANGING' }]]);
		await expect(n8n.home.log()).resolves.not.toContain('Poll exceeded its timeout');
	});
} else {
	// A backup does not include durable cursors (n8n 2.40).
	it('the trigger gives a change the same ID after a restored backup, and makes up for a status report', async () => {
		const watched = { sites: 'byId', siteIds: '1007', statusReport: 'daily' };
		const workflow = await create('Again', watched);
		await activate(workflow);
		await polled(1007);
		const backup = path.join(n8n.home.directory, 'backup.json');
		await n8n.home.run(['export:workflow', `--id=${workflow}`, `--output=${backup}`]);
		relicense(1007, 'AGAIN');
		await told(workflow, 1);
		await polled(1007);
		await n8n.deactivate(workflow);
		const backedUp = await readFile(backup, 'utf8');
		await writeFile(
			backup,
			backedUp.replace(/(?<="reportedPeriod":\s*)"[^"]+"/, '"daily 2026-01-01"'),
		);
		await n8n.home.run(['import:workflow', `--input=${backup}`]);
		// Backups are restored while n8n is stopped.
		await n8n.restart();

		await activate(workflow);
		await told(workflow, 2);
		relicense(1007, 'OTHER');
		const [first, again, report, other] = (await told(workflow, 3)).flat();

		const licence = String(SITES.find(({ siteId }) => siteId === 1007)?.info?.license);
		expect(first).toMatchObject(licenceChange(1007, licence, 'AGAIN'));
		expect(again).toEqual({ ...first, seenAt: again?.seenAt });
		expect(other).toMatchObject(licenceChange(1007, 'AGAIN', 'OTHER'));
		expect(other?.changeId).not.toBe(first?.changeId);
		expect(report).toMatchObject({
			change: 'statusReport',
			summary: expect.stringMatching(
				/^All is well: 1 site, last read \d\d:\d\d\. 1 change since the trigger started \(\d\d:\d\d\)\.$/,
			) as unknown,
		});
	});
}
it('the trigger cannot be activated with unknown sites only', async () => {
	const workflow = await create('Bad list', { sites: 'byId', siteIds: 'two, three' });

	await expect(activate(workflow)).resolves.toContain(
		`'Site IDs' contains an unknown site: "two". Enter the ID of the site, or its name`,
	);
});

it("the trigger returns samples to the editor, stores nothing, and its report calls a dead man's switch", async () => {
	const deadMansSwitch = await cleanup.use(new OtherService().start());
	const path = new Page('docs/recipes.md').codes.find((code) => code.includes("? '/fail'"));
	const isReport = {
		leftValue: '={{ $json.change }}',
		rightValue: 'statusReport',
		operator: { type: 'string', operation: 'equals' },
	};
	const conditions = { options: { version: 2 }, conditions: [isReport], combinator: 'and' };
	const [trigger, read] = triggerWorkflow('Sample', credential, {
		...{ sites: 'byId', siteIds: '1005', changes: ['biomassLimitChanged'] },
		statusReport: 'daily',
	}).nodes;
	const id = await n8n.createWorkflow(
		workflow('Sample', [
			trigger as INode,
			[step('Is Report', 'filter', { conditions }, { typeVersion: 2.2 }), read as INode],
			step(
				'Call',
				'httpRequest',
				{ url: `=${deadMansSwitch.address}${path}` },
				{ typeVersion: 4.2 },
			),
		]),
	);

	const execution = await n8n.runManually(id);

	const limit = SITES.find(({ siteId }) => siteId === 1005)?.info?.maxTotalBiomass;
	expect(itemsOf(execution, 'Trigger').map(({ json }) => json)).toMatchObject([
		{ siteId: 1005, field: 'maxTotalBiomass', oldValue: limit, newValue: limit },
		{ summary: expect.stringMatching(/^Sample: All is well: 1 site, /) as unknown },
	]);
	expect(deadMansSwitch.asked).toMatchObject([{ url: '/' }]);
	const { data } = await n8n.get<{ data: IDataObject }>(`/rest/workflows/${id}`);
	expect(data.staticData).toBeNull();
});
