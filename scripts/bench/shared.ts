import { Emulator } from '../../emulator/server';
import { madeUpSite } from '../../emulator/sites';
import { MAIN_VERSION } from '../../testbed/n8n/versions';
import { durationOf, N8nInstance } from '../../testbed/n8n/instance';
import type { Stage } from '../../testbed/stage';
import { until } from '../../testbed/wait';
import { credentialsOf, manualWorkflow, NODE_TYPE, triggerWorkflow } from '../../testbed/workflows';
import { siteIds } from './scenarios';

/** What somebody does, alone on an account and beside a long run. */
export interface SharedFigures {
	what: string;
	aloneSeconds: number;
	besideSeconds: number;
	/** Requests that the service refused, of both. */
	refused: number;
}

const LONG_RUN = 420;
const TEN = 10;
const PASSWORD = 'fjord-and-salmon';
const LONGEST_MS = 10 * 60_000;
const ACCOUNTS = ['longAlone', 'tenAlone', 'testAlone', 'triggerAlone', 'beside'] as const;
type Account = (typeof ACCOUNTS)[number];

/**
 * A run of 420 sites, and beside it ten sites, a credential test and the first poll of a trigger on five sites; and each of
 * them on an account of its own. All of it happens at the same time in one n8n, at 100 requests a minute.
 */
export async function measureShared(stage: Stage): Promise<SharedFigures[]> {
	const emulator = await stage.keep(
		Emulator.start({
			accounts: Object.fromEntries(ACCOUNTS.map((account) => [account, PASSWORD])),
			latencyMs: 50,
			latencyJitter: 0.4,
			requestsPerMinute: 100,
			sites: siteIds(LONG_RUN).map(madeUpSite),
		}),
	);
	const n8n = await N8nInstance.start(stage, MAIN_VERSION);
	const { baseUrl, journal } = emulator;
	const credentials = new Map<Account, string>();
	for (const username of ACCOUNTS) {
		const fields = { baseUrl, username, password: PASSWORD };
		credentials.set(username, await n8n.createCredential(fields));
	}
	const credentialOf = (account: Account) => credentials.get(account) ?? '';

	const read = async (account: Account, sites: number) => {
		const workflow = manualWorkflow([{}], {
			type: NODE_TYPE,
			credentials: credentialsOf(credentialOf(account)),
			parameters: { operation: 'getManySites', sites: 'byId', siteIds: siteIds(sites).join() },
		});
		const execution = await n8n.startManually(await n8n.createWorkflow(workflow));
		return durationOf(await n8n.finished(execution, LONGEST_MS), 'Node') / 1000;
	};
	const seconds = async (work: () => Promise<unknown>) => {
		const beganAt = performance.now();
		await work();
		return (performance.now() - beganAt) / 1000;
	};
	const test = async (account: Account) =>
		await seconds(async () => await n8n.testCredential(credentialOf(account)));
	const activate = async (account: Account) => {
		const workflow = triggerWorkflow(`Trigger of ${account}`, credentialOf(account), {
			pollTimes: { item: [{ mode: 'everyMinute' }] },
			sites: 'byId',
			siteIds: siteIds(5).join(),
		});
		const id = await n8n.createWorkflow(workflow);
		const asked = await seconds(async () => await n8n.activate(id));
		await n8n.deactivate(id);
		return asked;
	};

	const runs = [read('longAlone', LONG_RUN), read('beside', LONG_RUN)];
	// The run has used up the first minute.
	await until(() => journal.requestsOf('beside') > 96, LONGEST_MS);
	const others: Array<[string, Account, (account: Account) => Promise<number>]> = [
		['Ten sites', 'tenAlone', async (account) => await read(account, TEN)],
		['A credential test', 'testAlone', test],
		['The activation of a trigger on five sites', 'triggerAlone', activate],
	];
	const beside: SharedFigures[] = [];
	for (const [what, account, work] of others) {
		const besideSeconds = await work('beside');
		const refused = journal.refusalsOf(account);
		beside.push({ what, aloneSeconds: await work(account), besideSeconds, refused });
	}
	const [aloneSeconds = NaN, besideSeconds = NaN] = await Promise.all(runs);
	const refused = journal.refusalsOf('longAlone') + journal.refusalsOf('beside');
	return [{ what: 'The run of 420 sites', aloneSeconds, besideSeconds, refused }, ...beside];
}
