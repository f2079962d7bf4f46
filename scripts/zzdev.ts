import { readFile, writeFile, cp } from 'node:fs/promises';
import path from 'node:path';
import { DEMO_ACCOUNT, Emulator } from '../emulator/server';
import { N8nInstance } from '../testbed/n8n/instance';
import { VERSION } from '../testbed/n8n/versions';
import { Stage } from '../testbed/stage';
import { credentialsOf } from '../testbed/workflows';
import { exampleWorkflow } from '../testbed/n8n/examples';
import { setTimeout as sleep } from 'node:timers/promises';
void (async () => {
	const stage = new Stage();
	try {
		const emulator = await stage.keep(Emulator.start());
		const t = Date.now();
		const n8n = await N8nInstance.start(stage, { NODE_ENV: 'development', N8N_DEV_RELOAD: 'true' });
		console.log(VERSION, 'ready after', Date.now() - t);
		const credential = await n8n.createCredential({ baseUrl: emulator.baseUrl, ...DEMO_ACCOUNT });
		const w = exampleWorkflow('get-a-site', credentialsOf(credential));
		const text = JSON.stringify(w).replaceAll('1001', '9999');
		const id = await n8n.createWorkflow(JSON.parse(text));
		const look = async (what: string) => {
			const { data } = await n8n.runManually(id);
			const types = JSON.stringify(await n8n.get('/types/nodes.json'));
			console.log(VERSION, what, 'run:', /RELOADED[^"]*/.exec(data)?.[0] ?? /The service does[^"]*/.exec(data)?.[0] ?? data.slice(0, 500), '| types:', /RELOADED Many/.test(types));
		};
		await look('before');
		const file = path.join(n8n.home.directory, '.n8n/nodes/node_modules/n8n-nodes-aquaculture/dist/bundle.js');
		const code = await readFile(file, 'utf8');
		console.log('matches', code.split('does not know').length, code.split('Get Many Sites').length);
		await writeFile(file, code.replaceAll('does not know', 'RELOADED does not know').replaceAll('Get Many Sites', 'RELOADED Many Sites'));
		await sleep(5000);
		await look('after');
		const log = await n8n.home.log();
		console.log(log.split('\n').filter((l) => /[Hh]ot reload|watch|EventEmitter|unhandled|MODULE_NOT|inotify/i.test(l)).slice(0, 40).join('\n'));
		await writeFile(`/tmp/w63-try/dev-${VERSION}.log`, log);
	} finally {
		await stage.end();
	}
})().catch((e) => console.log(VERSION, 'FAILED', e)).finally(() => process.exit());
