import readXlsx from 'read-excel-file/node';
import type { IBinaryData, IDataObject, INodeCredentials } from 'n8n-workflow';
import manifest from '../../package.json';
import type { Fault } from '../../emulator/faults';
import { knownSitesOf, SITES } from '../../emulator/sites';
import { useN8n } from '../../testbed/jest/useN8n';
import { Editor, NODE_AND_OUTPUT } from '../../testbed/n8n/editor';
import { createCredentials, exampleWorkflow } from '../../testbed/n8n/examples';
import { itemsOf } from '../../testbed/n8n/instance';
import { mapPage } from '../../testbed/n8n/map';
import { checkPicture } from '../../testbed/n8n/pictures';
import { mailPage, sheetPage } from '../../testbed/n8n/results';
import { MailServer } from '../../testbed/servers/mailServer';
import { until } from '../../testbed/wait';
import { NODE_TYPE, pollTimesOf, step, TRIGGER_TYPE, workflow } from '../../testbed/workflows';

// Slow: starts n8n and a browser.

/** Sites that every font can show. */
const SHOWN_SITES = SITES.slice(0, 10);
/** A picture shows the trace ID, so it must not change. */
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
const NO_RIGHT: Fault = { kind: 'status', status: 403, body: '{}' };
const VERSION_HEADER = 'Farm-Data-Version';
const CANVAS = { width: 966, height: 460 };
/** The part of the credential with the fields that everybody fills in. */
const FIELDS_TO_FILL_IN = { left: 206, top: 240, width: 790, height: 752 };
const ADDRESSES = { fromEmail: 'farm@example.com', toEmail: 'office@example.com' };

const { cleanup, emulator, n8n, activate } = useN8n({
	sites: SHOWN_SITES,
	versionHeader: VERSION_HEADER,
});
let mailServer: MailServer;
let editor: Editor;
let credentials: INodeCredentials;
let mayRead: { credentials: INodeCredentials };

beforeAll(async () => {
	mailServer = await cleanup.use(new MailServer().start());
	credentials = await createCredentials(n8n, {
		aquacultureApi: {
			...emulator.credential,
			versionHeader: VERSION_HEADER,
			knownSites: knownSitesOf(SHOWN_SITES),
		},
		smtp: mailServer.credential,
	});
	const { aquacultureApi } = credentials;
	mayRead = { credentials: { aquacultureApi } as INodeCredentials };
	editor = await Editor.open(cleanup, n8n);
});
beforeEach(() => {
	emulator.reset();
	mailServer.mails.length = 0;
});

/** Renders HTML as a PNG image. */
const render = async (html: string, width: number) => {
	const page = await editor.page.context().newPage();
	await page.setViewportSize({ width, height: 100 });
	await page.setContent(html);
	return await page.screenshot({ fullPage: true });
};
const withoutTime = (text: string) =>
	text
		.replaceAll(/\d+ [A-Z][a-z]+ 20\d\d/g, '5 January 2026')
		.replaceAll(/20\d\d-\d\d-\d\d/g, '2026-01-05')
		.replaceAll(/\d\d:\d\d/g, '07:00');
/** Checks the picture of the mail that has arrived, and returns the mail. */
const checkMail = async (name: string) => {
	const [mail] = mailServer.mails;
	if (!mail) throw new Error('There is no mail');
	const shown = withoutTime(mailPage(mail));
	await checkPicture(name, async () => await render(shown, 720));
	return mail;
};

it('the picture of the installation is current', async () => {
	await editor.page.goto(`${n8n.address}/settings/community-nodes`);
	await editor.page.getByRole('button', { name: 'Install a community node' }).click();
	const dialog = editor.page.getByRole('dialog');
	await dialog.getByRole('textbox').fill(manifest.name);
	await dialog.getByText('I understand the risks').click();
	await checkPicture('install', async () => await editor.picture(dialog.locator('.el-dialog')));
});

it('the pictures of a credential and an unknown site are current', async () => {
	emulator.fail({ route: 'site', siteId: 4040, fault: UNKNOWN_SITE });
	const siteId = { __rl: true, mode: 'id', value: '4040' };
	const reading = step('Aquaculture', NODE_TYPE, { siteId }, mayRead);
	const made = workflow('A site', [step('Start', 'manualTrigger'), reading]);
	await editor.openWorkflow(await n8n.createWorkflow(made));
	await editor.openNode('Aquaculture');
	await editor.executeStep();
	await editor.part('node-error-description').getByText('Check the site ID.').waitFor();
	const whole = { ...NODE_AND_OUTPUT, height: 560 };
	await checkPicture('unknown-site', async () => await editor.picture('ndv', whole));

	const top = { ...NODE_AND_OUTPUT, width: 420, height: 120 };
	await checkPicture('credential-open', async () => await editor.picture('ndv', top));
	const dialog = await editor.openCredential();
	await editor
		.field('baseUrl')
		.evaluate((field: { value: string }) => (field.value = 'https://data.example.com'));
	await checkPicture('credential', async () => await editor.picture(dialog, FIELDS_TO_FILL_IN));
	await editor.closeCredential();
});

it('the pictures of the weekly email and its sheet are current', async () => {
	const mailing = exampleWorkflow('weekly-email', credentials, { 'Send Email': ADDRESSES });
	await n8n.runManually(await n8n.createWorkflow(mailing));

	const mail = await checkMail('result-mail');
	const [file] = mail.attachments;
	const [sheet] = await readXlsx(Buffer.from(file?.content as ArrayBuffer));
	const shown = sheetPage(withoutTime(`${file?.filename}`), sheet?.data ?? []);
	await checkPicture('result-sheet', async () => await render(shown, 850));
});

it('the picture of a map is current', async () => {
	const norwegian = SHOWN_SITES.filter(({ info }) => info?.timezone === 'Europe/Oslo');
	const siteIds = norwegian.map(({ siteId }) => siteId).join();
	const making = exampleWorkflow('units-on-a-map', credentials, {
		'Get Units': { resource: 'site', operation: 'getManySites', sites: 'byId', siteIds },
	});
	const execution = await n8n.runManually(await n8n.createWorkflow(making));
	const [made] = itemsOf(execution, 'Convert to CSV');
	const file = await n8n.download(made?.binary?.data as IBinaryData);

	await checkPicture('map', async () => await render(mapPage(file), 720));
});

it('the picture of an alert is current', async () => {
	const alert = exampleWorkflow('alert-by-email', credentials, {
		// On a Monday, a status report would come first.
		'Licence or Limit Changed': {
			pollTimes: pollTimesOf([0, 10, 20, 30, 40, 50]),
			statusReport: 'off',
		},
		'Send Email': ADDRESSES,
	});
	const steps = alert.nodes.filter(({ type }) => !type.endsWith('.stickyNote'));
	await editor.openWorkflow(await n8n.createWorkflow({ ...alert, nodes: steps }), CANVAS);
	await editor.zoom();
	const nodes = { top: 24, width: 866, height: 290 };
	await checkPicture('alert-canvas', async () => await editor.picture('canvas-wrapper', nodes));
	const id = await n8n.createWorkflow(alert);
	await activate(id);
	await until(() => emulator.journal.count('site') > SHOWN_SITES.length);
	emulator.changeSite(1001, ({ info, ...site }) => ({
		...{ ...site, info: { ...info, license: 'M-H-0202', maxTotalBiomass: 2340 } },
	}));
	await until(() => mailServer.mails.length > 0);

	await checkMail('result-alert');
});

it('the picture of a failed execution of the trigger is current', async () => {
	emulator.fail({ route: 'site', siteId: 1002, fault: NO_RIGHT });
	const trigger = step(
		'Aquaculture Trigger',
		TRIGGER_TYPE,
		{ pollTimes: pollTimesOf([0, 10, 20, 30, 40, 50]) },
		mayRead,
	);
	const id = await n8n.createWorkflow(workflow('Watched sites', [trigger]));
	await activate(id);
	await until(async () => (await n8n.executionsOf(id)).some(({ status }) => status === 'error'));
	await n8n.deactivate(id);
	await editor.page.setViewportSize({ width: 1440, height: 700 });
	await editor.page.goto(`${n8n.address}/workflow/${id}/executions`);
	await editor.page.getByText('Debug in editor').waitFor();
	await editor.openNode('Aquaculture Trigger');
	await editor.part('node-error-description').waitFor();
	const output = { left: 481, top: 41, height: 330 };
	await checkPicture('trigger-failed', async () => await editor.picture('ndv', output));
});

it('the picture of a notice is current', async () => {
	const parameters: IDataObject = {
		operation: 'getManySites',
		sites: 'byId',
		siteIds: '1001, 1002, 1003',
		includeInfo: false,
		includeUnits: false,
	};
	const continues = { ...mayRead, onError: 'continueRegularOutput' } as const;
	const reading = step('Aquaculture', NODE_TYPE, parameters, continues);
	emulator.fail({ route: 'site', siteId: 1002, fault: NO_RIGHT, times: 1 });
	const made = workflow('Some sites', [step('Start', 'manualTrigger'), reading]);
	await editor.openWorkflow(await n8n.createWorkflow(made));
	await editor.openNode('Aquaculture');
	await editor.executeStep();
	const output = editor.part('output-panel');
	await output.getByTestId('radio-button-table').click();
	await output.getByText('could not be read').waitFor();
	await editor.widenOutput();
	await checkPicture('notice', async () => await editor.picture('output-panel', { height: 330 }));
});

it('the picture of the trigger is current', async () => {
	const parameters: IDataObject = {
		pollTimes: { item: [{ mode: 'everyDay' }] },
		changes: ['licenseChanged'],
	};
	const trigger = step('Aquaculture Trigger', TRIGGER_TYPE, parameters, mayRead);
	const watching = await n8n.createWorkflow(workflow('Watched sites', [trigger]));
	await editor.openWorkflow(watching);
	await editor.openNode('Aquaculture Trigger');
	await editor.part('parameter-input-changes').waitFor();
	const panel = { left: 121, top: 42, width: 420, height: 632 };
	await checkPicture('trigger', async () => await editor.picture('ndv', panel));
});
