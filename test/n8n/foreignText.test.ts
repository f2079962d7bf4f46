import type { IDataObject } from 'n8n-workflow';
import { Emulator, UNLIMITED } from '../../emulator/server';
import { shareStage } from '../../testbed/jest/shareStage';
import { Editor } from '../../testbed/n8n/editor';
import { VERSIONS } from '../../testbed/n8n/versions';
import { N8nInstance } from '../../testbed/n8n/instance';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { until } from '../../testbed/wait';
import { credentialsOf, NODE_TYPE, step, workflow } from '../../testbed/workflows';

/** Renders as something else as HTML, and in part as Markdown. */
const MARKUP = '<b>A</b> & `B` <siteId> &lt; %%PARAMETER%% <img src="https://example.com/x.png">';

describe.each(VERSIONS)('the editor of n8n %s', (version) => {
	const stage = shareStage();
	let emulator: Emulator;
	let n8n: N8nInstance;
	let editor: Editor;

	beforeAll(async () => {
		emulator = await stage.keep(Emulator.start(UNLIMITED));
		n8n = await N8nInstance.start(stage, version);
		editor = await Editor.open(stage, n8n);
	}, 240_000);

	const KNOWN = `1001 ${MARKUP}`;
	const open = async (parameters: IDataObject, knownSites = `${KNOWN}\nx ${MARKUP}`) => {
		const account = await n8n.createCredential({
			...unlimitedAccount(emulator.baseUrl),
			knownSites,
		});
		const node = step('Aquaculture', NODE_TYPE, parameters, {
			credentials: credentialsOf(account),
		});
		const named = workflow('Sites', [step('Start', 'manualTrigger'), node]);
		await editor.openWorkflow(await n8n.createWorkflow(named));
		await editor.openNode('Aquaculture');
	};
	const shown = async (part: string, text: string) => {
		const found = editor.part(part);
		await until(async () => ((await found.textContent()) ?? '').includes(text));
		expect(await found.locator('b, img, code').count()).toBe(0);
	};

	it('foreign text in the editor is shown as it was sent: what the service says, in the description of an error', async () => {
		const body = JSON.stringify({ message: MARKUP });
		emulator.fail({ route: 'site', fault: { kind: 'status', status: 400, body } });
		await open({ operation: 'getSite', siteId: '1001' });
		await editor.executeStep();

		await shown('node-error-description', `The service says: "${MARKUP}".`);
	});

	it('foreign text in the editor is shown as it was sent: a line of Known Sites, in a hint', async () => {
		emulator.reset();
		await open({ operation: 'getManySites', sites: 'all' });
		await editor.executeStep();

		await shown('output-panel', `line 2 (x ${MARKUP.slice(0, 57)}…)`);
	});

	// n8n's notification beside it takes the message for HTML, and leaves out what looks like a tag.
	it('foreign text in the editor is shown as it was sent: what was typed, in the message of an error', async () => {
		const value = '<b>A</b> <img src=x> &lt;';
		await open({ operation: 'getSite', siteId: { __rl: true, mode: 'name', value } });
		await editor.executeStep();

		await shown('node-error-message', `contains an unknown site: "${value}"`);
	});

	it('foreign text in the editor is shown as it was sent: the name of a known site, in the lists', async () => {
		await open({ operation: 'getSite', siteId: { __rl: true, mode: 'list', value: '' } });
		await editor.searchSites('a');
		await shown('rlc-item', `${MARKUP} (1001)`);
		await editor.page.keyboard.press('Escape');
		await editor.closeNode();

		await open({ operation: 'getManySites', sites: 'fromList' });
		await editor.choose('chosenSites', `${MARKUP} (1001)`);
	});

	it('foreign text in the editor is shown as it was sent: in the result of a credential test', async () => {
		await open({ operation: 'getSite', siteId: '1001' }, KNOWN);
		await editor.openCredential();
		await editor.fill('knownSites', `x ${MARKUP}`);
		await editor.saveCredential();
		const dialog = await editor.unfoldRefusal();
		await dialog.getByText(`"x ${MARKUP.slice(0, 56)}…. The login works.`).waitFor();
	});
});
