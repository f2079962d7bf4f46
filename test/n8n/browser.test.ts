import type { Fault } from '../../emulator/faults';
import { DEMO_ACCOUNT, Emulator, UNLIMITED } from '../../emulator/server';
import { SITES } from '../../emulator/sites';
import { exampleNames, exampleWorkflow } from '../../testbed/n8n/examples';
import { VERSIONS } from '../../testbed/n8n/install';
import { N8nInstance } from '../../testbed/n8n/instance';
import { Editor } from '../../testbed/n8n/editor';
import { checkPicture, PICTURED_VERSION } from '../../testbed/n8n/pictures';
import { shareStage } from '../../testbed/jest/shareStage';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { credentialsOf, triggerWorkflow } from '../../testbed/workflows';

const EXAMPLE_URL = 'https://data.example.com';
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

describe.each(VERSIONS)('a person in the editor of n8n %s', (version) => {
	const stage = shareStage();
	let emulator: Emulator;
	let n8n: N8nInstance;
	let editor: Editor;

	beforeAll(async () => {
		emulator = await stage.keep(Emulator.start(UNLIMITED));
		n8n = await N8nInstance.start(stage, version);
		editor = await Editor.open(stage, n8n);
		await editor.newWorkflow();
		await editor.openNodeCreator();
	}, 240_000);

	const picture = async (
		name: string,
		part: string,
		{ theme = 'light', height }: { theme?: 'light' | 'dark'; height?: number } = {},
	) => {
		const seen = await editor.picture(part, theme, height);
		if (version === PICTURED_VERSION) await checkPicture(name, seen);
	};

	it.each(['site', 'aquaculture', 'fish'])('finds the node by "%s"', async (text) => {
		await editor.search(text);

		await editor.found('Aquaculture').waitFor();
		if (text === 'fish') await picture('node-creator', 'node-creator', { height: 220 });
	});

	it('adds "Get site"', async () => {
		await editor.found('Aquaculture').click();
		await editor.found('Get site').click();

		await editor.field('siteId').waitFor();
		expect(await editor.field('operation').inputValue()).toBe('Get Site');
	});

	it('creates the credential: the wrong password is refused, the right one accepted', async () => {
		await editor.createCredential();
		await editor.fill('username', DEMO_ACCOUNT.username);
		await editor.fill('password', 'wrong');
		await editor.fill('baseUrl', EXAMPLE_URL);
		await picture('credential', 'editCredential-modal');

		await editor.fill('baseUrl', emulator.baseUrl);
		await editor.saveCredential();
		const dialog = await editor.unfoldRefusal();
		await dialog.getByText('The service refused the username and password').waitFor();

		await editor.fill('password', DEMO_ACCOUNT.password);
		await editor.saveCredential();
		await editor.closeCredential();
	});

	it('is offered the fields of a site in the next node, before the first run', async () => {
		await editor.fill('siteId', '1001');
		await editor.closeNode();
		await editor.openNodeCreator();
		await editor.search('edit fields');
		await editor.found('Edit Fields').click();

		const input = editor.part('ndv-input-panel');
		for (const field of ['siteName', 'maxTotalBiomass', 'unitName']) {
			await input.getByText(field, { exact: true }).waitFor();
		}
		await picture('fields-before-first-run', 'ndv');
		await editor.closeNode();
		expect(emulator.journal.count('site')).toBe(0);
	});

	it('sees the site as JSON and as a table, in the light and in the dark theme', async () => {
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

	it('gets what the checkboxes ask for', async () => {
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

	it('is told what is wrong with an ID, and what to do', async () => {
		const message = editor.part('node-error-message');
		emulator.fail({ route: 'site', siteId: 4040, fault: UNKNOWN_SITE });
		await editor.fill('siteId', '4040');
		await editor.executeStep();
		await message.getByText('The service does not know site 4040').waitFor();
		await editor.part('node-error-description').getByText('Check the site ID.').waitFor();
		await picture('unknown-site', 'ndv');

		await editor.fill('siteId', 'Storvågen');
		await editor.executeStep();
		await message.getByText(`'Site ID' is not a whole number: "Storvågen"`).waitFor();
	});

	it('sets up the trigger, and fetches a test event', async () => {
		const account = await n8n.createCredential(unlimitedAccount(emulator.baseUrl));
		const workflow = triggerWorkflow('Watched sites', account, {
			pollTimes: {},
			siteIds: '',
			changes: ['infoChanged'],
			infoFields: ['license'],
		});
		await editor.openWorkflow(await n8n.createWorkflow(workflow));
		// So wide that the buttons above the output have room.
		await editor.page.setViewportSize({ width: 1440, height: 800 });
		await editor.openNode('Trigger');
		for (const field of ['changes', 'infoFields', 'emitCurrentState']) {
			await editor.part(`parameter-input-${field}`).waitFor();
		}
		await editor.fill('siteIds', '1001');
		emulator.reset();
		await editor.executeStep();

		const output = editor.part('output-panel');
		await output.getByText('infoChanged').first().waitFor();
		await output.getByTestId('radio-button-json').click();
		await output.getByText('"infoChanged"').waitFor();
		await picture('trigger', 'ndv');
		expect(emulator.journal.of('site').map(({ url }) => url)).toEqual([
			'/meta/sites/1001?$include=info',
		]);
	});

	it.each(exampleNames())('sees the example %s on the canvas', async (name) => {
		const account = await n8n.createCredential(unlimitedAccount(EXAMPLE_URL));
		const sender = await n8n.createCredential({ host: 'mail.example.com' }, 'smtp');
		const login = await n8n.createCredential({ user: 'farm', password: 'form' }, 'httpBasicAuth');
		const database = await n8n.createCredential({ host: 'db.example.com' }, 'postgres');
		const credentials = {
			...credentialsOf(account),
			smtp: { id: sender, name: 'Mail account' },
			httpBasicAuth: { id: login, name: 'Form login' },
			postgres: { id: database, name: 'Postgres account' },
		};
		await editor.openWorkflow(await n8n.createWorkflow(exampleWorkflow(name, credentials)));

		const seen = await editor.canvasPicture();
		if (version === PICTURED_VERSION) await checkPicture(`example-${name}`, seen);
	});
});
