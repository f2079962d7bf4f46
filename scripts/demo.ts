import type { INodeExecutionData, IRun } from 'n8n-workflow';
import { DEMO_ACCOUNT, Emulator } from '../emulator/server';
import { knownSitesOf } from '../emulator/sites';
import { UserFacingError } from '../testbed/userFacingError';
import type { Cleanup } from '../testbed/cleanup';
import { exampleWorkflow } from '../testbed/n8n/examples';
import { accountFromEnvironment } from './account';
import { command, say } from './commandLine';

const EXAMPLE = 'get-a-site';
const NODE = 'Get Site';

/** Returns a credential for the real service if the environment names an account, or else for an emulated one. */
async function getCredential(siteId: string | undefined, cleanup: Cleanup) {
	const account = accountFromEnvironment();
	if (!account) {
		const { baseUrl, settings } = await cleanup.use(Emulator.start());
		say(`Started the emulated service at ${baseUrl}`);
		return { baseUrl, ...DEMO_ACCOUNT, knownSites: knownSitesOf(settings.sites) };
	}
	if (!siteId) {
		throw new UserFacingError('To read the real service, give a site ID: npm run demo -- 1001');
	}
	say(`Reading the real service at ${account.baseUrl}`);
	return account;
}

/** @throws UserFacingError if the node failed. */
function getItems(run: IRun): INodeExecutionData[] {
	const { error, runData } = run.data.resultData;
	if (error) {
		const { message, description } = error;
		throw new UserFacingError(description ? `${message}\n  ${description}` : message);
	}
	return runData[NODE]?.[0]?.data?.main?.[0] ?? [];
}

async function main(cleanup: Cleanup): Promise<void> {
	const [siteId, ...more] = process.argv.slice(2);
	if (more.length > 0) throw new UserFacingError('Give one site ID: npm run demo -- 1001');
	const credential = await getCredential(siteId, cleanup);
	const site = siteId !== undefined && { siteId: { __rl: true, mode: 'id', value: siteId } };
	const workflow = exampleWorkflow(EXAMPLE, {}, { [NODE]: { ...site } });
	// n8n's packages read this when they load. The demo reports errors itself.
	process.env.N8N_LOG_LEVEL ??= 'silent';
	const { Engine } = await import('../testbed/engine/engine');
	const engine = await Engine.load();
	say("Loaded the built package with n8n's own loader");
	engine.credentials.stored.set('aquaculture', credential);

	say(`Running examples/${EXAMPLE}.json with n8n's engine`);
	const items = getItems(await engine.run(workflow));
	say(`The node "${NODE}" has returned ${items.length} item(s):`);
	const output = items.map(({ json }) => json);
	console.log(JSON.stringify(output, null, 2));
}

command(main);
