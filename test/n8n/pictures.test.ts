import readXlsx from 'read-excel-file/node';
import type { IDataObject, INodeCredentials } from 'n8n-workflow';
import type { Fault } from '../../emulator/faults';
import { Emulator, UNLIMITED } from '../../emulator/server';
import { knownSitesOf, SITES } from '../../emulator/sites';
import { useCleanup } from '../../testbed/jest/useCleanup';
import { Editor } from '../../testbed/n8n/editor';
import { createCredentials, exampleNames, exampleWorkflow } from '../../testbed/n8n/examples';
import { N8nInstance } from '../../testbed/n8n/instance';
import { checkPicture } from '../../testbed/n8n/pictures';
import { mailPage, sheetPage } from '../../testbed/n8n/results';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { MailServer } from '../../testbed/servers/mailServer';
import { NODE_TYPE, step, TRIGGER_TYPE, workflow, type NewWorkflow } from '../../testbed/workflows';
import { Page } from '../docs/pages';

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
const NO_RIGHT: Fault = {
	kind: 'status',
	status: 403,
	headers: { 'content-type': 'application/json' },
	body: '{}',
};
const VERSION_HEADER = 'Farm-Data-Version';
/** The part of the credential with the test's result and the fields that everybody fills in. */
const FIELDS_TO_FILL_IN = { left: 206, top: 158, width: 790, height: 800 };
/** So large that the editor need not zoom out. */
const WHOLE_WORKFLOW = { width: 1900, height: 2200 };
/** The page shows pictures of the examples that a sentence cannot describe. */
const { targets } = new Page('examples/README.md');
const PICTURED = exampleNames().filter((name) =>
	targets.includes(`../docs/images/example-${name}.png`),
);
const ADDRESSES = { fromEmail: 'farm@example.com', toEmail: 'office@example.com' };

const cleanup = useCleanup();
let emulator: Emulator;
let mailServer: MailServer;
let n8n: N8nInstance;
let editor: Editor;
let credentials: INodeCredentials;
let mayRead: { credentials: INodeCredentials };

beforeAll(async () => {
	emulator = await cleanup.use(
		Emulator.start({ ...UNLIMITED, sites: SHOWN_SITES, versionHeader: VERSION_HEADER }),
	);
	mailServer = await cleanup.use(MailServer.start());
	n8n = await N8nInstance.start(cleanup);
	credentials = await createCredentials(n8n, {
		aquacultureApi: { ...account(), knownSites: knownSitesOf(SHOWN_SITES) },
		smtp: mailServer.credential,
		httpBasicAuth: { user: 'farm', password: 'form-Passw0rd' },
		httpBearerAuth: { token: 'token-of-the-assistant' },
		postgres: { host: 'db.example.com' },
	});
	const { aquacultureApi } = credentials;
	mayRead = { credentials: { aquacultureApi } as INodeCredentials };
	editor = await Editor.open(cleanup, n8n);
});

const account = () => ({ ...unlimitedAccount(emulator.baseUrl), versionHeader: VERSION_HEADER });
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
		.replaceAll(/20\d\d-\d\d-\d\d/g, '2026-01-05');

it.each(PICTURED)('the picture of the example %s is current', async (name) => {
	const { nodes, ...example } = exampleWorkflow(name, credentials);
	const steps = nodes.filter(({ type }) => !type.endsWith('.stickyNote'));
	const id = await n8n.createWorkflow({ ...example, nodes: steps } as NewWorkflow);

	await editor.openWorkflow(id, WHOLE_WORKFLOW);
	await checkPicture(`example-${name}`, async () => await editor.canvasPicture());
});

it('the pictures of a credential and an unknown site are current', async () => {
	emulator.fail({ route: 'site', siteId: 4040, fault: UNKNOWN_SITE });
	const siteId = { __rl: true, mode: 'id', value: '4040' };
	const reading = step('Aquaculture', NODE_TYPE, { siteId }, mayRead);
	const made = workflow('A site', [step('Start', 'manualTrigger'), reading]);
	await editor.openWorkflow(await n8n.createWorkflow(made));
	await editor.openNode('Aquaculture');
	await editor.executeStep();
	await editor.part('node-error-description').getByText('Check the site ID,').waitFor();
	await checkPicture(
		'unknown-site',
		async () => await editor.picture('ndv', { left: 486, top: 42, height: 560 }),
	);

	const top = { left: 486, top: 42, width: 420, height: 120 };
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

	const [mail] = mailServer.mails;
	if (!mail) throw new Error('There is no mail');
	const [file] = mail.attachments;
	const page = withoutTime(mailPage(mail));
	await checkPicture('result-mail', async () => await render(page, 760));
	const [sheet] = await readXlsx(Buffer.from(file?.content as ArrayBuffer));
	const shown = sheetPage(withoutTime(`${file?.filename}`), sheet?.data ?? []);
	await checkPicture('result-sheet', async () => await render(shown, 1108));
});

it('the picture of a notice is current', async () => {
	const parameters: IDataObject = {
		operation: 'getManySites',
		sites: 'byId',
		siteIds: '1001, 1002, 1003',
		includeInfo: false,
		includeUnits: false,
	};
	const continues = { ...mayRead, onError: 'continueErrorOutput' } as const;
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
	await checkPicture('notice', async () => await editor.picture('output-panel', { height: 366 }));
});

it('the picture of the sample of a change is current', async () => {
	const parameters: IDataObject = {
		pollTimes: { item: [{ mode: 'everyDay' }] },
		changes: ['licenseChanged'],
	};
	const trigger = step('Aquaculture Trigger', TRIGGER_TYPE, parameters, mayRead);
	const watched = workflow('Watched sites', [trigger, step('Next', 'noOp')]);
	const watching = await n8n.createWorkflow(watched);

	await editor.openWorkflow(watching, { width: 1440, height: 960 });
	await editor.openNode('Aquaculture Trigger');
	await editor.executeStep();
	await editor.widenOutput();
	await editor.part('output-panel').getByTestId('radio-button-json').click();
	await editor.part('output-panel').getByText('Sample: ').first().waitFor();
	await checkPicture(
		'trigger',
		async () => await editor.picture('ndv', { left: 123, top: 42, height: 640 }),
	);
});
