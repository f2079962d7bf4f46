import { stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO_ACCOUNT, Emulator } from '../emulator/server';
import { knownSitesOf } from '../emulator/sites';
import { say, withProgress } from '../testbed/progress';
import { command, readOptions, readPort } from './commandLine';
import { UserFacingError } from '../testbed/userFacingError';
import { exampleNames, exampleWorkflow } from '../testbed/n8n/examples';
import { install } from '../testbed/n8n/install';
import { VERSION } from '../testbed/n8n/versions';
import { N8nInstance, OWNER } from '../testbed/n8n/instance';
import type { Cleanup } from '../testbed/cleanup';
import { credentialRef, triggerWorkflow } from '../testbed/workflows';

const DEFAULT_PORT = 5678;
/** The last large file that a build writes. */
const BUILT = path.resolve(__dirname, '../dist/NOTICE');
/** Time for the small files that follow it. */
const BUILD_SETTLES_MS = 2000;
/** Runs without anything to fill in. */
const FIRST_EXAMPLE = 'Get a site';
const WATCH = 'Watch a site';
const USAGE = `npm start -- [--port ${DEFAULT_PORT}]

  --port  where n8n answers, on this machine only`;

async function start(cleanup: Cleanup): Promise<N8nInstance> {
	const { port: input } = readOptions({ port: { type: 'string', default: String(DEFAULT_PORT) } });
	const port = await readPort('npm start', input);
	await cleanup.use(install(VERSION, cleanup.signal));

	const emulator = await cleanup.use(new Emulator({ requestsPerMinute: 100 }).start());
	const env = {
		N8N_PORT: String(port),
		N8N_SECURE_COOKIE: 'false',
		// n8n reloads changed packages only in development.
		NODE_ENV: 'development',
		N8N_DEV_RELOAD: 'true',
	};
	const starting = new N8nInstance().start(cleanup, env);
	const what = `Starting n8n ${VERSION} with the package`;
	const n8n = await withProgress(what, starting, cleanup.signal);
	const credential = await n8n.createCredential({
		baseUrl: emulator.baseUrl,
		...DEMO_ACCOUNT,
		knownSites: knownSitesOf(emulator.settings.sites),
	});
	const address = { url: `${emulator.baseUrl}/meta/sites/1001` };
	for (const name of exampleNames()) {
		const example = exampleWorkflow(name, credentialRef(credential), { 'HTTP Request': address });
		await n8n.createWorkflow(example);
	}
	const watched = {
		sites: 'byId',
		siteIds: '1001',
		pollTimes: { item: [{ mode: 'everyMinute' }] },
	};
	await n8n.activate(await n8n.createWorkflow(triggerWorkflow(WATCH, credential, watched)));

	const sites = emulator.settings.sites.map(({ siteId }) => siteId);
	console.log(`
n8n is ready: ${n8n.address}
  1. Sign in with the email ${OWNER.email} and the password ${OWNER.password}
  2. Open the workflow "${FIRST_EXAMPLE}", select "Execute workflow", then open the node to see the data
  3. Look at the other examples, which say themselves what to fill in
  4. To see the trigger fire, change a site:
     ${emulator.exampleOfChange}
     Within a minute, the workflow "${WATCH}" shows the change under "Executions"

The credential for the emulated service is in place. Its sites: ${sites.join(', ')}
After npm run build in another terminal, n8n uses the new build.
Press Ctrl-C to end both. What you have changed in n8n is deleted then.`);
	return n8n;
}

/** Copies each new build to n8n, forever. */
async function copyBuilds({ home }: N8nInstance): Promise<void> {
	/** Returns undefined while there is no build. */
	const builtAt = async () => (await stat(BUILT).catch(() => undefined))?.mtimeMs;
	let copied = await builtAt();
	for (;;) {
		await sleep(1000);
		const built = await builtAt();
		if (built === undefined || built === copied || Date.now() - built < BUILD_SETTLES_MS) continue;
		await home.copyBuild();
		copied = built;
		say('Copied the new build to n8n');
	}
}

async function main(cleanup: Cleanup): Promise<void> {
	const n8n = await start(cleanup);
	await Promise.race([n8n.home.process, copyBuilds(n8n)]);
	throw new UserFacingError('n8n has ended by itself. Start it again with npm start.');
}

command(main, USAGE, 0);
