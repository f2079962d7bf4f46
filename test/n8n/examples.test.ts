import { readFile } from 'node:fs/promises';
import { parse as parseCsv } from 'csv-parse/sync';
import type { IDataObject, INodeCredentials } from 'n8n-workflow';
import { parse as parseHtml } from 'node-html-parser';
import readXlsx from 'read-excel-file/node';
import { Emulator, UNLIMITED } from '../../emulator/server';
import { SITES } from '../../emulator/sites';
import { exampleWorkflow } from '../../testbed/n8n/examples';
import { VERSIONS } from '../../testbed/n8n/install';
import { itemsOf, N8nInstance, type Execution } from '../../testbed/n8n/instance';
import { until } from '../../testbed/wait';
import { Page } from '../docs/pages';
import { Editor } from '../../testbed/n8n/editor';
import { MailServer } from '../../testbed/servers/mailServer';
import { shareStage } from '../../testbed/jest/shareStage';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { credentialsOf } from '../../testbed/workflows';

/** A site whose name a mail, and n8n's own templates, could take for something else. */
const ODD_SITE = {
	siteId: 1031,
	siteName: `Pris $& <b>fet</b> {{ 1 + 1 }} & $'`,
	units: [{ unitId: 1, unitName: 'Merd "å" > 1 $1', longitude: 5.5, latitude: 60 }],
};

/** A site whose names are the very expressions by which the mail is made. */
const TEMPLATE_SITE = {
	siteId: 1032,
	siteName: '{{ $json.unitName }}',
	units: [
		{ unitId: 2, unitName: '{{ $json.unitId ?? "" }}', longitude: 5.25, latitude: 61 },
		{
			unitId: 3,
			unitName: '}} {{ $json.siteName }} `${1}` \\ &lt;',
			longitude: null,
			latitude: null,
		},
	],
};

/** A site whose texts a spreadsheet program could take for formulas. */
const FORMULA_SITE = {
	siteId: 1033,
	siteName: '=HYPERLINK("https://example.com?"&A1;"Storvågen")',
	info: {
		code: '+1+cmd',
		type: '@SUM(A1)',
		license: '-1+1',
		timezone: '\t=1+1',
		latitude: -44.5,
		longitude: -73.25,
		maxTotalBiomass: -1,
	},
	units: [{ unitId: 4, unitName: '=1+1', latitude: -44.5, longitude: -73.25 }],
};

/** The login that the form asks for. */
const FORM_LOGIN = { user: 'farm', password: 'form-Passw0rd' };

/** Sites of which some lack fields, with others in between. */
const SITE_ROWS = [
	['siteId', 'siteName', 'code', 'type', 'license', 'maxTotalBiomass', 'timezone'],
	[1021, 'Gamle Brygga', null, null, null, null, null],
	[1004, 'Lille Grønnvik', 'LGV', 'Sea', 'N-V-0104', 1560, 'Europe/Oslo'],
	[1031, ODD_SITE.siteName, null, null, null, null, null],
	[1023, 'Cañal "Ø" & søn, <test>', 'CNO', 'Sea', 'RNA-10223', 900, 'America/Santiago'],
];
const PLACES = [
	['latitude', 'longitude', 'numberOfUnits'],
	[60.3871, 5.2204, 2],
	[68.2283, 15.6412, 3],
	[null, null, 1],
	[-44.0126, -73.9107, 3],
];
const SITE_IDS = '1021, 1004, 1031, 1023';

describe.each(VERSIONS)('the example workflows in n8n %s', (version) => {
	const stage = shareStage();
	let emulator: Emulator;
	let mailServer: MailServer;
	let n8n: N8nInstance;
	let credentials: INodeCredentials;

	beforeAll(async () => {
		emulator = await stage.keep(
			Emulator.start({
				...UNLIMITED,
				sites: [...SITES, ODD_SITE, TEMPLATE_SITE, FORMULA_SITE],
			}),
		);
		mailServer = await stage.keep(MailServer.start());
		// The form is then at the address of the editor, which looks whether it answers before it opens the window.
		n8n = await N8nInstance.start(stage, version, { N8N_HOST: '127.0.0.1' });
		const account = await n8n.createCredential(unlimitedAccount(emulator.baseUrl));
		const sender = await n8n.createCredential(mailServer.credential, 'smtp');
		const login = await n8n.createCredential(FORM_LOGIN, 'httpBasicAuth');
		credentials = {
			...credentialsOf(account),
			smtp: { id: sender, name: 'Mail account' },
			httpBasicAuth: { id: login, name: 'Form login' },
		};
	}, 240_000);
	beforeEach(() => {
		emulator.reset();
		mailServer.mails.length = 0;
	});

	const importExample = async (name: string, filledIn?: Record<string, IDataObject>) =>
		await n8n.createWorkflow(exampleWorkflow(name, credentials, filledIn));
	const run = async (name: string, filledIn?: Record<string, IDataObject>) => {
		const execution = await n8n.runManually(await importExample(name, filledIn));
		expect(execution).toMatchObject({ status: 'success' });
		return execution;
	};
	const fileOf = async (execution: Execution, node: string, field = 'data') => {
		const file = itemsOf(execution, node)[0]?.binary?.[field];
		if (!file) throw new Error(`${node} has put out no file`);
		return { name: file.fileName, content: await n8n.download(file) };
	};

	it('get-site reads a site', async () => {
		const execution = await run('get-site');

		expect(itemsOf(execution, 'Get Site').map(({ json }) => json)).toEqual([SITES[0]]);
		expect(emulator.journal.of('site').map(({ url }) => url)).toEqual([
			'/meta/sites/1001?$include=units,info',
		]);
	});

	it('sites-to-xlsx makes a file with a row for each site', async () => {
		const execution = await run('sites-to-xlsx', { 'Get Many Sites': { siteIds: SITE_IDS } });

		const { name, content } = await fileOf(execution, 'Convert to XLSX');
		const rows = SITE_ROWS.map((row, index) => [...row, ...(PLACES[index] ?? [])]);
		expect(name).toBe('sites.xlsx');
		await expect(readXlsx(content)).resolves.toEqual([{ sheet: 'Sites', data: rows }]);
	});

	// Of a formula, which a file stores without its equals sign, only the result would be read.
	it('a name that looks like a formula is a text in the files of sites-to-xlsx and weekly-units-mail', async () => {
		const siteIds = '1033';
		const execution = await run('sites-to-xlsx', { 'Get Many Sites': { siteIds } });
		await run('weekly-units-mail', { 'Get Units': { siteIds } });

		const { content } = await fileOf(execution, 'Convert to XLSX');
		const attached = mailServer.mails[0]?.attachments[0]?.content as ArrayBuffer;
		for (const file of [content, Buffer.from(attached)]) {
			const [sheet] = await readXlsx(file);
			expect(sheet?.data[1]?.slice(0, 2)).toEqual([1033, FORMULA_SITE.siteName]);
		}
	});

	it('weekly-units-mail mails a table of the units, and a file', async () => {
		await run('weekly-units-mail', {
			'Get Units': { siteIds: `${SITE_IDS}, 1032` },
			'Send Email': { fromEmail: 'farm@example.com', toEmail: 'a@example.com, b@example.com' },
		});

		expect(mailServer.mails).toHaveLength(1);
		const [mail] = mailServer.mails;
		expect(mail).toMatchObject({
			subject: expect.stringMatching(/^Units of our sites, \d+ \w+ 20\d\d$/) as unknown,
			from: { address: 'farm@example.com' },
			recipients: ['a@example.com', 'b@example.com'],
		});

		const table = parseHtml(mail?.html ?? '').querySelectorAll('table tr');
		expect(table.map((row) => row.querySelectorAll('th, td').map(({ text }) => text))).toEqual([
			['Unit', 'Unit ID', 'Latitude', 'Longitude'],
			['Gamle Brygga (1021)'],
			['', '10210', '', ''],
			['Merd uten nummer', '', '', ''],
			['Lille Grønnvik (1004)'],
			['Nord', '10040', '68.2283', '15.6412'],
			['Midt', '10041', '68.2285', '15.6421'],
			['Sør', '10042', '68.2287', '15.643'],
			[`${ODD_SITE.siteName} (1031)`],
			['Merd "å" > 1 $1', '1', '60', '5.5'],
			['Cañal "Ø" & søn, <test> (1023)'],
			['Jaula 1', '10230', '-44.0126', '-73.9107'],
			['Jaula 2', '10231', '-44.0124', '-73.9098'],
			['Jaula 3', '10232', '-44.0122', '-73.9089'],
			[`${TEMPLATE_SITE.siteName} (1032)`],
			[TEMPLATE_SITE.units[0]?.unitName, '2', '61', '5.25'],
			[TEMPLATE_SITE.units[1]?.unitName, '3', '', ''],
		]);
		expect(mail?.html).not.toMatch(/<b>|<img|<style|undefined|null/);

		const [attached] = mail?.attachments ?? [];
		expect(attached?.filename).toMatch(/^units-20\d\d-\d\d-\d\d\.xlsx$/);
		await expect(readXlsx(Buffer.from(attached?.content as ArrayBuffer))).resolves.toEqual([
			{
				sheet: 'Units',
				data: [
					['siteId', 'siteName', 'unitId', 'unitName', 'latitude', 'longitude'],
					[1021, 'Gamle Brygga', 10210, null, null, null],
					[1021, 'Gamle Brygga', null, 'Merd uten nummer', null, null],
					[1004, 'Lille Grønnvik', 10040, 'Nord', 68.2283, 15.6412],
					[1004, 'Lille Grønnvik', 10041, 'Midt', 68.2285, 15.6421],
					[1004, 'Lille Grønnvik', 10042, 'Sør', 68.2287, 15.643],
					[1031, ODD_SITE.siteName, 1, 'Merd "å" > 1 $1', 60, 5.5],
					[1023, 'Cañal "Ø" & søn, <test>', 10230, 'Jaula 1', -44.0126, -73.9107],
					[1023, 'Cañal "Ø" & søn, <test>', 10231, 'Jaula 2', -44.0124, -73.9098],
					[1023, 'Cañal "Ø" & søn, <test>', 10232, 'Jaula 3', -44.0122, -73.9089],
					[1032, TEMPLATE_SITE.siteName, 2, TEMPLATE_SITE.units[0]?.unitName, 61, 5.25],
					[1032, TEMPLATE_SITE.siteName, 3, TEMPLATE_SITE.units[1]?.unitName, null, null],
				],
			},
		]);
	});

	describe('csv-enriched', () => {
		let editor: Editor;

		beforeAll(async () => {
			editor = await Editor.open(stage, n8n, FORM_LOGIN);
			await editor.openWorkflow(await importExample('csv-enriched'));
		});

		/** Uploads a file in the form that the button opens, and waits for the file that the browser downloads. */
		const enrich = async (separator: string, csv: string) => {
			const form = await editor.executeWithForm();
			const withoutLogin = await Promise.all(
				['GET', 'POST'].map(async (method) => await fetch(form.url(), { method })),
			);
			expect(withoutLogin.map(({ status }) => status)).toEqual([401, 401]);
			await form.locator('input[type="file"]').setInputFiles({
				name: 'My sites.csv',
				mimeType: 'text/csv',
				buffer: Buffer.from(csv),
			});
			await form.locator('select').selectOption(separator);
			const downloading = form.waitForEvent('download');
			await form.getByRole('button', { name: 'Add the site data' }).click();
			const download = await downloading;
			const text = await readFile(await download.path(), 'utf8');
			await form.getByText('Your file is ready').waitFor();
			await editor.executed();
			await form.close();
			return { name: download.suggestedFilename(), text };
		};
		const added = [
			...['siteName', 'code', 'type', 'license', 'maxTotalBiomass', 'timezone'],
			...['latitude', 'longitude', 'numberOfUnits', 'message'],
		];

		it('adds the data of each site to the columns of the file, and tells which sites are unknown', async () => {
			const { name, text } = await enrich(
				'Comma',
				[
					'siteId,Manager,type,Notes',
					'4040,Åse,mine,"unknown, as far as I know"',
					'1023,Søren,,"says ""hei"""',
					' 1001 ,Mar,007,',
					'x,,,',
					'1004,Åse,mine,last line without a line break',
				].join('\n'),
			);

			expect(name).toBe('My sites-with-sites.csv');
			const columns = added.filter((column) => column !== 'type');
			expect(parseCsv(text, { bom: true })).toEqual([
				['siteId', 'Manager', 'type', 'Notes', ...columns],
				[
					...['4040', 'Åse', 'mine', 'unknown, as far as I know'],
					...Array<string>(8).fill(''),
					'The service does not know site 4040',
				],
				[
					...['1023', 'Søren', '', 'says "hei"', 'Cañal "Ø" & søn, <test>', 'CNO', 'RNA-10223'],
					...['900', 'America/Santiago', '-44.0126', '-73.9107', '3', ''],
				],
				[
					...[' 1001 ', 'Mar', '007', '', 'Storvågen', 'STO', 'M-H-0101'],
					...['3120', 'Europe/Oslo', '63.5218', '8.4127', '8', ''],
				],
				[
					...['x', '', '', ''],
					...Array<string>(8).fill(''),
					`'Site ID' is not a whole number: "x"`,
				],
				[
					...['1004', 'Åse', 'mine', 'last line without a line break', 'Lille Grønnvik', 'LGV'],
					...['N-V-0104', '1560', 'Europe/Oslo', '68.2283', '15.6412', '3', ''],
				],
			]);
		});

		it('writes no cell that begins a formula, and leaves numbers as they are', async () => {
			const { text } = await enrich(
				'Semicolon',
				[
					'siteId;=Heading;Change;Phone;Notes',
					'1033;=1+1;-12,5;+47 400 12 345;- see A1',
					'4040;+1+A1;+3.5;@me;"\r=1+1"',
					"1001;\t=1+1;-;'quoted;1-1=0",
				].join('\n'),
			);

			const [headings, ...rows] = parseCsv(text, { bom: true, delimiter: ';' });
			expect(headings).toEqual(['siteId', `'=Heading`, 'Change', 'Phone', 'Notes', ...added]);
			expect(rows).toEqual([
				[
					...['1033', `'=1+1`, '-12,5', '+47 400 12 345', `'- see A1`],
					...[`'${FORMULA_SITE.siteName}`, `'+1+cmd`, `'@SUM(A1)`, `'-1+1`, '-1', `'\t=1+1`],
					...['-44.5', '-73.25', '1', ''],
				],
				[
					...['4040', `'+1+A1`, '+3.5', `'@me`, expect.stringMatching(/^'\s=1\+1$/)],
					...Array<string>(9).fill(''),
					'The service does not know site 4040',
				],
				[
					...['1001', `'\t=1+1`, `'-`, `'quoted`, '1-1=0', 'Storvågen', 'STO', 'Sea'],
					...['M-H-0101', '3120', 'Europe/Oslo', '63.5218', '8.4127', '8', ''],
				],
			]);
		});

		it('takes the file that its guide shows', async () => {
			const [shown] = new Page('examples/README.md').blocks.filter(
				({ language }) => language === 'csv',
			);

			const { text } = await enrich('Comma', shown?.text ?? '');

			const rows: IDataObject[] = parseCsv(text, { bom: true, columns: true });
			expect(rows.map(({ siteName, message }) => siteName || message)).toEqual([
				'Storvågen',
				'Kråkøya',
				'The service does not know site 4040',
			]);
		});

		it('reads what a spreadsheet program writes, and writes it alike', async () => {
			const note = `på, ja ${'.'.repeat(300)}`;
			const sites = Array.from({ length: 300 }, (_, index) => SITES[index % 20]);
			const file = ['siteId;Merknad', ...sites.map((site) => `${site?.siteId};${note}`)];

			const { text } = await enrich('Semicolon', `\uFEFF${file.join('\r\n')}\r\n`);

			const [headings, ...rows] = parseCsv(text, { bom: true, delimiter: ';' });
			expect(headings).toEqual(['siteId', 'Merknad', ...added]);
			expect(rows.map((row) => row.slice(0, 3))).toEqual(
				sites.map((site) => [String(site?.siteId), note, site?.siteName]),
			);
			expect(text).toMatch(/^\uFEFF/);
		});
	});

	it('undocumented-endpoint sends a request of its own with the credential', async () => {
		const execution = await run('undocumented-endpoint', {
			'HTTP Request': { url: `${emulator.baseUrl}/meta/sites/1001` },
		});

		expect(itemsOf(execution, 'HTTP Request').map(({ json }) => json)).toEqual([SITES[0]]);
		const [request] = emulator.journal.of('site');
		expect(request?.headers).toMatchObject({
			authorization: expect.stringMatching(/^Bearer \S+$/) as unknown,
			'service-version': '2023-01-01',
		});
		await run('undocumented-endpoint', {
			'HTTP Request': { url: `${emulator.baseUrl}/data/feed`, sendQuery: false },
		});
		expect(emulator.journal.of('other').map(({ url }) => url)).toEqual(['/data/feed']);
	});

	describe('licence-or-biomass-alert', () => {
		const addresses = { fromEmail: 'farm@example.com', toEmail: 'a@example.com' };
		const seenAt = String.raw`Seen on \d+ \w+ 20\d\d, \d\d:\d\d\s*$`;

		it('sends a sample by the button, with the time of the workflow’s time zone', async () => {
			const example = exampleWorkflow('licence-or-biomass-alert', credentials, {
				'Send Email': addresses,
			});
			const settings = { ...(example.settings as IDataObject), timezone: 'Asia/Tokyo' };
			const id = await n8n.createWorkflow({ ...example, settings });
			await expect(n8n.runManually(id)).resolves.toMatchObject({ status: 'success' });

			expect(mailServer.mails).toHaveLength(1);
			const [, seen] = /Seen on (.*)/.exec(mailServer.mails[0]?.text ?? '') ?? [];
			const minutes = Math.abs(Date.parse(`${seen} GMT+0900`) - Date.now()) / 60_000;
			expect(minutes).toBeLessThan(10);
			expect(mailServer.mails[0]).toMatchObject({
				subject: 'Licence changed: Storvågen (1001)',
				recipients: ['a@example.com'],
				text: expect.stringMatching(
					String.raw`^Site: Storvågen \(1001\)\s+Licence\s+before: M-H-0101\s+now: M-H-0101\s+${seenAt}`,
				) as unknown,
			});
		});

		it('mails each change of the licence or of the biomass limit once, and nothing else', async () => {
			const everyThreeSeconds = Array.from({ length: 20 }, (_, index) => ({
				mode: 'custom',
				cronExpression: `${index * 3} * * * * *`,
			}));
			const id = await importExample('licence-or-biomass-alert', {
				'Licence or Limit Changed': {
					siteIds: '1004, 1023',
					pollTimes: { item: everyThreeSeconds },
				},
				'Send Email': addresses,
			});
			const asked = () => emulator.journal.of('site').length;
			const polled = async (times: number) => {
				const before = asked();
				await until(() => asked() >= before + 2 * times);
			};
			await n8n.activate(id);
			await polled(1);

			emulator.changeSite(1004, ({ info, ...site }) => ({
				...site,
				siteName: 'Store Grønnvik',
				info: { ...info, license: 'N-V-0200', timezone: 'UTC' },
			}));
			emulator.changeSite(1023, ({ info, ...site }) => ({
				...site,
				info: { ...info, maxTotalBiomass: null },
			}));
			await until(() => mailServer.mails.length >= 2);
			await polled(2);

			const mails = [...mailServer.mails].sort((one, other) =>
				String(one.subject).localeCompare(String(other.subject)),
			);
			expect(mails.map(({ subject }) => subject)).toEqual([
				'Licence changed: Store Grønnvik (1004)',
				'Maximum total biomass changed: Cañal "Ø" & søn, <test> (1023)',
			]);
			expect(mails[0]?.text).toMatch(
				new RegExp(
					String.raw`^Site: Store Grønnvik \(1004\)\s+Licence\s+before: N-V-0104\s+now: N-V-0200\s+${seenAt}`,
				),
			);
			expect(mails[1]?.text).toMatch(
				/^Site: Cañal "Ø" & søn, <test> \(1023\)\s+Maximum total biomass\s+before: 900\s+now: \(empty\)/,
			);
		});
	});
});
