import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { parse } from 'flatted';
import {
	NodeHelpers,
	type IDataObject,
	type INode,
	type INodeCredentials,
	type INodeTypeDescription,
	type IRunExecutionData,
} from 'n8n-workflow';
import { parse as parseHtml } from 'node-html-parser';
import readXlsx from 'read-excel-file/node';
import { Emulator, UNLIMITED } from '../../emulator/server';
import { knownSitesOf, SITES } from '../../emulator/sites';
import { createCredentials, exampleNames, exampleWorkflow } from '../../testbed/n8n/examples';
import { VERSIONS } from '../../testbed/n8n/versions';
import { itemsOf, N8nInstance, type Execution } from '../../testbed/n8n/instance';
import { until } from '../../testbed/wait';
import { Page } from '../docs/pages';
import { Editor } from '../../testbed/n8n/editor';
import { queryPostgresql, startPostgresql, type Server } from '../../testbed/servers/databases';
import { IncomingWebhook } from '../../testbed/servers/incomingWebhook';
import { MailServer } from '../../testbed/servers/mailServer';
import { OpenData } from '../../testbed/servers/openData/server';
import { shareStage } from '../../testbed/jest/shareStage';
import { unlimitedAccount } from '../../testbed/n8n/unlimited';
import { getSiteNode, pollTimesOf, webhookWorkflow } from '../../testbed/workflows';

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

/** All are known to the credential by their names. */
const ALL_SITES = [...SITES, ODD_SITE, TEMPLATE_SITE, FORMULA_SITE];

const EVERY_THREE_SECONDS = Array.from({ length: 20 }, (_, index) => index * 3);

/** The login that the form asks for. */
const FORM_LOGIN = { user: 'farm', password: 'form-Passw0rd' };

/** What the columns of a sheet hold for sites of which some lack fields. */
const SHEET = [
	[
		...['siteId', 'siteName', 'code', 'type', 'license', 'maxTotalBiomass', 'timezone'],
		...['longitude', 'latitude', 'numberOfUnits'],
	],
	[1021, 'Gamle Brygga', null, null, null, null, null, 60.3871, 5.2204, 2],
	[
		...[1004, 'Lille Grønnvik', 'LGV', 'Sea', 'N-V-0104', 1560, 'Europe/Oslo'],
		...[68.2283, 15.6412, 3],
	],
	[1031, ODD_SITE.siteName, null, null, null, null, null, null, null, 1],
	[
		...[1023, 'Cañal "Ø" & søn, <test>', 'CNO', 'Sea', 'RNA-10223', 900],
		...['America/Santiago', -44.0126, -73.9107, 3],
	],
	// Of a formula, which a file stores without its equals sign, only the result would be read. What reads the file trims.
	[1033, FORMULA_SITE.siteName, '+1+cmd', '@SUM(A1)', '-1+1', -1, '=1+1', -44.5, -73.25, 1],
];

const ADDRESSES = { fromEmail: 'farm@example.com', toEmail: 'a@example.com, b@example.com' };

/** What only those who import an example can know, and n8n marks red until it is there. */
const TO_FILL_IN: Record<string, string[]> = {
	'alert-by-mail': ['Send Email: fromEmail', 'Send Email: toEmail'],
	'alert-to-teams-or-slack': ['Post to Teams: url', 'Post to Slack: url'],
	'mail-when-a-workflow-fails': ['Send Email: fromEmail', 'Send Email: toEmail'],
	'sea-and-weather': ['Send Email: fromEmail', 'Send Email: toEmail'],
	'weekly-mail': ['Send Email: fromEmail', 'Send Email: toEmail'],
};

/** Where the steps of an example ask MET Norway. */
const FORECASTS = {
	Sea: 'https://api.met.no/weatherapi/oceanforecast/2.0/complete',
	Weather: 'https://api.met.no/weatherapi/locationforecast/2.0/compact',
};

/** The rows of the first table of a mail. */
function tableOf(html: string | undefined): string[][] {
	const rows = parseHtml(html ?? '').querySelectorAll('table tr');
	return rows.map((row) => row.querySelectorAll('th, td').map(({ text }) => text));
}

describe.each(VERSIONS)('n8n %s', (version) => {
	const stage = shareStage();
	let emulator: Emulator;
	let mailServer: MailServer;
	let n8n: N8nInstance;
	let credentials: INodeCredentials;
	let editor: Editor;

	beforeAll(async () => {
		emulator = await stage.keep(Emulator.start({ ...UNLIMITED, sites: ALL_SITES }));
		mailServer = await stage.keep(MailServer.start());
		// The form is then at the address of the editor, which looks whether it answers before it opens the window.
		n8n = await N8nInstance.start(stage, version, { N8N_HOST: '127.0.0.1' });
		credentials = await createCredentials(n8n, {
			aquacultureApi: {
				...unlimitedAccount(emulator.baseUrl),
				knownSites: knownSitesOf(ALL_SITES),
			},
			smtp: mailServer.credential,
			httpBasicAuth: FORM_LOGIN,
		});
		editor = await Editor.open(stage, n8n, FORM_LOGIN);
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
	/** Waits until sites have been asked for as many times more. */
	const polled = async (times: number) => {
		const before = emulator.journal.of('site').length;
		await until(() => emulator.journal.of('site').length >= before + times);
	};
	const fileOf = async (execution: Execution, node: string, field = 'data') => {
		const file = itemsOf(execution, node)[0]?.binary?.[field];
		if (!file) throw new Error(`${node} has returned no file`);
		return { name: file.fileName, content: await n8n.download(file) };
	};

	it('nothing is marked red in the examples but what only a person can know', async () => {
		const types = await n8n.get<INodeTypeDescription[]>('/types/nodes.json');
		const typeOf = ({ type, typeVersion }: INode) =>
			types.find(
				({ name, version }) => name === type && [version].flat().includes(typeVersion),
			) as INodeTypeDescription;
		for (const name of exampleNames()) {
			const red = (exampleWorkflow(name).nodes as INode[]).flatMap((node) => {
				const { properties } = typeOf(node);
				const parameters = NodeHelpers.getNodeParameters(
					properties,
					node.parameters,
					true,
					false,
					node,
					typeOf(node),
				);
				const whole = { ...node, parameters: parameters ?? {} };
				const issues = NodeHelpers.getNodeParametersIssues(properties, whole, typeOf(node));
				return Object.keys(issues?.parameters ?? {}).map((field) => `${node.name}: ${field}`);
			});
			expect([name, ...red]).toEqual([name, ...(TO_FILL_IN[name] ?? [])]);
		}
	});

	it('get-a-site reads a site', async () => {
		const execution = await run('get-a-site');

		expect(itemsOf(execution, 'Get Site').map(({ json }) => json)).toEqual([SITES[0]]);
		expect(emulator.journal.of('site').map(({ url }) => url)).toEqual([
			'/meta/sites/1001?$include=units,info',
		]);
	});

	it('sites-to-an-xlsx-file makes a file with a row for each site', async () => {
		const siteIds = SHEET.slice(1).map(([siteId]) => siteId);
		const execution = await run('sites-to-an-xlsx-file', {
			'Get Many Sites': { sites: 'byId', siteIds: siteIds.join() },
		});

		const { name, content } = await fileOf(execution, 'Convert to XLSX');
		expect(name).toBe('sites.xlsx');
		await expect(readXlsx(content)).resolves.toEqual([{ sheet: 'Sites', data: SHEET }]);
	});

	it('weekly-mail mails a table of all known sites, and a file', async () => {
		await run('weekly-mail', { 'Send Email': ADDRESSES });

		expect(mailServer.mails).toHaveLength(1);
		const [mail] = mailServer.mails;
		expect(mail).toMatchObject({
			subject: expect.stringMatching(/^Our sites, \d+ \w+ 20\d\d$/) as unknown,
			from: { address: 'farm@example.com' },
			recipients: ['a@example.com', 'b@example.com'],
		});
		const [headings, ...rows] = tableOf(mail?.html);
		expect(headings).toEqual(['Site', 'Licence', 'Maximum total biomass', 'Units', 'Remark']);
		expect(rows).toHaveLength(ALL_SITES.length);
		expect(rows).toEqual(
			expect.arrayContaining([
				['Storvågen (1001)', 'M-H-0101', '3120', '8', ''],
				['Gamle Brygga (1021)', '', '', '2', ''],
				['Cañal "Ø" & søn, <test> (1023)', 'RNA-10223', '900', '3', ''],
				[`${ODD_SITE.siteName} (1031)`, '', '', '1', ''],
				[`${TEMPLATE_SITE.siteName} (1032)`, '', '', '2', ''],
				[`${FORMULA_SITE.siteName} (1033)`, '-1+1', '-1', '1', ''],
			]),
		);
		expect(mail?.html).toContain(`${ALL_SITES.length} of ${ALL_SITES.length} sites were read.`);
		expect(mail?.html).not.toMatch(/<b>|<img|<style|undefined|null/);

		const [attached, ...others] = mail?.attachments ?? [];
		expect(others).toEqual([]);
		// n8n 1 can only embed a file.
		const form = version.startsWith('1.') ? 'multipart/related' : 'multipart/mixed';
		expect(mail?.headers.find(({ key }) => key === 'content-type')?.value).toMatch(form);
		expect(attached?.filename).toMatch(/^sites-20\d\d-\d\d-\d\d\.xlsx$/);
		const [sheet] = await readXlsx(Buffer.from(attached?.content as ArrayBuffer));
		expect(sheet?.sheet).toBe('Sites');
		expect(sheet?.data).toHaveLength(1 + ALL_SITES.length);
		const [columns = [], ...expected] = SHEET;
		expect(sheet?.data[0]).toEqual([...columns, 'message']);
		expect(sheet?.data).toEqual(expect.arrayContaining(expected.map((row) => [...row, null])));
	});

	it('weekly-mail says which sites could not be read, mails the others, and attaches a sheet with the same columns', async () => {
		emulator.changeSite(1001, () => undefined);
		await run('weekly-mail', { 'Send Email': ADDRESSES });

		const [mail] = mailServer.mails;
		const unknown = 'The service does not know site Storvågen (1001)';
		const remarks = tableOf(mail?.html).filter(([, , , , remark]) => remark);
		expect(remarks.slice(1).map(([, ...cells]) => cells)).toEqual([
			['', '', '', expect.stringContaining(`Could not be read: ${unknown}`)],
		]);
		expect(mail?.html).toContain(`${ALL_SITES.length - 1} of ${ALL_SITES.length} sites were read.`);
		expect(mail?.html).not.toMatch(/undefined|null/);
		const [attached] = mail?.attachments ?? [];
		const [sheet] = await readXlsx(Buffer.from(attached?.content as ArrayBuffer));
		const [headings = []] = SHEET;
		expect(sheet?.data.slice(0, 2)).toEqual([
			[...headings, 'message'],
			[1001, 'Storvågen', ...Array<null>(8).fill(null), unknown],
		]);
	});

	describe('sea-and-weather', () => {
		let openData: OpenData;

		beforeAll(async () => {
			openData = await stage.keep(OpenData.start());
		});
		beforeEach(() => openData.reset());

		/** Runs it with the addresses of the stub, and returns the rows of its mail by the name of the site. */
		const mailed = async (
			sites: IDataObject = {},
			fromEmail: string = ADDRESSES.fromEmail,
		): Promise<Record<string, string[]>> => {
			await run('sea-and-weather', {
				'Get Many Sites': sites,
				Sea: { url: openData.at(FORECASTS.Sea) },
				Weather: { url: openData.at(FORECASTS.Weather) },
				'Send Email': { ...ADDRESSES, fromEmail },
			});
			expect(mailServer.mails).toHaveLength(1);
			const [headings, ...rows] = tableOf(mailServer.mails[0]?.html);
			expect(headings).toEqual([
				...['Site', 'Sea now (°C)', 'Highest wave (m)', 'Wind now (m/s)'],
				...['Strongest wind (m/s)', 'Air now (°C)', 'Remark'],
			]);
			return Object.fromEntries(rows.map(([site = '', ...cells]) => [site, cells]));
		};
		const only = (siteIds: string): IDataObject => ({ sites: 'byId', siteIds });

		it('sea-and-weather asks MET Norway where its documentation says', () => {
			const { nodes } = exampleWorkflow('sea-and-weather');
			for (const [name, url] of Object.entries(FORECASTS)) {
				expect(nodes.find((node) => node.name === name)?.parameters.url).toBe(url);
			}
		});

		it('sea-and-weather mails a row for each site, whatever fails, and asks politely', async () => {
			emulator.changeSite(1004, () => undefined);
			openData.instead = ({ path: asked, query }) => {
				if (asked.includes('ocean') && query.lat === '66.1075') return 'broken';
				return asked.includes('location') && query.lat === '64.6941' ? 503 : undefined;
			};
			const rows = await mailed();

			expect(Object.keys(rows)).toHaveLength(ALL_SITES.length);
			const wind = ['5.2', '17.8', '-0.4'];
			const outside = ['', '', ...wind, 'Outside the ocean model'];
			expect(rows).toMatchObject({
				'Storvågen (1001)': ['8.3', '2.3', ...wind, ''],
				'Gamle Brygga (1021)': ['8.3', '2.3', ...wind, ''],
				'Wattle Bay (1019)': outside,
				'Sandholmen settefisk (1005)': outside,
				'Kråkøya (1002)': [
					...['8.3', '2.3', '', '', ''],
					'Could not be asked (weather): MET Norway answered 503',
				],
				'Ærfuglsundet (1003)': [
					...['', '', ...wind],
					expect.stringMatching(/^Could not be asked \(sea\): \w/),
				],
				'Lille Grønnvik (1004)': [
					...['', '', '', '', ''],
					expect.stringMatching(
						/^Could not be read: The service does not know site Lille Grønnvik \(1004\)\. \w/,
					),
				],
				[`${ODD_SITE.siteName} (1031)`]: ['', '', '', '', '', 'No position'],
				[`${TEMPLATE_SITE.siteName} (1032)`]: ['', '', '', '', '', 'No position'],
				[`${FORMULA_SITE.siteName} (1033)`]: outside,
			});

			const [mail] = mailServer.mails;
			expect(mail?.subject).toMatch(/^Sea and weather, \d+ \w+ 20\d\d$/);
			expect(mail?.html).not.toMatch(/<b>|<img|<style|undefined|null|NaN|Infinity/);
			const credits = parseHtml(mail?.html ?? '')
				.querySelectorAll('p')
				.at(-1);
			expect(credits?.text).toContain('Based on data from MET Norway');
			expect(credits?.querySelectorAll('a').map(({ attributes }) => attributes.href)).toEqual([
				'https://api.met.no/',
				'https://creativecommons.org/licenses/by/4.0/',
			]);

			const positions = ALL_SITES.filter(({ siteId }) => siteId !== 1004).flatMap((site) => {
				const { latitude, longitude } = ('info' in site && site.info) || {};
				return latitude == null || longitude == null
					? []
					: [`${latitude.toFixed(4)} ${longitude.toFixed(4)}`];
			});
			for (const product of ['oceanforecast', 'locationforecast']) {
				const asked = openData.of(product);
				expect(asked.map(({ query }) => `${query.lat} ${query.lon}`)).toEqual(positions);
				expect(new Set(asked.map(({ headers }) => headers['user-agent']))).toEqual(
					new Set(['n8n workflow of farm@example.com']),
				);
				// The first one may arrive late.
				const milliseconds = (asked.at(-1)?.at ?? 0) - (asked[0]?.at ?? 0);
				expect(milliseconds).toBeGreaterThan((asked.length - 1) * 200 * 0.8);
			}
		});

		it('sea-and-weather shows the figures of a forecast that is about to end, and says so', async () => {
			openData.instead = ({ path: asked }) => (asked.includes('ocean') ? 203 : undefined);

			await expect(mailed(only('1001'))).resolves.toEqual({
				'Storvågen (1001)': [
					...['8.3', '2.3', '5.2', '17.8', '-0.4'],
					'To be replaced (sea): MET Norway answered 203',
				],
			});
		});

		it.each([
			['broken' as const, '\\w.*'],
			[403, 'MET Norway answered 403'],
			[200, 'the answer is no forecast'],
		])('sea-and-weather mails all the same if every answer is %s', async (instead, reason) => {
			openData.instead = () => instead;
			const [remark] = Object.values(await mailed(only('1001'))).map((cells) => cells.at(-1));

			expect(remark).toMatch(
				new RegExp(
					`^Could not be asked \\(sea\\): ${reason}\\. Could not be asked \\(weather\\): ${reason}$`,
				),
			);
		});

		it('sea-and-weather says who asks if From Email has a name with letters that a header cannot hold', async () => {
			await mailed(only('1001'), 'Ås Øst 渔场 <farm@example.com>');

			expect(openData.asked.map(({ headers }) => headers['user-agent'])).toEqual(
				Array(2).fill('n8n workflow of s st  <farm@example.com>'),
			);
		});
	});

	describe('sites-and-units-to-postgresql', () => {
		let database: Server;

		beforeAll(async () => {
			database = await stage.keep(startPostgresql());
			const { port } = database;
			const place = { host: '127.0.0.1', port, database: 'postgres', user: 'n8n', password: '' };
			const postgres = { ...place, ssl: 'disable' };
			Object.assign(credentials, await createCredentials(n8n, { postgres }));
		});

		const rowsOf = async (query: string) =>
			parseCsv(await queryPostgresql(database, query)) as string[][];
		const SITE = `SELECT "siteName", "code", "license", "maxTotalBiomass", "latitude", "readAt" > now() - interval '1 hour' AS "now"`;

		it('sites-and-units-to-postgresql inserts all sites and units, and updates them the next time', async () => {
			await run('sites-and-units-to-postgresql');
			await expect(rowsOf('SELECT count(*) FROM aquaculture_sites')).resolves.toEqual([
				['count'],
				[String(ALL_SITES.length)],
			]);
			emulator.changeSite(1004, ({ info, units = [], ...site }) => ({
				...site,
				info: { ...info, license: `O'Hara "1"; --`, maxTotalBiomass: null },
				units: [...(units ?? []).slice(1), { unitId: 10049, unitName: 'Vest' }],
			}));
			await run('sites-and-units-to-postgresql');

			await expect(
				rowsOf(
					`${SITE} FROM aquaculture_sites WHERE "siteId" IN (1001, 1004, 1021) ORDER BY "siteId"`,
				),
			).resolves.toEqual([
				['siteName', 'code', 'license', 'maxTotalBiomass', 'latitude', 'now'],
				['Storvågen', 'STO', 'M-H-0101', '3120', '63.5218', 't'],
				['Lille Grønnvik', 'LGV', `O'Hara "1"; --`, '', '68.2283', 't'],
				['Gamle Brygga', '', '', '', '60.3871', 't'],
			]);
			await expect(
				rowsOf(
					`SELECT "unitId", "unitName", "latitude" FROM aquaculture_units WHERE "siteId" IN (1004, 1021) ORDER BY "unitId"`,
				),
			).resolves.toEqual([
				['unitId', 'unitName', 'latitude'],
				['10040', 'Nord', '68.2283'],
				['10041', 'Midt', '68.2285'],
				['10042', 'Sør', '68.2287'],
				['10049', 'Vest', ''],
				['10210', '', ''],
			]);
		});

		it('sites-and-units-to-postgresql saves all other sites and units where some have no ID, and names without the characters that it cannot store', async () => {
			for (const siteId of [1021, 1023]) {
				emulator.changeSite(siteId, (site) => ({ ...site, siteId: undefined }) as never);
			}
			emulator.changeSite(1004, (site) => ({
				...site,
				siteName: 'Grønnvik\u0000 A',
				units: [{ unitId: 10040, unitName: 'No\u0000rd' }],
			}));
			await run('sites-and-units-to-postgresql');

			await expect(
				rowsOf(
					`SELECT "siteName", "unitName" FROM aquaculture_sites JOIN aquaculture_units USING ("siteId") WHERE "unitId" = 10040`,
				),
			).resolves.toEqual([
				['siteName', 'unitName'],
				['Grønnvik A', 'Nord'],
			]);
		});

		it('sites-and-units-to-postgresql saves what can be read, then fails with the names of the other sites', async () => {
			emulator.changeSite(1001, () => undefined);
			emulator.changeSite(1004, (site) => ({ ...site, siteName: 'Store Grønnvik' }));

			const id = await importExample('sites-and-units-to-postgresql');
			const { status, data } = await n8n.runManually(id);

			const { error, lastNodeExecuted } = (parse(data) as IRunExecutionData).resultData;
			expect([status, lastNodeExecuted]).toEqual(['error', 'Report Failures']);
			expect(error?.message).toMatch(/site 1001|Storvågen/);
			await expect(
				rowsOf('SELECT "siteName" FROM aquaculture_sites WHERE "siteId" = 1004'),
			).resolves.toEqual([['siteName'], ['Store Grønnvik']]);
		});
	});

	it('units-on-a-map makes a file with a line for each unit that has a position', async () => {
		const execution = await run('units-on-a-map');

		const { name, content } = await fileOf(execution, 'Convert to CSV');
		const [headings, ...rows] = parseCsv(content, { bom: true }) as string[][];
		const units = ALL_SITES.flatMap((site) => site.units ?? []);
		expect(name).toBe('units.csv');
		expect(headings).toEqual(['name', 'latitude', 'longitude', 'description']);
		expect(rows).toHaveLength(units.filter(({ latitude }) => latitude != null).length);
		expect(rows[0]).toEqual([
			'Storvågen: Merd 1',
			'63.521800',
			'8.412700',
			'Site 1001, licence M-H-0101',
		]);
		for (const [, latitude, longitude] of rows) {
			expect([latitude, longitude].join()).toMatch(/^-?\d+\.\d{6},-?\d+\.\d{6}$/);
		}
	});

	it('mail-when-a-workflow-fails mails a sample by the button, then what has failed, and how to go on', async () => {
		const sending = { 'Send Email': ADDRESSES };
		const errorWorkflow = await importExample('mail-when-a-workflow-fails', sending);
		await n8n.runManually(errorWorkflow);
		await n8n.activate(errorWorkflow);
		const failing = webhookWorkflow('failing', getSiteNode(`${credentials.aquacultureApi?.id}`));
		const settings = { ...(failing.settings as IDataObject), errorWorkflow };
		await n8n.activate(await n8n.createWorkflow({ ...failing, name: 'Sites & <pens>', settings }));
		await n8n.answersAt('failing');
		await n8n.callWebhook('failing', [{ id: 4040 }]).catch(() => undefined);
		const failures = () => mailServer.mails.filter(({ text }) => text?.includes('4040'));
		await until(() => failures().length > 0);

		expect(mailServer.mails[0]).toMatchObject({
			subject: 'n8n: "Example Workflow" failed',
			recipients: ['a@example.com', 'b@example.com'],
		});
		const [mail] = failures();
		expect(mail?.subject).toBe('n8n: "Sites & <pens>" failed');
		expect(mail?.text).toMatch(
			/^Workflow: Sites & <pens>\s+Step: Node\s+The service does not know .*4040[^]*http:\/\/\S+\/executions?\/\d+/,
		);
		expect(mail?.text).not.toMatch(/undefined|null/);
	});

	describe('alert-to-teams-or-slack', () => {
		it('alert-to-teams-or-slack posts all changes of a poll in one message, in the form of each', async () => {
			const chat = await stage.keep(IncomingWebhook.start());
			const id = await importExample('alert-to-teams-or-slack', {
				'Site Changed': {
					sites: 'byId',
					siteIds: '1004, 1023',
					pollTimes: pollTimesOf(EVERY_THREE_SECONDS),
				},
				'Post to Teams': { url: `${chat.url}/teams` },
				'Post to Slack': { url: `${chat.url}/slack` },
			});
			await n8n.activate(id);
			await polled(2);
			emulator.changeSite(1023, (site) => ({ ...site, siteName: 'Cañal & <sur>' }));
			await until(() => chat.messages.length >= 2);
			await polled(4);
			// Its polls would count as requests of the examples that follow.
			await n8n.deactivate(id);

			const line = 'Name of Cañal & <sur> (1023): Cañal "Ø" & søn, <test> → Cañal & <sur>';
			expect(chat.messages).toHaveLength(2);
			expect(chat.messages).toEqual(
				expect.arrayContaining([
					{
						mrkdwn: false,
						text: `• ${line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}`,
					},
					{
						type: 'message',
						attachments: [
							{
								contentType: 'application/vnd.microsoft.card.adaptive',
								content: {
									$schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
									type: 'AdaptiveCard',
									version: '1.4',
									body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: line }] }],
								},
							},
						],
					},
				]),
			);
		});
	});

	describe('in the editor', () => {
		const paste = async (file: string) => {
			await editor.page.evaluate(
				`const clipboardData = new DataTransfer();
				clipboardData.setData('text/plain', ${JSON.stringify(await readFile(file, 'utf8'))});
				document.dispatchEvent(new ClipboardEvent('paste', { clipboardData }));`,
			);
		};
		const importFile = async (file: string) => {
			const choosing = editor.page.waitForEvent('filechooser');
			await editor.part('workflow-menu').click();
			if (!version.startsWith('1.')) {
				await editor.page.getByText('Import', { exact: true }).hover();
			}
			await editor.page.getByText(/from file/i).click();
			await (await choosing).setFiles(file);
		};

		it.each([
			['pasted', paste],
			['imported from its file', importFile],
		])('an example that is %s in the editor is complete', async (_how, bring) => {
			await editor.page.goto(`${n8n.address}/workflow/new`);
			await editor.part('canvas-add-button').waitFor();
			await bring(path.resolve(__dirname, '../../examples/weekly-mail.json'));

			const { nodes } = exampleWorkflow('weekly-mail');
			const shown = editor.page.locator('.vue-flow__node');
			await until(async () => (await shown.count()) === nodes.length);
			const red = editor.part('canvas-node').filter({ has: editor.part('node-issues') });
			await red.filter({ hasText: 'Send Email' }).waitFor();
			// n8n 2 chooses the credential by itself if there is one.
			await expect(red.filter({ hasNotText: /Send Email|Get Many Sites/ }).count()).resolves.toBe(
				0,
			);
		});
	});

	describe('list-with-site-data', () => {
		let id: string;
		beforeAll(async () => {
			id = await importExample('list-with-site-data');
		});
		// On a busy machine, n8n 1's editor may miss that a run has ended, and its button then starts none.
		beforeEach(async () => {
			await editor.openWorkflow(id);
		});

		/** Chooses a file in the form that the button opens. */
		const chooseFile = async (name: string, content: Buffer) => {
			const form = await editor.executeWithForm();
			const withoutLogin = await Promise.all(
				['GET', 'POST'].map(async (method) => await fetch(form.url(), { method })),
			);
			expect(withoutLogin.map(({ status }) => status)).toEqual([401, 401]);
			await form.locator('input[type="file"]').setInputFiles({
				name,
				mimeType: 'application/octet-stream',
				buffer: content,
			});
			return { form, button: form.getByRole('button', { name: 'Add the site data' }) };
		};
		/** Uploads a file, and waits for the file that the browser downloads. */
		const upload = async (name: string, content: Buffer) => {
			const { form, button } = await chooseFile(name, content);
			const downloading = form.waitForEvent('download');
			await button.click();
			const download = await downloading;
			const file = await readFile(await download.path());
			await form.getByText('Your file is ready').waitFor();
			await editor.executed();
			await form.close();
			return { name: download.suggestedFilename(), file };
		};
		const enrich = async (csv: string) => {
			const { name, file } = await upload('My sites.csv', Buffer.from(csv));
			return { name, text: file.toString('utf8') };
		};
		const added = [
			...['siteName', 'code', 'type', 'license', 'maxTotalBiomass', 'timezone'],
			...['longitude', 'latitude', 'numberOfUnits', 'message'],
		];

		it('list-with-site-data adds the data of each site to the columns of the file, and tells which sites are unknown', async () => {
			const { name, text } = await enrich(
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
					// What was typed is the name of the site that is not found.
					...['x', '', '', '', 'x'],
					...Array<string>(7).fill(''),
					`'Site' contains an unknown site: "x"`,
				],
				[
					...['1004', 'Åse', 'mine', 'last line without a line break', 'Lille Grønnvik', 'LGV'],
					...['N-V-0104', '1560', 'Europe/Oslo', '68.2283', '15.6412', '3', ''],
				],
			]);
		});

		it('list-with-site-data writes no cell that begins a formula, and leaves numbers as they are', async () => {
			const { text } = await enrich(
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

		it.each([
			[',', ['site', '"Notes; and more"'], ['Storvågen', 'a;b']],
			[';', ['Notes, and more', 'siteId'], ['a, b', '1001']],
			['\t', ['Notes, and more', 'site'], ['a, b; c', 'Storvågen (1001)']],
			[',', ['siteId'], ['1001']],
		])(
			'list-with-site-data finds out what separates the columns: %j, %j',
			async (delimiter, headings, cells) => {
				const { text } = await enrich(`${headings.join(delimiter)}\n${cells.join(delimiter)}\n`);

				const [row] = parseCsv(text, { bom: true, delimiter, columns: true }) as IDataObject[];
				expect(Object.keys(row ?? {}).slice(0, headings.length)).toEqual(
					headings.map((heading) => heading.replaceAll('"', '')),
				);
				expect(Object.values(row ?? {}).slice(0, cells.length)).toEqual(cells);
				expect(row).toMatchObject({ siteName: 'Storvågen', message: '' });
			},
		);

		it.each([
			['Lokalitet,<b>Merknad</b> & co\n1001,a\n', 'Lokalitet, <b>Merknad</b> & co'],
			['siteId;Merknad\n', 'none'],
		])(
			'list-with-site-data says in the form that there is no column of sites: %j',
			async (csv, headings) => {
				const { form, button } = await chooseFile('My sites.csv', Buffer.from(csv));
				await button.click();

				await form.getByText('No sites found in your list').waitFor();
				await form.getByText(`The headings found: ${headings}.`).waitFor();
				await editor.executed();
				await form.close();
				expect(emulator.journal.of('site')).toEqual([]);
			},
		);

		it('list-with-site-data takes the file that its guide shows', async () => {
			const [shown] = new Page('examples/README.md').blocks.filter(
				({ language }) => language === 'csv',
			);

			const { text } = await enrich(shown?.text ?? '');

			const rows: IDataObject[] = parseCsv(text, { bom: true, columns: true });
			expect(rows.map(({ siteName, message }) => siteName || message)).toEqual([
				'Storvågen',
				'Kråkøya',
				'The service does not know site 4040',
			]);
		});

		it('list-with-site-data takes an XLSX file, and gives an XLSX file', async () => {
			const made = await run('sites-to-an-xlsx-file', {
				'Get Many Sites': { sites: 'byId', siteIds: '1033, 1004', includeInfo: false },
			});
			const { content } = await fileOf(made, 'Convert to XLSX');
			emulator.changeSite(1004, () => undefined);

			const { name, file } = await upload('Sites.2026.XLSX', content);

			expect(name).toBe('Sites.2026-with-sites.xlsx');
			const [sheet] = await readXlsx(file);
			const [headings = [], ...rows] = sheet?.data ?? [];
			const cells = rows.map((row) =>
				Object.fromEntries(headings.map((heading, index) => [heading, row[index]])),
			);
			expect(cells).toMatchObject([
				{ siteId: 1033, siteName: FORMULA_SITE.siteName, message: null },
				{
					siteId: 1004,
					siteName: 'Lille Grønnvik',
					message: expect.stringContaining('1004') as unknown,
				},
			]);
		});

		it('list-with-site-data reads what a spreadsheet program writes, and writes it alike', async () => {
			const note = `på, ja ${'.'.repeat(300)}`;
			const sites = Array.from({ length: 300 }, (_, index) => SITES[index % 20]);
			const file = ['siteId;Merknad', ...sites.map((site) => `${site?.siteId};${note}`)];

			const { text } = await enrich(`\uFEFF${file.join('\r\n')}\r\n`);

			const [headings, ...rows] = parseCsv(text, { bom: true, delimiter: ';' });
			expect(headings).toEqual(['siteId', 'Merknad', ...added]);
			expect(rows.map((row) => row.slice(0, 3))).toEqual(
				sites.map((site) => [String(site?.siteId), note, site?.siteName]),
			);
			expect(text).toMatch(/^\uFEFF/);
		});
	});

	it('another-part-of-the-service sends a request of its own with the credential', async () => {
		const execution = await run('another-part-of-the-service', {
			'HTTP Request': { url: `${emulator.baseUrl}/meta/sites/1001` },
		});

		expect(itemsOf(execution, 'HTTP Request').map(({ json }) => json)).toEqual([SITES[0]]);
		const [request] = emulator.journal.of('site');
		expect(request?.headers).toMatchObject({
			authorization: expect.stringMatching(/^Bearer \S+$/) as unknown,
			'service-version': '2023-01-01',
		});
		await run('another-part-of-the-service', {
			'HTTP Request': { url: `${emulator.baseUrl}/data/feed`, sendQuery: false },
		});
		expect(emulator.journal.of('other').map(({ url }) => url)).toEqual(['/data/feed']);
	});

	describe('alert-by-mail', () => {
		const trigger = 'Licence or Limit Changed';

		it('alert-by-mail sends a sample by the button, with the time of the workflow’s time zone', async () => {
			const example = exampleWorkflow('alert-by-mail', credentials, {
				[trigger]: { sites: 'byId', siteIds: '1001' },
				'Send Email': ADDRESSES,
			});
			const settings = { ...(example.settings as IDataObject), timezone: 'Asia/Tokyo' };
			const id = await n8n.createWorkflow({ ...example, settings });
			await expect(n8n.runManually(id)).resolves.toMatchObject({ status: 'success' });

			expect(mailServer.mails).toHaveLength(1);
			const [headings, row] = tableOf(mailServer.mails[0]?.html);
			expect(headings).toEqual(['Site', 'What', 'Before', 'Now', 'Seen']);
			expect(row?.slice(0, 4)).toEqual(['Storvågen (1001)', 'Licence', 'M-H-0101', 'M-H-0101']);
			const minutes = Math.abs(Date.parse(`${row?.[4]} GMT+0900`) - Date.now()) / 60_000;
			expect(minutes).toBeLessThan(10);
			expect(mailServer.mails[0]?.recipients).toEqual(['a@example.com', 'b@example.com']);
		});

		it('alert-by-mail mails the changes of the licence and of the biomass limit in one table, and nothing else', async () => {
			const id = await importExample('alert-by-mail', {
				[trigger]: {
					sites: 'byId',
					siteIds: '1023',
					pollTimes: pollTimesOf(EVERY_THREE_SECONDS),
				},
				'Send Email': ADDRESSES,
			});
			await n8n.activate(id);
			await polled(1);

			emulator.changeSite(1023, ({ info, ...site }) => ({
				...site,
				siteName: 'Cañal & <sur>',
				info: { ...info, license: '<b>N-V-0200', timezone: 'UTC', maxTotalBiomass: null },
			}));
			await until(() => mailServer.mails.length >= 1);
			await polled(2);

			expect(mailServer.mails).toHaveLength(1);
			const [mail] = mailServer.mails;
			expect(mail?.subject).toBe('2 changes of licence or biomass limit');
			const rows = tableOf(mail?.html).slice(1);
			expect(rows.map((row) => row.slice(0, 4))).toEqual(
				expect.arrayContaining([
					['Cañal & <sur> (1023)', 'Licence', 'RNA-10223', '<b>N-V-0200'],
					['Cañal & <sur> (1023)', 'Maximum total biomass', '900', '(empty)'],
				]),
			);
			expect(rows).toHaveLength(2);

			emulator.changeSite(1023, ({ info, ...site }) => ({
				...site,
				info: { ...info, license: 'N-V-0300' },
			}));
			await until(() => mailServer.mails.length >= 2);
			expect(mailServer.mails[1]?.subject).toBe(
				'Licence of Cañal & <sur> (1023): <b>N-V-0200 → N-V-0300',
			);
		});
	});
});
