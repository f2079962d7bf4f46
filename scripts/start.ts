import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Control } from '../emulator/control';
import { DEMO_ACCOUNT, Emulator } from '../emulator/server';
import { knownSitesOf } from '../emulator/sites';
import { command, readNumber, readOptions, say, UsageFailure } from './commandLine';
import { Failure } from '../testbed/failure';
import { exampleNames, exampleWorkflow } from '../testbed/n8n/examples';
import { install } from '../testbed/n8n/install';
import { VERSION } from '../testbed/n8n/versions';
import { N8nInstance, OWNER } from '../testbed/n8n/instance';
import type { Stage } from '../testbed/stage';
import { credentialsOf, triggerWorkflow } from '../testbed/workflows';

const DEFAULT_PORT = 5678;
/** The file that a build writes last but for some small ones. */
const BUILT = path.resolve(__dirname, '../dist/NOTICE');
/** A build has written the small ones too by then. */
const BUILD_SETTLES_MS = 2000;
/** The example that needs nothing to be filled in. */
const FIRST_EXAMPLE = 'Get a site';
/** It is published, to show the trigger. */
const WATCH = 'Watch a site';
const USAGE = `npm start -- [--port ${DEFAULT_PORT}]

  --port  where n8n answers, on this machine only`;

/** @throws UsageFailure if n8n could not answer there. */
async function checkPort(port: number): Promise<void> {
	const server = createServer().listen(port, '127.0.0.1');
	await once(server, 'listening').catch(({ code }: { code: string }) => {
		const why = code === 'EACCES' ? 'may not be used by this account' : 'is taken';
		throw new UsageFailure(
			`Port ${port} ${why}. Choose another one: npm start -- --port ${Math.max(port, DEFAULT_PORT) + 1}`,
		);
	});
	server.close();
	await once(server, 'close');
}

/** Starts the emulator and n8n, and puts the credential and the examples in place. */
async function begin(stage: Stage): Promise<N8nInstance> {
	const { port: input } = readOptions({ port: { type: 'string', default: String(DEFAULT_PORT) } });
	const port = readNumber('port', input, 1, 65_535);
	await checkPort(port);
	await install(VERSION);

	const emulator = await stage.keep(Emulator.start());
	say(`Starting n8n ${VERSION} with the package`);
	const env = {
		N8N_PORT: String(port),
		N8N_SECURE_COOKIE: 'false',
		// n8n loads the package again when its files change, but only in development.
		NODE_ENV: 'development',
		N8N_DEV_RELOAD: 'true',
	};
	const n8n = await N8nInstance.start(stage, env);
	const credential = await n8n.createCredential({
		baseUrl: emulator.baseUrl,
		...DEMO_ACCOUNT,
		knownSites: knownSitesOf(emulator.settings.sites),
	});
	const account = credentialsOf(credential);
	const address = { url: `${emulator.baseUrl}/meta/sites/1001` };
	const examples = exampleNames().map((name) =>
		exampleWorkflow(name, account, { 'HTTP Request': address }),
	);
	for (const example of examples) await n8n.createWorkflow(example);
	const watched = {
		sites: 'byId',
		siteIds: '1001',
		pollTimes: { item: [{ mode: 'everyMinute' }] },
	};
	await n8n.activate(await n8n.createWorkflow(triggerWorkflow(WATCH, credential, watched)));
	const control = await stage.keep(Control.start(emulator));
	const others = examples
		.filter(({ name }) => name !== FIRST_EXAMPLE)
		.map(({ name }) => `"${name}"`);

	const sites = emulator.settings.sites.map(({ siteId }) => siteId);
	console.log(`
n8n is ready: ${n8n.address}
  1. Sign in with the email ${OWNER.email} and the password ${OWNER.password}
  2. Open the workflow "${FIRST_EXAMPLE}", select "Execute workflow", then open the node to see the data
  3. Look at the others, which say themselves what to fill in: ${others.join(', ')}
  4. To see the trigger fire, change a site:
     ${control.example}
     Within a minute, the workflow "${WATCH}" shows the change under "Executions"

The credential for the emulated service is in place. Its sites: ${sites.join(', ')}
After npm run build in another terminal, n8n uses the new build.
Press Ctrl-C to end both. What you have changed in n8n is deleted then.`);
	return n8n;
}

/** Hands each new build to n8n, until this process ends. */
async function copyBuilds({ home }: N8nInstance): Promise<void> {
	/** When the last build was made; undefined while there is none. */
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

async function main(stage: Stage): Promise<void> {
	const n8n = await begin(stage);
	await Promise.race([n8n.ended(), copyBuilds(n8n)]);
	throw new Failure('n8n has ended by itself. Start it again with npm start.');
}

command(main, USAGE, 0);
