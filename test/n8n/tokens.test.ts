import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import type { FaultRule } from '../../emulator/faults';
import { makeSites } from '../../emulator/sites';
import { useN8n } from '../../testbed/jest/useN8n';
import { IS_N8N_1 } from '../../testbed/n8n/versions';
import { until } from '../../testbed/wait';
import { getSiteNode, manualWorkflow, webhookWorkflow } from '../../testbed/workflows';

// Slow: starts n8n twice.

/** The public API requires them; it has no defaults. */
const VERSION_FIELDS = {
	versionHeader: 'Service-Version',
	tokenVersion: '2025-01-01',
	dataVersion: '2023-01-01',
};
const PASSWORD = 'fjord-and-salmon';
const rowsOf = (...siteIds: number[]) => siteIds.map((id) => ({ id }));

const { emulator, n8n } = useN8n({ sites: makeSites(3), accounts: {} });

beforeEach(() => emulator.reset());

/** Adds an account without a token, and returns the fields of its credential. */
const newAccount = (username: string): IDataObject => {
	emulator.settings.accounts[username] = PASSWORD;
	return { baseUrl: emulator.baseUrl, username, password: PASSWORD, requestsPerMinute: 10_000 };
};
/** Creates a credential for a new account, and a webhook of the same name that uses it. */
const open = async (username: string) => {
	const credential = await n8n.createCredential(newAccount(username));
	await n8n.addWebhook(webhookWorkflow(username, getSiteNode(credential)));
	return credential;
};
/** Returns the IDs of the sites that the account's webhook has read. */
const read = async (username: string, ...siteIds: number[]) => {
	const items = await n8n.callWebhook<IDataObject[]>(username, rowsOf(...siteIds));
	return items.map(({ siteId }) => siteId);
};
const burst = async (username: string) => {
	const runs = Array.from({ length: 20 }, async () => await read(username, 5001, 5002));
	return await Promise.all(runs);
};
const ALL_READ = Array(20).fill([5001, 5002]);
const requestsOf = (username: string, route: 'token' | 'site') =>
	emulator.journal.of(route).filter(({ account }) => account === username);
const logins = (username: string) => requestsOf(username, 'token').length;

it('after an edit by the public API, requests use the new account', async () => {
	const credential = await open('api');
	await read('api', 5001);
	emulator.reset();
	const fields = { ...newAccount('other'), ...VERSION_FIELDS };
	const status = await n8n.editCredentialByApi(credential, { data: fields });
	// n8n 1.x cannot edit a credential by its public API.
	expect(status).toBe(IS_N8N_1 ? 405 : 200);
	if (status !== 200) return;

	await expect(read('api', 5001, 5002)).resolves.toEqual([5001, 5002]);
	expect(requestsOf('other', 'site')).toHaveLength(2);
	expect(requestsOf('api', 'site')).toHaveLength(0);
});

it.each<[string, string, IDataObject, FaultRule[], number]>([
	['waits for a slot', 'limit', { requestsPerMinute: 2 }, [], 2],
	['reads sites', 'answer', {}, [{ route: 'site', fault: { kind: 'hang' } }], 4],
	['logs in', 'login', {}, [{ route: 'token', fault: { kind: 'hang' } }], 1],
])('an execution stopped as it %s sends no more', async (_step, user, more, faults, requests) => {
	for (const fault of faults) emulator.fail(fault);
	const credential = await n8n.createCredential({ ...newAccount(user), ...more });
	const workflow = manualWorkflow(rowsOf(5001, 5002, 5003), getSiteNode(credential));

	const execution = await n8n.startManually(await n8n.createWorkflow(workflow));
	await until(() => emulator.journal.requests.length === requests);
	await n8n.stopExecution(execution);

	await expect(n8n.finished(execution)).resolves.toMatchObject({ status: 'canceled' });
	// A login that has been sent may continue for a minute, since other executions may need its token.
	if (user !== 'login') await until(() => emulator.journal.inFlight === 0);
	await sleep(1_500);
	expect(emulator.journal.requests).toHaveLength(requests);
});

it('20 executions share one login after n8n was killed during another one', async () => {
	const credential = await open('killed');
	emulator.fail({ route: 'token', times: 1, fault: { kind: 'hang' } });
	const lost = read('killed', 5001).catch(({ code }: { code: string }) => code);
	await until(() => logins('killed') === 1);
	await n8n.restart('SIGKILL');

	await expect(lost).resolves.not.toEqual([5001]);
	await n8n.answersAt('killed');
	await expect(burst('killed')).resolves.toEqual(ALL_READ);
	expect(logins('killed')).toBe(2);
	await expect(n8n.testCredential(credential)).resolves.toMatchObject({ status: 'OK' });
});
