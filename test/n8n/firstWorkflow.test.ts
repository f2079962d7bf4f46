import type { Locator } from 'playwright-core';
import readXlsx from 'read-excel-file/node';
import { knownSitesOf, SITES } from '../../emulator/sites';
import { useN8n } from '../../testbed/jest/useN8n';
import { Editor, NODE_AND_OUTPUT, VIEWPORT, type Crop } from '../../testbed/n8n/editor';
import { createCredentials, exampleWorkflow } from '../../testbed/n8n/examples';
import { checkPicture } from '../../testbed/n8n/pictures';
import { errorOf } from '../../testbed/n8n/instance';
import { pictured } from '../../testbed/n8n/testedVersions.json';
import { IS_N8N_1, VERSION } from '../../testbed/n8n/versions';
import { MailServer } from '../../testbed/servers/mailServer';
import { until } from '../../testbed/wait';
import { CREDENTIAL_NAME } from '../../testbed/workflows';
import { Page } from '../docs/pages';

// Slow: starts n8n and a browser.

/** Sites that every font can show. */
const SHOWN_SITES = SITES.slice(0, 10);
/** n8n debounces input by 100 ms. */
const PAUSE_MS = 300;
/** Ends only a walk that hangs: n8n's editor is slow on a busy machine. */
const WALK_MS = 900_000;

/** The page's sections; 0 is the introduction. */
const SECTIONS = new Page('docs/first-workflow.md').text.split(/^## /m);
const BOLD = /\*\*(.+?)\*\*/g;

const { cleanup, emulator, n8n } = useN8n({ sites: SHOWN_SITES }, { N8N_HOST: '127.0.0.1' });
let mailServer: MailServer;
let editor: Editor;

/** What the sections of the page do, in order; each continues what the one before has done, so they are one test. */
const steps: Array<{ what: string; follow: () => Promise<void> }> = [];
const step = (what: string, follow: () => Promise<void>) => steps.push({ what, follow });

let section = 0;
const used = new Set<string>();

beforeAll(async () => {
	mailServer = await cleanup.use(new MailServer().start());
	const account = { ...emulator.credential, knownSites: knownSitesOf(SHOWN_SITES) };
	await n8n.createCredential(account);
	editor = await Editor.open(cleanup, n8n);
	await editor.page.goto(`${n8n.address}/home/workflows`);
});

/** Checks that the section contains this text. */
const said = (text: string, inSection = section) => {
	const says = SECTIONS[inSection]?.includes(text);
	if (!says) throw new Error(`The page does not say ${text} in section ${inSection}`);
	return text;
};
/** Checks that the section contains this name in bold. */
const name = (text: string, inSection = section) => {
	said(`**${text}**`, inSection);
	used.add(text);
	return text;
};
const seen = (text: string) =>
	editor.page.getByText(text, { exact: true }).filter({ visible: true });
const select = async (text: string) => await seen(name(text)).last().click();
/** Returns the input that belongs to a label. */
const field = (label: string) =>
	seen(name(label)).last().locator('xpath=ancestor::*[.//input or .//textarea][1]');
const input = (label: string) => field(label).locator('input, textarea').first();
const valueOf = async (label: string) => await input(label).inputValue();
const type = async (label: string, text: string) => await editor.fill(input(label), text);
const turn = async (label: string) => await field(label).locator('.el-switch').click();
const choose = async (label: string, entry: string) => {
	await input(label).click();
	await editor.pick(said(entry));
};
const addOption = async (option: string) => await editor.addOption(name(option));
const closePanel = async () => {
	if (IS_N8N_1) await seen(name('Back to canvas', 0)).click();
	else await editor.part('ndv-close-button').click();
};
const addNode = async (search: string, node: string, action?: string) => {
	name('+');
	await editor.part('canvas-handle-plus').or(editor.part('canvas-add-button')).last().click();
	said(`"${search}"`);
	await editor.search(search);
	await editor.found(name(node)).click();
	if (action !== undefined) await select(action);
};
const picture = async (image: string, part: string | Locator, crop?: Crop) => {
	if (VERSION !== pictured) return;
	await checkPicture(image, async () => await editor.picture(part, crop));
};
/** Waits until the editor has saved the workflow. */
const answerTo = async (method: 'POST' | 'PATCH') =>
	await editor.page.waitForResponse(
		(response) =>
			response.request().method() === method && response.url().includes('/rest/workflows'),
	);

step('creates a workflow with a name and a time zone', async () => {
	const first = IS_N8N_1 ? name('Start from scratch') : name('Build a workflow');
	await seen(first)
		.or(seen(name('Create workflow')))
		.last()
		.click();
	await seen(name('My workflow')).first().click();
	await editor.page.keyboard.press('ControlOrMeta+A');
	await editor.page.keyboard.type(said('Our sites every Monday'));
	const stored = answerTo('POST');
	await editor.page.keyboard.press('Enter');
	await stored;
	await editor.page.waitForTimeout(PAUSE_MS);
	await editor.part('workflow-menu').click();
	await select('Settings');
	// Wait until n8n has loaded the entries.
	await editor.page.locator('.el-loading-mask:visible').waitFor({ state: 'detached' });
	await choose('Timezone', 'Europe/Oslo');
	await select('Save');
	await editor.page.getByRole('dialog').waitFor({ state: 'hidden' });
});

step('starts it every Monday at seven', async () => {
	name('Add first step');
	await addNode('schedule', 'Schedule Trigger');
	await choose('Trigger Interval', 'Weeks');
	await choose('Trigger on Weekdays', 'Monday');
	await editor.pick(said('Sunday'));
	await editor.page.keyboard.press('Escape');
	await choose('Trigger at Hour', '7am');
	await editor.page.getByText('Trigger Rules').click();
	await picture('first-workflow-2', 'ndv', { width: 481, height: 600 });
	await closePanel();
});

step('reads the sites', async () => {
	await addNode('aquaculture', 'Aquaculture', 'Get many sites');

	expect(await valueOf('Sites')).toBe(name('All Sites'));
	await field('Simplify').locator('.el-switch.is-checked').waitFor();
	expect(await editor.part('node-credentials-select').locator('input').inputValue()).toBe(
		CREDENTIAL_NAME,
	);
	name('Execute step');
	await editor.executeStep();
	await editor.part('output-panel').getByText(name('Table')).click();
	// Wide enough for the head of the column with the biomass limit.
	await editor.page.setViewportSize({ ...VIEWPORT, width: 1462 });
	await picture('node-and-table', 'ndv', { left: 497, top: NODE_AND_OUTPUT.top, height: 560 });
	await editor.page.setViewportSize(VIEWPORT);
	name('Settings');
	await editor.part('tab-settings').click();
	await choose('On Error', 'Continue');
	await closePanel();
});

step('makes the spreadsheet', async () => {
	await addNode('convert', 'Convert to File', 'Convert to XLSX');
	name('Add option');
	await addOption('File Name');
	await type('File Name', said('sites.xlsx'));
	name('Execute step');
	await editor.executeStep();
	await editor.part('output-panel').getByText('sites.xlsx').waitFor();
	await seen(name('Download')).waitFor();
	await picture('first-workflow-4', 'ndv', { ...NODE_AND_OUTPUT, height: 350 });
	await closePanel();
});

step('writes the mail', async () => {
	await addNode('email', 'Send Email', 'Send an Email');
	if (IS_N8N_1) {
		name('Select Credential');
		await editor.page.getByPlaceholder('Select Credential').click();
		await select('Create new credential');
	} else {
		await select('Connect to SMTP');
	}
	const { user, password, host, port } = mailServer.credential;
	await type('User', String(user));
	await type('Password', String(password));
	await type('Host', String(host));
	await type('Port', String(port));
	await turn('SSL/TLS');
	await select('Save');
	await editor.closeCredential();
	await editor.page.setViewportSize({ ...VIEWPORT, height: 960 });
	await type('From Email', 'farm@example.com');
	await type('To Email', 'office@example.com');
	await type('Subject', said('Our sites'));
	await choose('Email Format', 'Text');
	await type('Text', 'The sheet of our sites is attached.');
	name('Add option');
	const attachments = IS_N8N_1 ? 'Attachments' : 'Attachments (File)';
	await addOption(attachments);
	await type(attachments, said('data'));
	await addOption('Append n8n Attribution');
	await turn('Append n8n Attribution');
	await picture('first-workflow-5', 'ndv', { ...NODE_AND_OUTPUT, width: 420, height: 826 });
	await closePanel();
	await seen(name(IS_N8N_1 ? 'Send email' : 'Send an Email'))
		.first()
		.waitFor();
});

step('sends the mail', async () => {
	name('Execute workflow');
	await editor.part('execute-workflow-button').last().click();
	await until(() => mailServer.mails.length > 0, 60_000);
	await editor.page.locator('[data-test-id="execute-workflow-button"]:not([disabled])').waitFor();

	const [mail] = mailServer.mails;
	expect(mail).toMatchObject({ subject: 'Our sites', recipients: ['office@example.com'] });
	expect(mail?.text?.trim()).toBe('The sheet of our sites is attached.');
	expect(mail?.attachments.map(({ filename }) => filename)).toEqual(['sites.xlsx']);
	// n8n's shortcut for zoom to fit.
	await editor.page.keyboard.press('1');
	const nodes = { left: 274, top: 348, width: 848, height: 216 };
	await picture('first-workflow-6', 'canvas-wrapper', nodes);
});

const publish = async () => {
	await seen('Publish').last().click();
	const dialog = editor.page.getByRole('dialog').filter({ hasText: 'Publish workflow' });
	// n8n suggests a different name each time.
	await dialog.locator('input').fill('Version 1');
	await dialog.getByText('Publish workflow').click();
	await dialog.getByRole('button', { name: 'Publish' }).click();
};

step('publishes it, and finds its executions', async () => {
	await editor.page.setViewportSize(VIEWPORT);
	if (IS_N8N_1) {
		const stored = answerTo('PATCH');
		await editor.page.keyboard.press('Control+S');
		await stored;
		await turn('Inactive');
		await select('Got it');
		await seen(name('Production Checklist')).waitFor();
		await editor.page.mouse.click(700, 200);
		await seen('Production Checklist').waitFor({ state: 'hidden' });
	} else {
		name('Publish');
		await publish();
		await select('Got it');
	}
	await select('Executions');
	await seen('Copy to editor').waitFor();
});

step('selects the error workflow, and publishes again', async () => {
	const smtp = await createCredentials(n8n, { smtp: mailServer.credential });
	const addresses = { fromEmail: 'farm@example.com', toEmail: 'office@example.com' };
	const example = exampleWorkflow('email-when-a-workflow-fails', smtp, { 'Send Email': addresses });
	const errorWorkflow = await n8n.createWorkflow(example);
	// n8n 2 lists only published workflows.
	if (!IS_N8N_1) await n8n.activate(errorWorkflow);
	await select('Editor');
	await editor.part('workflow-menu').click();
	await select('Settings');
	await editor.page.locator('.el-loading-mask:visible').waitFor({ state: 'detached' });
	// The field's label has more words than the page.
	name('Error Workflow');
	await editor.part('workflow-settings-error-workflow').locator('input').first().click();
	await editor.pick(name('Email when a workflow fails'));
	await select('Save');
	await editor.page.getByRole('dialog').waitFor({ state: 'hidden' });
	if (IS_N8N_1) return;
	name('Published');
	await seen('Published').waitFor();
	await editor.part('version-menu-button').click();
	await select('Unpublish');
	await editor.page.getByRole('dialog').getByRole('button', { name: 'Unpublish' }).click();
	await publish();
	await seen('Published').waitFor();
});

step('mails the other sites if one cannot be read', async () => {
	emulator.changeSite(1002, () => undefined);
	mailServer.mails.length = 0;
	const id = /workflow\/(\w+)/.exec(editor.page.url())?.[1] ?? '';
	const execution = await n8n.runManually(id);

	expect([execution.status, errorOf(execution)]).toEqual(['success', undefined]);
	const sheet = mailServer.mails[0]?.attachments[0]?.content as ArrayBuffer;
	const [{ data: rows = [] } = {}] = await readXlsx(Buffer.from(sheet));
	expect(rows).toHaveLength(1 + SHOWN_SITES.length);
	expect(rows.flat()).toContain('The service does not know site Kråkøya (1002)');
});

it(
	'the page leads from an empty n8n to the mailed sheet, and prints no other name in bold',
	async () => {
		for (const { what, follow } of steps) {
			section += 1;
			await follow().catch((cause: unknown) => {
				throw new Error(`Step ${section} fails, which ${what}`, { cause });
			});
		}

		const lines = SECTIONS.slice(1, 9).flatMap((text) => text.split('\n'));
		const ofEveryVersion = lines.filter((line) => !line.includes('n8n 1') && !line.includes('!['));
		const names = ofEveryVersion.flatMap((step) =>
			[...step.matchAll(BOLD)].map(([, printed = '']) => printed),
		);

		expect(names.filter((printed) => !used.has(printed))).toEqual([]);
	},
	WALK_MS,
);
