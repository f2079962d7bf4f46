import type { IDataObject } from 'n8n-workflow';
import { DEMO_ACCOUNT } from '../../emulator/server';
import { knownSitesOf, SITES } from '../../emulator/sites';
import { useN8n } from '../../testbed/jest/useN8n';
import { Editor } from '../../testbed/n8n/editor';
import { IS_N8N_1 } from '../../testbed/n8n/versions';
import { until } from '../../testbed/wait';
import { credentialRef, NODE_TYPE, step, triggerWorkflow, workflow } from '../../testbed/workflows';

// Slow: starts n8n and a browser.

/** Differs from the credential's placeholder, so that it must be entered. */
const VERSION_HEADER = 'Farm-Data-Version';
/** Looks different when rendered as HTML or Markdown. */
const MARKUP = '<b>A</b> & `B` <siteId> &lt %%PARAMETER%% <img src="https://example.com/x.png">';

const locator = (mode: string, value: string) => ({ __rl: true, mode, value });

const { cleanup, emulator, n8n } = useN8n({ versionHeader: VERSION_HEADER });
let editor: Editor;
/** Created late: once there is a credential, the editor does not offer to create one. */
let account: Promise<string> | undefined;

beforeAll(async () => {
	editor = await Editor.open(cleanup, n8n);
});
beforeEach(() => emulator.reset());

/** Opens a new workflow with a manual trigger, and the list of nodes. */
const beginWorkflow = async () => {
	await editor.beginWorkflow('manual');
	await editor.found('Manual').click();
	await editor.part('node-creator-plus-button').click();
};
const createAccount = async (fields: IDataObject = {}) =>
	await n8n.createCredential({
		...emulator.credential,
		versionHeader: VERSION_HEADER,
		...fields,
	});
const getAccount = async () =>
	await (account ??= createAccount({ knownSites: knownSitesOf(SITES) }));
const openNode = async (parameters: IDataObject, credential?: string) => {
	const credentials = credentialRef(credential ?? (await getAccount()));
	const node = step('Aquaculture', NODE_TYPE, parameters, { credentials });
	const reading = workflow('Sites', [step('Start', 'manualTrigger'), node]);
	await editor.openWorkflow(await n8n.createWorkflow(reading));
	await editor.openNode('Aquaculture');
};
const output = (text: string) => editor.part('output-panel').getByText(text).first();

it('a person in the editor finds the node first by words of the trade', async () => {
	await beginWorkflow();
	const found = editor.part('node-creator-item-name');
	const words = [
		...['site', 'units', 'licences', 'get many sites', 'site by name', 'licence change'],
		...['trout', 'hatchery', 'marine', 'locality', 'concession', 'fish'],
	];
	const bar = editor.part('node-creator-search-bar');
	const firstOf = async (text: string) => {
		await bar.fill('no such node');
		await until(async () => (await found.count()) === 0);
		await bar.fill(text);
		return [text, await found.first().innerText()];
	};

	for (const word of words) expect(await firstOf(word)).toEqual([word, 'Aquaculture']);
});

it('a person in the editor adds "Get a site" and creates a credential, after a wrong password', async () => {
	await beginWorkflow();
	await editor.search('aquaculture');
	await editor.found('Aquaculture').click();
	await editor.found('Get a site').click();
	await editor.part('rlc-input').waitFor();
	expect(await editor.field('operation').inputValue()).toBe('Get Site');
	expect(await editor.part('rlc-mode-selector').locator('input').inputValue()).toBe('From list');

	const select = editor.part('node-credentials-select');
	await editor.page.getByText('Connect to Aquaculture').or(select).click();
	if (IS_N8N_1) await editor.page.getByText('Create new credential').click();
	await editor.fill('username', DEMO_ACCOUNT.username);
	await editor.fill('password', 'another-fjord');
	await editor.fill('baseUrl', emulator.baseUrl);
	await editor.fill('versionHeader', VERSION_HEADER);
	await editor.fill('knownSites', knownSitesOf(SITES.slice(0, 5)));
	const dialog = await editor.saveRefused();
	await dialog.getByText('The service refused the username and password').waitFor();

	await editor.fill('password', DEMO_ACCOUNT.password);
	await editor.part('credential-save-button').click();
	await editor.closeCredential();
});

it('a person in the editor finds Storvågen by "storvag" and chooses what to include', async () => {
	await openNode({ operation: 'getSite', siteId: locator('list', '') });
	await editor.searchSites('storvag');
	const offered = editor.part('rlc-item');
	await until(async () => (await offered.count()) === 1);
	await offered.getByText('Storvågen (1001)').click();
	await editor.executeStep();
	await editor.part('output-panel').getByTestId('radio-button-table').click();
	await output('M-H-0101').waitFor();
	await editor.switch('includeUnits').click();
	await editor.executeStep();
	await editor.switch('includeInfo').click();
	await editor.executeStep();

	expect(emulator.journal.of('site').map(({ url }) => url)).toEqual([
		'/meta/sites/1001?$include=units,info',
		'/meta/sites/1001?$include=info',
		'/meta/sites/1001',
	]);
});

it.each([
	['Get a site', ['siteName', 'maxTotalBiomass', 'unitName']],
	['Get many sites', ['license', 'numberOfUnits']],
	['Get units', ['siteName', 'unitName']],
])('a person in the editor maps fields of "%s" before it runs', async (action, fields) => {
	const id = await n8n.createWorkflow(workflow('New', [step('Start', 'manualTrigger')]));
	await editor.openWorkflow(id);
	await editor.part('node-creator-plus-button').click();
	await editor.search('aquaculture');
	await editor.found('Aquaculture').click();
	await editor.found(action).click();
	if (action !== 'Get a site') {
		await editor.part('parameter-input-sites').waitFor();
		expect(await editor.field('sites').inputValue()).toBe('All Sites');
	}
	await editor.closeNode();
	await editor.part('canvas-node').filter({ hasText: action }).click();
	await editor.part('node-creator-plus-button').click();
	await editor.search('edit fields');
	await editor.found('Edit Fields').click();
	const input = editor.part('ndv-input-panel');
	for (const field of fields) await input.getByText(field, { exact: true }).waitFor();
	await editor.closeNode();
	await editor.page.keyboard.press('Control+S');

	await until(async () => (await n8n.getParameters(id, NODE_TYPE)) !== undefined);
	// n8n stores no defaults.
	const stored = Object.keys((await n8n.getParameters(id, NODE_TYPE)) ?? {});
	expect(stored).not.toEqual(expect.arrayContaining(['sites']));
});

it('a person in the editor reads sites from the list, all sites, and a limited number', async () => {
	await openNode({ operation: 'getManySites' });
	await editor.choose('sites', 'From List');
	await editor.choose('chosenSites', 'Storvågen (1001)');
	await editor.page.keyboard.press('Tab');
	await editor.executeStep();
	await output('1 item').waitFor();

	await editor.choose('sites', 'All Sites');
	await editor.executeStep();
	await output(`${SITES.length} items`).waitFor();

	await editor.addOption('Limit');
	await editor.fill('limit', '3');
	await editor.executeStep();
	await output('3 items').waitFor();
});

it('a person in the editor sees where to enter sites if none are known', async () => {
	await openNode({ operation: 'getSite', siteId: locator('list', '') }, await createAccount());
	await editor.searchSites('');

	const told = editor.page.getByText("Enter 'Known Sites' in the credential, or choose 'By ID'");
	await told.waitFor();
	type Widths = Record<'scrollWidth' | 'clientWidth', number>;
	const [whole, shown] = await told.evaluate((part: Widths) => [
		part.scrollWidth,
		part.clientWidth,
	]);
	expect(whole).toBeLessThanOrEqual(Number(shown));
});

it('a person in the editor sets up the trigger and fetches a test event', async () => {
	const parameters = { pollTimes: {}, changes: ['any'] };
	const watching = triggerWorkflow('Watched sites', await getAccount(), parameters);
	await editor.openWorkflow(await n8n.createWorkflow(watching));
	await editor.openNode('Read');
	const input = editor.part('ndv-input-panel');
	const executing = input.getByText(/execute/i);
	await executing.first().waitFor();
	// n8n 2.40 has no preview for triggers.
	const offered = input.getByText('oldValue', { exact: true });
	if (IS_N8N_1) await offered.waitFor();
	await editor.closeNode();

	await editor.openNode('Trigger');
	await editor.part('parameter-input-changes').waitFor();
	await editor.executeStep();
	await output('Sample: Name of Storvågen').waitFor();
	expect(emulator.journal.count('site')).toBe(SITES.length);
});

it.each([
	['licence', 'On licence changed'],
	['license', 'On licence changed'],
	['biomass limit', 'On biomass limit changed'],
	['licence change', 'On any change'],
])('a person in the editor finds by "%s" the trigger "%s"', async (text, trigger) => {
	await editor.beginWorkflow(text);
	await editor.page.keyboard.press('Enter');
	await editor.page.getByText(/^Triggers \(\d+\)$/).waitFor();
	await editor.found(trigger).click();

	await editor.part('parameter-input-changes').waitFor();
});

describe('markup in data', () => {
	const KNOWN = `1001 ${MARKUP}`;
	const openWith = async (parameters: IDataObject, knownSites = `${KNOWN}\nx ${MARKUP}`) =>
		await openNode(parameters, await createAccount({ knownSites }));
	const shown = async (part: string, text: string) => {
		const found = editor.part(part);
		const hasText = async () => (await found.textContent())?.includes(text) === true;
		await until(hasText).catch(async () => expect(await found.textContent()).toContain(text));
		expect(await found.locator('b, img, code').allInnerTexts()).toEqual([]);
	};
	/** n8n's notification also shows the message, but as HTML, without what looks like a tag. */
	const typed = '<b>A</b> <img src=x> &lt';

	it.each<[string, IDataObject, string, string]>([
		[
			'what the service says, in the description of an error',
			{ operation: 'getSite', siteId: '1001' },
			'node-error-description',
			`The service says: "${MARKUP}".`,
		],
		[
			'a line of Known Sites, in a hint',
			{ operation: 'getManySites', sites: 'all' },
			'output-panel',
			`line 2 (x ${MARKUP.slice(0, 57)}…)`,
		],
		[
			'what was typed, in the message of an error',
			{ operation: 'getSite', siteId: locator('name', typed) },
			'node-error-message',
			`contains an unknown site: "${typed}"`,
		],
	])('is not rendered: %s', async (_what, parameters, part, text) => {
		if (part === 'node-error-description') {
			const body = JSON.stringify({ message: MARKUP });
			emulator.fail({ route: 'site', fault: { kind: 'status', status: 400, body } });
		}
		await openWith(parameters);
		await editor.executeStep();

		await shown(part, text);
	});

	it('is not rendered: the name of a known site, in the lists', async () => {
		await openWith({ operation: 'getSite', siteId: locator('list', '') });
		await editor.searchSites('a');
		await shown('rlc-item', `${MARKUP} (1001)`);

		await openWith({ operation: 'getManySites', sites: 'fromList' });
		await editor.choose('chosenSites', `${MARKUP} (1001)`);
	});

	it('is not rendered: a line of Known Sites, in the result of a credential test', async () => {
		await openWith({ operation: 'getSite', siteId: '1001' }, KNOWN);
		await editor.openCredential();
		await editor.fill('knownSites', `x1 ${MARKUP}`);
		const dialog = await editor.saveRefused();
		await dialog.getByText(`(x1 ${MARKUP.slice(0, 56)}…)`).waitFor();
	});
});
