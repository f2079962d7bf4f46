import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../emulator/faults';
import { DEMO_ACCOUNT, Emulator, UNLIMITED } from '../../emulator/server';
import { knownSitesOf, SITES } from '../../emulator/sites';
import { PICTURED_VERSION, VERSIONS } from '../../testbed/n8n/versions';
import { N8nInstance } from '../../testbed/n8n/instance';
import { Editor, type Crop } from '../../testbed/n8n/editor';
import { checkPicture } from '../../testbed/n8n/pictures';
import { shareStage } from '../../testbed/jest/shareStage';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { until } from '../../testbed/wait';
import {
	credentialsOf,
	NODE_TYPE,
	step,
	triggerWorkflow,
	workflow,
	type Step,
} from '../../testbed/workflows';

const EXAMPLE_URL = 'https://data.example.com';
/** What the service is told its version by: another name than the placeholder in the credential. */
const VERSION_HEADER = 'Farm-Data-Version';
/** With the same trace ID each time, because a picture shows it. */
const UNKNOWN_SITE: Fault = {
	kind: 'status',
	status: 404,
	headers: { 'content-type': 'application/json' },
	body: JSON.stringify({
		code: 'entity_not_found',
		message: 'There is no site with this ID.',
		traceId: '00-49b5250fc418ce6cf5086647a2d6ff62-81a414175e6d8090-01',
	}),
};

/** The node's own panel, as far as the field of the site goes. */
const PANEL_TOP = { left: 486, top: 42, width: 420, height: 313 };
/** The input and the node's own panel. */
const INPUT_AND_PANEL = { width: 907 };
const RAW = { typeVersion: 3.4 };

describe.each(VERSIONS)('the editor of n8n %s', (version) => {
	const stage = shareStage();
	let emulator: Emulator;
	let n8n: N8nInstance;
	let editor: Editor;
	let account: string;

	beforeAll(async () => {
		emulator = await stage.keep(Emulator.start({ ...UNLIMITED, versionHeader: VERSION_HEADER }));
		n8n = await N8nInstance.start(stage, version);
		editor = await Editor.open(stage, n8n);
		await editor.newWorkflow();
		await editor.openNodeCreator();
	}, 240_000);

	const picture = async (name: string, part: string, crop?: Crop) => {
		const seen = await editor.picture(part, crop);
		if (version === PICTURED_VERSION) await checkPicture(name, seen);
	};

	it.each([
		...['site', 'units', 'licences', 'get many sites', 'site by name', 'licence change'],
		...['trout', 'hatchery', 'marine', 'locality', 'concession', 'fish'],
	])('a person in the editor finds the node by "%s", as the first one', async (text) => {
		const found = editor.part('node-creator-item-name');
		await editor.search('no such node');
		await until(async () => (await found.count()) === 0);
		await editor.search(text);

		await expect(found.first().innerText()).resolves.toBe('Aquaculture');
		if (text === 'fish') await picture('node-creator', 'node-creator', { height: 204 });
	});

	// Short words find many nodes.
	it.each(['sea', 'pen'])(
		'a person in the editor finds the node by "%s", among others',
		async (text) => {
			const found = editor.part('node-creator-item-name');
			await editor.search('no such node');
			await until(async () => (await found.count()) === 0);
			await editor.search(text);
			await until(async () => (await found.count()) > 5);

			expect(await found.allInnerTexts()).toContain('Aquaculture');
		},
	);

	it('a person in the editor adds "Get a site"', async () => {
		await editor.found('Aquaculture').click();
		await editor.found('Get a site').waitFor();
		await picture('node-actions', 'node-creator', { height: 488 });
		await editor.found('Get a site').click();

		await editor.part('rlc-input').waitFor();
		expect(await editor.field('operation').inputValue()).toBe('Get Site');
		expect(await editor.part('rlc-mode-selector').locator('input').inputValue()).toBe('From list');
	});

	it('a person in the editor creates the credential: the wrong password is refused, the right one accepted', async () => {
		await editor.createCredential();
		await editor.fill('username', DEMO_ACCOUNT.username);
		await editor.fill('password', 'wrong');
		await editor.fill('baseUrl', emulator.baseUrl);
		await editor.fill('versionHeader', VERSION_HEADER);
		await editor.fill('knownSites', knownSitesOf(SITES.slice(0, 5)));
		await editor.saveCredential();
		const dialog = await editor.unfoldRefusal();
		await dialog.getByText('The service refused the username and password').waitFor();
		await picture('credential-failed', 'editCredential-modal', { height: 312 });

		await editor.fill('password', DEMO_ACCOUNT.password);
		await editor.saveCredential();
		await editor.closeCredential();

		await editor.openCredential();
		await editor.show('baseUrl', EXAMPLE_URL);
		await picture('credential', 'editCredential-modal');
		await editor.closeCredential();
		account = await createAccount({ knownSites: knownSitesOf(SITES) });
	});

	const createAccount = async (fields: IDataObject = {}) =>
		await n8n.createCredential({
			...unlimitedAccount(emulator.baseUrl),
			versionHeader: VERSION_HEADER,
			...fields,
		});

	it('a person in the editor types "storvag" and picks Storvågen', async () => {
		await editor.searchSites('storvag');
		const offered = editor.part('rlc-item');
		await until(async () => (await offered.count()) === 1);
		await offered.getByText('Storvågen (1001)').waitFor();
		await picture('site-from-list', 'ndv', PANEL_TOP);
		await offered.click();
		const chosen = editor.part('rlc-input');
		await until(async () => (await chosen.inputValue()) === 'Storvågen (1001)');
	});

	it('a person in the editor is offered the fields of a site in the next node, before the first run', async () => {
		await editor.closeNode();
		await editor.openNodeCreator();
		await editor.search('edit fields');
		await editor.found('Edit Fields').click();

		const input = editor.part('ndv-input-panel');
		for (const field of ['siteName', 'maxTotalBiomass', 'unitName']) {
			await input.getByText(field, { exact: true }).waitFor();
		}
		await picture('fields-before-first-run', 'ndv', INPUT_AND_PANEL);
		await editor.closeNode();
		expect(emulator.journal.count('site')).toBe(0);
	});

	it('a person in the editor sees the site as JSON and as a table, in the light and in the dark theme', async () => {
		await editor.openNode('Aquaculture');
		await editor.executeStep();

		const output = editor.part('output-panel');
		await output.getByTestId('radio-button-table').click();
		await output.getByText(SITES[0]?.siteName ?? '', { exact: true }).waitFor();
		await output.getByTestId('radio-button-json').click();
		await output.getByText(`"${SITES[0]?.siteName}"`).waitFor();
		await picture('get-site', 'ndv');
		await picture('get-site-dark', 'ndv', { theme: 'dark' });
	});

	it('a person in the editor gets what the checkboxes ask for', async () => {
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

	it('a person in the editor is told what is wrong with an ID, and what to do', async () => {
		const message = editor.part('node-error-message');
		emulator.fail({ route: 'site', siteId: 4040, fault: UNKNOWN_SITE });
		await editor.switch('includeUnits').click();
		await editor.switch('includeInfo').click();
		await editor.chooseMode('id');
		await editor.fill('siteId', '4040');
		await editor.executeStep();
		await message.getByText('The service does not know site 4040').waitFor();
		await editor.part('node-error-description').getByText('Check the site ID.').waitFor();
		await picture('unknown-site', 'ndv');

		await editor.fill('siteId', 'Storvegen');
		await editor.executeStep();
		await message.getByText(`'Site' contains an unknown site: "Storvegen"`).waitFor();
		await editor.part('node-error-description').getByText('Similar names: "Storvågen"').waitFor();
	});

	const open = async (row: Step[]) => {
		const named = workflow('Sites', [step('Start', 'manualTrigger'), ...row]);
		await editor.openWorkflow(await n8n.createWorkflow(named));
	};
	const aquaculture = (parameters: IDataObject, credentials = credentialsOf(account)) =>
		step('Aquaculture', NODE_TYPE, parameters, { credentials });
	const locator = (mode: string, value: string) => ({ __rl: true, mode, value });

	it('a person in the editor drags a name from the node before', async () => {
		const list = step('List', 'set', { mode: 'raw', jsonOutput: '{ "Site": "storvågen " }' }, RAW);
		await open([list, aquaculture({ operation: 'getSite', siteId: locator('name', '') })]);
		await editor.openNode('List');
		await editor.executeStep();
		await editor.closeNode();
		await editor.openNode('Aquaculture');
		await editor.dragToSite('Site');
		await editor.executeStep();

		await editor.part('output-panel').getByText('M-H-0101').first().waitFor();
	});

	it('a person in the editor adds Ignore Missing Sites, and it works', async () => {
		await open([aquaculture({ operation: 'getManySites', sites: 'byId', siteIds: '1001, 4040' })]);
		await editor.openNode('Aquaculture');
		await editor.addOption('Ignore Missing Sites');
		await editor.executeStep();

		await editor.part('output-panel').getByText('4040').waitFor();
		await editor.part('output-panel').getByText('Storvågen').first().waitFor();
	});

	it('a person in the editor reads several sites from the list, and all sites', async () => {
		await open([aquaculture({ operation: 'getManySites' })]);
		await editor.openNode('Aquaculture');
		await editor.choose('sites', 'From List');
		await editor.choose('chosenSites', 'Storvågen (1001)');
		await editor.page.keyboard.press('Tab');
		await editor.executeStep();
		await editor.part('output-panel').getByText('1 item').first().waitFor();

		await editor.choose('sites', 'All Sites');
		await editor.executeStep();
		await editor.part('output-panel').getByText(`${SITES.length} items`).first().waitFor();

		await editor.switch('returnAll').click();
		await editor.fill('limit', '3');
		await editor.executeStep();
		const limited = `Read 3 of ${SITES.length} sites: to read the others too, turn on 'Return All'`;
		await editor.part('output-panel').getByText(limited).waitFor();
	});

	it('a person in the editor is offered the columns of the rows after Get Many Sites, before the first run', async () => {
		await open([aquaculture({ operation: 'getManySites' }), step('Next', 'set', {}, RAW)]);
		await editor.openNode('Next');

		const input = editor.part('ndv-input-panel');
		for (const field of ['license', 'numberOfUnits']) {
			await input.getByText(field, { exact: true }).waitFor();
		}
		expect(await input.getByText('units', { exact: true }).count()).toBe(0);
		await editor.closeNode();
	});

	it("a person in the editor picks a site from the service's own list", async () => {
		emulator.settings.siteList = { path: '/list' };
		const listed = await createAccount({ siteListAddress: '/list' });
		await open([aquaculture({ operation: 'getSite' }, credentialsOf(listed))]);
		await editor.openNode('Aquaculture');
		await editor.searchSites('krak');
		await editor.part('rlc-item').getByText('Kråkøya (1002)').click();
		await editor.executeStep();

		await editor.part('output-panel').getByText('T-N-0102').first().waitFor();
	});

	it("a person in the editor is told why the service's own list cannot be read", async () => {
		emulator.settings.siteList = { path: '/list' };
		emulator.fail({ route: 'siteList', fault: { kind: 'status', status: 404 } });
		const unread = credentialsOf(await createAccount({ siteListAddress: '/list?unread' }));
		const reason = 'The service has no list of sites at this address';
		await open([aquaculture({ operation: 'getSite' }, unread)]);
		await editor.openNode('Aquaculture');
		await editor.part('rlc-input').click();
		await editor.part('rlc-error-container').getByText(reason).waitFor();

		await open([aquaculture({ operation: 'getManySites', sites: 'fromList' }, unread)]);
		await editor.openNode('Aquaculture');
		await editor.part('parameter-issues').first().hover();
		await editor.page.getByText(reason).first().waitFor();
		emulator.reset();
	});

	it.each(['Get many sites', 'Get units of sites'])(
		'a person in the editor adds "%s", which reads all sites: the default, which n8n does not store',
		async (action) => {
			const id = await n8n.createWorkflow(workflow('New', [step('Start', 'manualTrigger')]));
			await editor.openWorkflow(id);
			await editor.openNodeCreator();
			await editor.search('aquaculture');
			await editor.found('Aquaculture').click();
			await editor.found(action).click();
			await editor.part('parameter-input-sites').waitFor();
			expect(await editor.field('sites').inputValue()).toBe('All Sites');
			await editor.closeNode();
			await editor.save();

			await until(async () => (await n8n.parametersOf(id, NODE_TYPE)) !== undefined);
			const { operation, ...others } = (await n8n.parametersOf(id, NODE_TYPE)) ?? {};
			expect(operation).toMatch(/^get(ManySites|Units)$/);
			expect(others).not.toHaveProperty('sites');
		},
	);

	it('a person in the editor is told where to enter sites if none are known', async () => {
		const none = credentialsOf(await createAccount());
		await open([aquaculture({ operation: 'getSite', siteId: locator('list', '') }, none)]);
		await editor.openNode('Aquaculture');
		await editor.searchSites('');

		const told = editor.page.getByText("Enter sites in the credential, or choose 'By ID'");
		await told.waitFor();
		const isWhole = await told.evaluate(
			({ scrollWidth, clientWidth }: Record<'scrollWidth' | 'clientWidth', number>) =>
				scrollWidth <= clientWidth,
		);
		expect(isWhole).toBe(true);
		await editor.page.keyboard.press('Escape');
	});

	it('a person in the editor is offered the fields of a change after the trigger, before the first run, where n8n does that', async () => {
		const parameters = { pollTimes: {}, changes: ['any'] };
		const watching = triggerWorkflow('Watched sites', account, parameters);
		await editor.openWorkflow(await n8n.createWorkflow(watching));
		await editor.page.getByText('all sites').waitFor();
		await editor.openNode('Read');

		const input = editor.part('ndv-input-panel');
		await input
			.getByText(/execute/i)
			.first()
			.waitFor();
		// n8n 2.40 has no preview for triggers.
		const isOffered = version.startsWith('1.');
		for (const field of ['summary', 'siteName', 'oldValue']) {
			const offered = input.getByText(field, { exact: true });
			await (isOffered ? offered.waitFor() : expect(offered.count()).resolves.toBe(0));
		}
		await editor.closeNode();
	});

	it('a person in the editor sets up the trigger, and fetches a test event', async () => {
		await editor.openNode('Trigger');
		for (const field of ['changes', 'emitCurrentState']) {
			await editor.part(`parameter-input-${field}`).waitFor();
		}
		emulator.reset();
		await editor.executeStep();

		await editor.part('output-panel').getByText('Sample: Name of Storvågen').first().waitFor();
		expect(emulator.journal.count('site')).toBe(SITES.length);
	});

	it('a person in the editor finds the trigger by licence, license or limit, with what is likely among its triggers', async () => {
		await editor.closeNode();
		for (const [search, trigger] of [
			['licence', 'On licence changed'],
			['license', 'On licence changed'],
			['biomass limit', 'On biomass limit changed'],
			['licence change', 'On any change'],
		] as const) {
			await editor.beginWorkflow(search);
			await editor.page.keyboard.press('Enter');
			await editor.page.getByText(/^Triggers \(\d+\)$/).waitFor();
			await editor.found(trigger).click();

			await editor.part('parameter-input-changes').waitFor();
			expect(await editor.page.getByText('Aquaculture Trigger').count()).toBeGreaterThan(0);
			await editor.closeNode();
		}
	});
});
