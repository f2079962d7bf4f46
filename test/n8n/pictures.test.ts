import readXlsx from 'read-excel-file/node';
import type { Locator } from 'playwright-core';
import type { IDataObject, INodeCredentials } from 'n8n-workflow';
import { Emulator, UNLIMITED } from '../../emulator/server';
import { knownSitesOf, SITES } from '../../emulator/sites';
import { shareStage } from '../../testbed/jest/shareStage';
import { Editor, type Crop } from '../../testbed/n8n/editor';
import { exampleWorkflow } from '../../testbed/n8n/examples';
import { N8nInstance } from '../../testbed/n8n/instance';
import { checkPicture, PICTURED_VERSION } from '../../testbed/n8n/pictures';
import { mailPage, sheetPage } from '../../testbed/n8n/results';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { MailServer, type ReceivedMail } from '../../testbed/servers/mailServer';
import { until } from '../../testbed/wait';
import {
	credentialsOf,
	NODE_TYPE,
	pollTimesOf,
	step,
	TRIGGER_TYPE,
	workflow,
} from '../../testbed/workflows';

/** Sites that every font can show. */
const SHOWN_SITES = SITES.slice(0, 10);
const ADDRESSES = { fromEmail: 'farm@example.com', toEmail: 'office@example.com' };
const FORM_LOGIN = { user: 'farm', password: 'form-Passw0rd' };
/** What is not at the left of the node's own panel, once the output is as wide as it can be. */
const NODE_AND_OUTPUT = { left: 121, top: 41 };

describe('what the pages show of n8n', () => {
	const stage = shareStage();
	let emulator: Emulator;
	let mailServer: MailServer;
	let n8n: N8nInstance;
	let editor: Editor;
	let credentials: INodeCredentials;

	beforeAll(async () => {
		emulator = await stage.keep(Emulator.start({ ...UNLIMITED, sites: SHOWN_SITES }));
		mailServer = await stage.keep(MailServer.start());
		n8n = await N8nInstance.start(stage, PICTURED_VERSION, { N8N_HOST: '127.0.0.1' });
		const account = await n8n.createCredential({
			...unlimitedAccount(emulator.baseUrl),
			knownSites: knownSitesOf(SHOWN_SITES),
		});
		const sender = await n8n.createCredential(mailServer.credential, 'smtp');
		const login = await n8n.createCredential(FORM_LOGIN, 'httpBasicAuth');
		credentials = {
			...credentialsOf(account),
			smtp: { id: sender, name: 'Mail account' },
			httpBasicAuth: { id: login, name: 'Form login' },
		};
		editor = await Editor.open(stage, n8n, FORM_LOGIN);
	}, 240_000);
	beforeEach(() => {
		emulator.reset();
		mailServer.mails.length = 0;
	});

	const picture = async (name: string, part: string | Locator, crop?: Crop) =>
		await checkPicture(name, await editor.picture(part, crop));
	const onlyOf = (type: string): INodeCredentials =>
		({ [type]: credentials[type] }) as INodeCredentials;
	const sitesRead = () => emulator.journal.count('site');
	/** Waits until the trigger knows all sites. */
	const remembered = async () => await until(() => sitesRead() >= SHOWN_SITES.length, 60_000);
	const changeLicence = (siteId: number, license: string) =>
		emulator.changeSite(siteId, (site) => ({ ...site, info: { ...site.info, license } }));
	const mailOf = (mail: ReceivedMail | undefined) => {
		if (!mail) throw new Error('No mail has arrived');
		return mailPage(mail)
			.replaceAll(/\d+ [A-Z][a-z]+ 20\d\d/g, '5 January 2026')
			.replaceAll(/20\d\d-\d\d-\d\d/g, '2026-01-05')
			.replaceAll(/\b\d\d:\d\d\b/g, '07:00');
	};

	it('the weekly mail and its sheet', async () => {
		const mailing = exampleWorkflow('weekly-mail', credentials, { 'Send Email': ADDRESSES });
		await n8n.runManually(await n8n.createWorkflow(mailing));

		const [mail] = mailServer.mails;
		await checkPicture('result-mail', await editor.render(mailOf(mail), 760));
		const [sheet] = await readXlsx(Buffer.from(mail?.attachments[0]?.content as ArrayBuffer));
		const page = sheetPage('sites.xlsx', sheet?.data ?? []);
		await checkPicture('result-sheet', await editor.render(page, 980));
	});

	it('the alert', async () => {
		const alert = exampleWorkflow('alert-by-mail', credentials, {
			'Licence or Limit Changed': { pollTimes: pollTimesOf([0, 10, 20, 30, 40, 50]) },
			'Send Email': ADDRESSES,
		});
		const id = await n8n.createWorkflow(alert);
		await n8n.activate(id);
		await remembered();
		changeLicence(1001, 'M-H-0202');
		emulator.changeSite(1004, (site) => ({
			...site,
			info: { ...site.info, maxTotalBiomass: 1800 },
		}));
		await until(() => mailServer.mails.length > 0);
		await n8n.deactivate(id);

		await checkPicture('result-alert', await editor.render(mailOf(mailServer.mails[0]), 760));
	});

	it('the form', async () => {
		const listing = exampleWorkflow('list-with-site-data', credentials);
		await editor.openWorkflow(await n8n.createWorkflow(listing));
		const form = await editor.executeWithForm();
		await form.setViewportSize({ width: 760, height: 640 });
		await form.locator('input[type="file"]').setInputFiles({
			name: 'My sites.xlsx',
			mimeType: 'application/octet-stream',
			buffer: Buffer.from(''),
		});
		await form.locator('input[type="file"]').blur();
		await checkPicture(
			'result-form',
			await form.screenshot({
				animations: 'disabled',
				clip: { x: 0, y: 0, width: 760, height: 530 },
			}),
		);
		await form.close();
	});

	it('a change that the trigger has seen', async () => {
		const parameters: IDataObject = {
			pollTimes: { item: [{ mode: 'everyMinute' }] },
			sites: 'all',
			changes: ['infoChanged'],
			infoFields: ['license'],
		};
		const trigger = step('Aquaculture Trigger', TRIGGER_TYPE, parameters, {
			credentials: onlyOf('aquacultureApi'),
		});
		const id = await n8n.createWorkflow(workflow('Watched sites', [trigger, step('Next', 'noOp')]));
		await n8n.activate(id);
		await remembered();
		changeLicence(1001, 'M-H-0202');
		await until(async () => (await n8n.executionsOf(id)).length > 0, 90_000);
		await n8n.deactivate(id);

		await editor.openWorkflow(id);
		await editor.part('radio-button-executions').click();
		await editor.page.getByText('Copy to editor').waitFor();
		await editor.openNode('Aquaculture Trigger');
		await editor.part('output-panel').getByTestId('radio-button-json').click();
		await editor.part('output-panel').getByText('"M-H-0202"').waitFor();
		await picture('trigger', 'ndv', { height: 486 });
	});

	describe('the first workflow', () => {
		const MAIL = {
			...ADDRESSES,
			subject: 'Our sites',
			emailFormat: 'text',
			text: 'The sheet of our sites is attached.',
			options: { appendAttribution: false, attachments: 'data' },
		};
		const WEEKLY = { field: 'weeks', weeksInterval: 1, triggerAtDay: [1], triggerAtHour: 7 };
		let id: string;

		beforeAll(async () => {
			const schedule = { rule: { interval: [{ ...WEEKLY, triggerAtMinute: 0 }] } };
			const reading = { operation: 'getManySites', sites: 'all', simplify: true };
			const file = { operation: 'xlsx', options: { fileName: 'sites.xlsx' } };
			const row = [
				step('Schedule Trigger', 'scheduleTrigger', schedule, { typeVersion: 1.3 }),
				step('Aquaculture', NODE_TYPE, reading, { credentials: onlyOf('aquacultureApi') }),
				step('Convert to File', 'convertToFile', file, { typeVersion: 1.1 }),
				step('Send Email', 'emailSend', MAIL, { typeVersion: 2.1, credentials: onlyOf('smtp') }),
			];
			const settings = { timezone: 'Europe/Oslo' };
			id = await n8n.createWorkflow(workflow('Our sites every Monday', row, settings));
			await editor.openWorkflow(id);
		});

		it('has a time zone', async () => {
			await editor.part('workflow-menu').click();
			await editor.page.getByText('Settings', { exact: true }).last().click();
			await editor.part('workflow-settings-timezone').waitFor();
			await picture('first-workflow-1', editor.page.locator('.el-dialog:visible'), { height: 300 });
			await editor.page.keyboard.press('Escape');
		});

		it('runs every Monday', async () => {
			await editor.openNode('Schedule Trigger');
			await editor.part('parameter-input-triggerAtMinute').waitFor();
			await picture('first-workflow-2', 'ndv', { width: 481, height: 600 });
			await editor.closeNode();
		});

		it('reads all known sites in a run', async () => {
			await editor.part('execute-workflow-button').last().click();
			await until(() => mailServer.mails.length > 0);
			await editor.executed();
			await checkPicture('first-workflow-6', await editor.nodesPicture(136));

			await editor.page.setViewportSize({ width: 1560, height: 800 });
			await editor.openNode('Aquaculture');
			await editor.widenOutput();
			await editor.part('output-panel').getByTestId('radio-button-table').click();
			await picture('simplify-table', 'ndv', { ...NODE_AND_OUTPUT, height: 600 });
			await editor.closeNode();
		});

		it('makes a file', async () => {
			await editor.page.setViewportSize({ width: 1440, height: 800 });
			await editor.openNode('Convert to File');
			await editor.part('output-panel').getByText('sites.xlsx').waitFor();
			await picture('first-workflow-4', 'ndv', { ...NODE_AND_OUTPUT, height: 350 });
			await editor.closeNode();
		});

		it('sends a mail', async () => {
			await editor.page.setViewportSize({ width: 1440, height: 960 });
			await editor.openNode('Send Email');
			await editor.part('parameter-input-attachments').waitFor();
			await picture('first-workflow-5', 'ndv', { ...NODE_AND_OUTPUT, width: 421 });
			await editor.closeNode();
			await editor.page.setViewportSize({ width: 1440, height: 800 });
		});

		it('is published, and has runs', async () => {
			await n8n.activate(id);
			await editor.openWorkflow(id);
			await editor.part('radio-button-executions').click();
			await editor.page.getByText('Copy to editor').waitFor();
			await editor.page.getByText('Published').first().waitFor();
			await picture('first-workflow-7', editor.page.locator('body'), { height: 540 });
		});
	});
});
