import type { INodeExecutionData, IRun } from 'n8n-workflow';
import { DEMO_ACCOUNT, Emulator } from '../emulator/server';
import { knownSitesOf } from '../emulator/sites';
import { Failure } from '../testbed/failure';
import type { Stage } from '../testbed/stage';
import { exampleWorkflow } from '../testbed/n8n/examples';
import { accountFromEnvironment } from './account';
import { command, say } from './commandLine';

const EXAMPLE = 'get-a-site';
const NODE = 'Get Site';

/** The credential for what the demo reads: the real service if the environment names an account, or an emulated one. */
async function credentialFor(siteId: string | undefined, stage: Stage) {
	const account = accountFromEnvironment();
	if (!account) {
		const { baseUrl, settings } = await stage.keep(Emulator.start());
		say(`Started the emulated service at ${baseUrl}`);
		return { baseUrl, ...DEMO_ACCOUNT, knownSites: knownSitesOf(settings.sites) };
	}
	if (!siteId) {
		throw new Failure('To read the real service, give a site ID: npm run demo -- 1001');
	}
	say(`Reading the real service at ${account.baseUrl}`);
	return account;
}

/** @throws Failure with the sentences of the node, if it failed. */
function itemsOf(run: IRun): INodeExecutionData[] {
	const { error, runData } = run.data.resultData;
	if (error) {
		const { message, description } = error;
		throw new Failure(description ? `${message}\n  ${description}` : message);
	}
	return runData[NODE]?.[0]?.data?.main?.[0] ?? [];
}

async function main(stage: Stage): Promise<void> {
	const [siteId, ...more] = process.argv.slice(2);
	if (more.length > 0) throw new Failure('Give one site ID: npm run demo -- 1001');
	const credential = await credentialFor(siteId, stage);
	const site = siteId !== undefined && { siteId: { __rl: true, mode: 'id', value: siteId } };
	const workflow = exampleWorkflow(EXAMPLE, {}, { [NODE]: { ...site } });
	// Read when n8n's packages are loaded: the sentences of the demo say what went wrong.
	process.env.N8N_LOG_LEVEL ??= 'silent';
	const { Engine } = await import('../testbed/engine/engine');
	const engine = await Engine.load();
	say("Loaded the built package with n8n's own loader");
	engine.credentials.stored.set('aquaculture', credential);

	say(`Running examples/${EXAMPLE}.json with n8n's engine`);
	const items = itemsOf(await engine.run(workflow));
	say(`The node "${NODE}" has returned ${items.length} item(s):`);
	const output = items.map(({ json }) => json);
	console.log(JSON.stringify(output, null, 2));
}

command(main);
