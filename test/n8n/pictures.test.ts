import readXlsx from 'read-excel-file/node';
import type { Locator } from 'playwright-core';
import type { IDataObject, INodeCredentials } from 'n8n-workflow';
import { Emulator, UNLIMITED } from '../../emulator/server';
import { knownSitesOf, SITES } from '../../emulator/sites';
import { shareStage } from '../../testbed/jest/shareStage';
import { Editor, type Crop } from '../../testbed/n8n/editor';
import { createCredentials, exampleNames, exampleWorkflow } from '../../testbed/n8n/examples';
import { N8nInstance } from '../../testbed/n8n/instance';
import { checkPicture } from '../../testbed/n8n/pictures';
import { PICTURED_VERSION } from '../../testbed/n8n/versions';
import { mailPage, sheetPage } from '../../testbed/n8n/results';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { MailServer } from '../../testbed/servers/mailServer';
import { until } from '../../testbed/wait';
import {
	NODE_TYPE,
	pollTimesOf,
	step,
	TRIGGER_TYPE,
	workflow,
	type NewWorkflow,
} from '../../testbed/workflows';

/** Sites that every font can show. */
const SHOWN_SITES = SITES.slice(0, 10);
const ADDRESSES = { fromEmail: 'farm@example.com', toEmail: 'office@example.com' };
const FORM_LOGIN = { user: 'farm', password: 'form-Passw0rd' };
/** What is not at the left of the node's own panel, once the output is as wide as it can be. */
const NODE_AND_OUTPUT = { left: 121, top: 42 };

describe('what the pages show of n8n', () => {
	const stage = shareStage();
	let mailServer: MailServer;
	let n8n: N8nInstance;
	let editor: Editor;

	/** A service, and all credentials of somebody who uses it. */
	const newAccount = async () => {
		const emulator = await stage.keep(Emulator.start({ ...UNLIMITED, sites: SHOWN_SITES }));
		const credentials = await createCredentials(n8n, {
			aquacultureApi: {
				...unlimitedAccount(emulator.baseUrl),
				knownSites: knownSitesOf(SHOWN_SITES),
			},
			smtp: mailServer.credential,
			httpBasicAuth: FORM_LOGIN,
			httpBearerAuth: { token: 'token-of-the-assistant' },
			postgres: { host: 'db.example.com' },
		});
		return { emulator, credentials };
	};
	const onlyOf = (type: string, { [type]: credential }: INodeCredentials) =>
		({ [type]: credential }) as INodeCredentials;
	const picture = async (name: string, part: string | Locator, crop?: Crop) =>
		await checkPicture(name, await editor.picture(part, crop));
	const mailOf = async (subject: RegExp) => {
		const find = () => mailServer.mails.find((mail) => subject.test(mail.subject ?? ''));
		await until(() => find() !== undefined, 90_000);
		const mail = find();
		const page = mail && mailPage(mail);
		const [file] = mail?.attachments ?? [];
		return {
			file: file?.content as ArrayBuffer,
			fileName: withoutTime(`${file?.filename}`),
			page: withoutTime(`${page}`),
		};
	};

	const withoutTime = (text: string) =>
		text
			.replaceAll(/\d+ [A-Z][a-z]+ 20\d\d/g, '5 January 2026')
			.replaceAll(/20\d\d-\d\d-\d\d/g, '2026-01-05')
			.replaceAll(/\b\d\d:\d\d\b/g, '07:00');

	let credentials: INodeCredentials;
	let watching: string;

	beforeAll(async () => {
		mailServer = await stage.keep(MailServer.start());
		n8n = await N8nInstance.start(stage, PICTURED_VERSION, { N8N_HOST: '127.0.0.1' });
		({ credentials } = await newAccount());
		watching = await beginChanges();
		editor = await Editor.open(stage, n8n, FORM_LOGIN);
	}, 240_000);

	/** Changes sites of a service of their own, which a trigger and the alert see while the other pictures are made. */
	const beginChanges = async () => {
		const { emulator, credentials: others } = await newAccount();
		const parameters: IDataObject = {
			pollTimes: { item: [{ mode: 'everyMinute' }] },
			changes: ['licenceChanged'],
		};
		const trigger = step('Aquaculture Trigger', TRIGGER_TYPE, parameters, {
			credentials: onlyOf('aquacultureApi', others),
		});
		const started = async (created: NewWorkflow) => {
			const id = await n8n.createWorkflow(created);
			emulator.reset();
			await n8n.activate(id);
			await until(() => emulator.journal.count('site') >= SHOWN_SITES.length, 60_000);
			return id;
		};
		const id = await started(workflow('Watched sites', [trigger, step('Next', 'noOp')]));
		await started(
			exampleWorkflow('alert-by-mail', others, {
				'Licence or Limit Changed': { pollTimes: pollTimesOf([0, 10, 20, 30, 40, 50]) },
				'Send Email': ADDRESSES,
			}),
		);
		const change = (siteId: number, info: IDataObject) =>
			emulator.changeSite(siteId, (site) => ({ ...site, info: { ...site.info, ...info } }));
		change(1001, { license: 'M-H-0202' });
		change(1004, { maxTotalBiomass: 1800 });
		return id;
	};

	it.each(exampleNames())('the example %s', async (name) => {
		const id = await n8n.createWorkflow(exampleWorkflow(name, credentials));

		await checkPicture(`example-${name}`, await editor.canvasPicture(id));
	});

	it('the weekly mail and its sheet', async () => {
		const mailing = exampleWorkflow('weekly-mail', credentials, { 'Send Email': ADDRESSES });
		await n8n.runManually(await n8n.createWorkflow(mailing));

		const { page, file, fileName } = await mailOf(/^Our sites, /);
		await checkPicture('result-mail', await editor.render(page, 760));
		const [sheet] = await readXlsx(Buffer.from(file));
		const shown = sheetPage(fileName, sheet?.data ?? []);
		await checkPicture('result-sheet', await editor.render(shown, 1108));
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
		const clip = { x: 136, y: 70, width: 488, height: 446 };
		await checkPicture('result-form', await form.screenshot({ animations: 'disabled', clip }));
		await form.close();
	});

	it('the alert', async () => {
		const { page } = await mailOf(/^2 changes of licence or biomass limit$/);
		await checkPicture('result-alert', await editor.render(page, 760));
	});

	it('the form of the trigger, and a test event', async () => {
		const parameters = {
			pollTimes: { item: [{ mode: 'everyHour' }] },
			sites: 'byId',
			siteIds: '1001',
		};
		const mayRead = { credentials: onlyOf('aquacultureApi', credentials) };
		const trigger = step('Aquaculture Trigger', TRIGGER_TYPE, parameters, mayRead);
		await editor.openWorkflow(await n8n.createWorkflow(workflow('Watched sites', [trigger])));
		await editor.openNode('Aquaculture Trigger');
		await editor.executeStep();
		const output = editor.part('output-panel');
		// n8n chooses a view when the items come.
		await output.getByText('Sample: Name of').first().waitFor();
		await output.getByTestId('radio-button-json').click();
		await output.getByText('"Sample: Name of').waitFor();
		await editor.widenOutput();
		await picture('trigger-test-event', 'ndv', { ...NODE_AND_OUTPUT, height: 518 });
	});

	it('a notice in the output panel, and how the node goes on after a failure', async () => {
		const parameters: IDataObject = {
			operation: 'getManySites',
			sites: 'byId',
			siteIds: '1001, 1002, 4040',
			simplify: true,
			options: { ignoreMissing: true },
		};
		const mayRead = { credentials: onlyOf('aquacultureApi', credentials) };
		const reading = step('Aquaculture', NODE_TYPE, parameters, mayRead);
		const made = workflow('Some sites', [step('Start', 'manualTrigger'), reading]);
		await editor.openWorkflow(await n8n.createWorkflow(made));
		await editor.openNode('Aquaculture');
		await editor.executeStep();
		const output = editor.part('output-panel');
		await output.getByTestId('radio-button-table').click();
		await output.getByText('does not exist and was left out').waitFor();
		await editor.widenOutput();
		await picture('notice', 'output-panel', { height: 270 });

		await editor.openSettings();
		await editor.part('parameter-input-onError').locator('.el-select').first().click();
		await editor.page.getByText('Continue (using error output)').last().waitFor();
		await picture('on-error', 'ndv', { ...NODE_AND_OUTPUT, width: 386, height: 492 });
	});

	it('a change that the trigger has seen', async () => {
		await until(async () => (await n8n.executionsOf(watching)).length > 0, 90_000);
		await n8n.deactivate(watching);

		await editor.openExecution(watching);
		await editor.openNode('Aquaculture Trigger');
		await editor.part('output-panel').getByTestId('radio-button-json').click();
		await editor.part('output-panel').getByText('"M-H-0202"').waitFor();
		await picture('trigger', 'ndv', { height: 486 });
	});
});
