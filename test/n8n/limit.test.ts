import { makeSites } from '../../emulator/sites';
import { hintsOf, itemsOf, type Execution } from '../../testbed/n8n/instance';
import { until } from '../../testbed/wait';
import { useN8n } from '../../testbed/jest/useN8n';
import {
	credentialRef,
	httpRequestNode,
	manualWorkflow,
	NODE_TYPE,
	triggerWorkflow,
	type NewWorkflow,
} from '../../testbed/workflows';

/** Slow: starts n8n and waits for the service's limit in real time. Each wait ends within this time. */
const MAX_MS = 240_000;

const PASSWORD = 'fjord-and-salmon';
/** One account for each test. */
const ACCOUNTS = { long: PASSWORD, request: PASSWORD };
type Account = keyof typeof ACCOUNTS;

const idsOf = (count: number) => makeSites(count).map(({ siteId }) => siteId);
const idsIn = (execution: Execution) => itemsOf(execution, 'Node').map(({ json }) => json.siteId);

const { emulator, n8n } = useN8n({
	accounts: ACCOUNTS,
	latencyMs: 50,
	latencyJitter: 0.4,
	requestsPerMinute: 100,
	sites: makeSites(150),
});

/** Creates a credential with the default limit. */
const credentialOf = async (username: Account) =>
	await n8n.createCredential({ baseUrl: emulator.baseUrl, username, password: PASSWORD });
const start = async (workflow: NewWorkflow) =>
	await n8n.startManually(await n8n.createWorkflow(workflow));
const run = async (workflow: NewWorkflow) => await n8n.finished(await start(workflow), MAX_MS);
const readMany = (credential: string, count: number) =>
	manualWorkflow([{}], {
		type: NODE_TYPE,
		credentials: credentialRef(credential),
		parameters: { operation: 'getManySites', sites: 'byId', siteIds: idsOf(count).join() },
	});
/** Activates a trigger that polls each minute. */
const watch = async (credential: string, siteIds: string) => {
	const parameters = { pollTimes: { item: [{ mode: 'everyMinute' }] }, sites: 'byId', siteIds };
	const workflow = triggerWorkflow(`Of ${siteIds}`, credential, parameters);
	const id = await n8n.createWorkflow(workflow);
	await n8n.activate(id);
	return id;
};
const requestsOf = (username: Account) =>
	emulator.journal.requests.filter(({ account }) => account === username);

it('at the limit, a credential test, ten sites and two triggers do not wait for a run of 150 sites', async () => {
	const credential = await credentialOf('long');
	const long = await start(readMany(credential, 150));
	await until(() => requestsOf('long').length > 80, MAX_MS);

	const triggers = [await watch(credential, '5001, 5002'), await watch(credential, '5003, 5004')];
	await expect(n8n.testCredential(credential)).resolves.toMatchObject({ status: 'OK' });
	expect(idsIn(await run(readMany(credential, 10)))).toEqual(idsOf(10));
	expect(requestsOf('long').some(({ url }) => url.includes('/5150'))).toBe(false);

	const execution = await n8n.finished(long, MAX_MS);
	expect(idsIn(execution)).toEqual(idsOf(150));
	expect(emulator.journal.countRateLimited('long')).toBe(0);
	expect(emulator.journal.maxPerMinute('long')).toBeLessThanOrEqual(100);
	expect(hintsOf(execution, 'Node')).toEqual([
		expect.stringMatching(
			/^150 sites took .+ because of the request limit of the account. Other workflows and triggers share it$/,
		),
	]);
	for (const trigger of triggers) {
		const executions = await n8n.executionsOf(trigger);
		expect(executions.filter(({ status }) => status !== 'success')).toEqual([]);
	}
	// Each site is read by both executions, at the trigger's activation and by its next poll.
	const reads = (id: number) =>
		requestsOf('long').filter(({ url }) => url.includes(`/${id}?$include=units`));
	await until(() => idsOf(4).every((id) => reads(id).length >= 4), MAX_MS);
});

it('at the limit, 110 items of the HTTP Request node arrive', async () => {
	const rows = idsOf(110).map((id) => ({ url: `${emulator.baseUrl}/meta/sites/${id}` }));
	const node = httpRequestNode(await credentialOf('request'));

	const execution = await run(manualWorkflow(rows, node));

	expect(idsIn(execution)).toEqual(idsOf(110));
	expect(emulator.journal.countRateLimited('request')).toBe(0);
	expect(requestsOf('request')).toHaveLength(111);
});
