import path from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import type { IDataObject } from 'n8n-workflow';
import readXlsx from 'read-excel-file/node';
import { knownSitesOf, SITES } from '../../emulator/sites';
import { run } from '../../testbed/command';
import { useN8n } from '../../testbed/jest/useN8n';
import { connectAssistant } from '../../testbed/n8n/assistant';
import { exampleWorkflow } from '../../testbed/n8n/examples';
import { installationOf } from '../../testbed/n8n/install';
import { errorOf, itemsOf } from '../../testbed/n8n/instance';
import { VERSION } from '../../testbed/n8n/versions';
import { CREDENTIAL_NAME, credentialRef, NODE_TYPE } from '../../testbed/workflows';
import { sitesTable, tableFile } from './dataTables';

// Slow: starts n8n.

const NODE = path.resolve(__dirname, '../../dist/nodes/Aquaculture/Aquaculture.node.js');

/** Prints the node's type definitions as n8n 2 gives them to AI builders. Runs in n8n's own Node.js. */
const PRINT_TYPES = `
	const { createRequire } = require('node:module');
	const [n8n, node, name] = process.argv.slice(1);
	const { generateNodeTypeFile } = createRequire(n8n)('@n8n/workflow-sdk');
	const { description } = new (require(node).Aquaculture)();
	process.stdout.write(generateNodeTypeFile({ ...description, name }));
`;

/** Parameters by type, without those in Options. */
function parametersIn(file: string): Record<string, string[]> {
	const types = file.matchAll(/export type AquacultureV1(\w+)Params = \{\n(.*?)\n\};/gs);
	return Object.fromEntries(
		[...types].map(([, name = '', body = '']) => {
			const [fields = ''] = body.split('options?: {');
			return [name, [...fields.matchAll(/^ +(\w+)\??: /gm)].map(([, field = '']) => field)];
		}),
	);
}

const SEVERAL = ['sites', 'siteIds', 'chosenSites'];
const PARTS = ['includeInfo', 'includeUnits', 'simplify'];

it('n8n gives AI builders a type for each operation, with the parameters of that operation only', async () => {
	const { node, n8n } = installationOf(VERSION);
	const file = await run(node, ['-e', PRINT_TYPES, n8n, NODE, NODE_TYPE], { quiet: true });

	expect(parametersIn(file)).toEqual({
		SiteGetManySites: ['resource', 'operation', ...SEVERAL, ...PARTS],
		SiteGetSite: ['resource', 'operation', 'siteId', ...PARTS],
		UnitGetUnits: ['resource', 'operation', ...SEVERAL, 'includeSiteInfo'],
	});
	expect(file).toContain("resource: 'unit';\n  operation: 'getUnits';");
});

describe("n8n's MCP server", () => {
	/** A node in a builder's code. */
	interface BuilderNode {
		type: string;
		version: number;
		config: { name: string; parameters: IDataObject };
	}

	const TO_FILE: BuilderNode = {
		type: 'n8n-nodes-base.convertToFile',
		version: 1.1,
		config: { name: 'File', parameters: { operation: 'xlsx' } },
	};

	const { emulator, n8n } = useN8n();
	let account: string;
	let builder: Client;

	beforeAll(async () => {
		account = await n8n.createCredential({
			...emulator.credential,
			knownSites: knownSitesOf(SITES),
		});
		const { url, key } = await n8n.openMcpServer();
		builder = await connectAssistant(url, `Bearer ${key}`);
	});
	afterAll(async () => await builder.close());
	beforeEach(() => emulator.reset());

	const ask = async <T>(name: string, given: IDataObject) => {
		const { structuredContent } = await builder.callTool({ name, arguments: given });
		return structuredContent as T;
	};
	const requested = () =>
		emulator.journal
			.of('site')
			.map(({ url }) => url)
			.sort();

	/** Creates a workflow of these nodes, and runs it. */
	const build = async (parameters: IDataObject, next: BuilderNode[] = []) => {
		const read: BuilderNode = { type: NODE_TYPE, version: 1, config: { name: 'Read', parameters } };
		const nodes = [read, ...next].map(({ type, version, config: { parameters } }) => ({
			...{ type, typeVersion: version, parameters },
		}));
		// n8n 2.40.7 does not validate parameters of community nodes.
		await expect(ask('validate_node_config', { nodes })).resolves.toMatchObject({ valid: true });

		const start = `trigger({ type: 'n8n-nodes-base.manualTrigger', version: 1, config: { name: 'Start' } })`;
		const code = `const read = node(${JSON.stringify(read)});`;
		const chain = next.map((node) => `.to(node(${JSON.stringify(node)}))`).join('');
		const made = await ask<IDataObject>('create_workflow_from_code', {
			code: `${code}\nexport default workflow('built', 'Built').add(${start}).to(read)${chain};`,
		});
		expect(made).toMatchObject({
			autoAssignedCredentials: [
				{ credentialType: 'aquacultureApi', credentialName: CREDENTIAL_NAME },
			],
		});
		const { executionId } = await ask<{ executionId: string }>('execute_workflow', {
			workflowId: made.workflowId,
			executionMode: 'manual',
		});
		const execution = await n8n.finished(executionId);
		expect([execution.status, errorOf(execution)]).toEqual(['success', undefined]);
		return execution;
	};

	it.each(['fish farm', 'salmon', 'pens'])('finds the node first for %s', async (word) => {
		const { results } = await ask<{ results: string }>('search_nodes', { queries: [word] });

		expect(/^- (\S+)/m.exec(results)?.[1]).toBe(NODE_TYPE);
	});

	it('lets a builder read a site by its ID', async () => {
		const execution = await build({
			...{ resource: 'site', operation: 'getSite' },
			siteId: { __rl: true, mode: 'id', value: '1001' },
		});

		expect(itemsOf(execution, 'Read').map(({ json }) => json)).toEqual([SITES[0]]);
		expect(requested()).toEqual(['/meta/sites/1001?$include=units,info']);
	});

	it('lets a builder write all sites to an XLSX file', async () => {
		const execution = await build({ resource: 'site', operation: 'getManySites' }, [TO_FILE]);
		const file = itemsOf(execution, 'File')[0]?.binary?.data;
		if (!file) throw new Error('There is no file');
		const [sheet] = await readXlsx(await n8n.download(file));

		expect(sheet?.data.map(([siteId]) => siteId)).toEqual([
			'siteId',
			...SITES.map(({ siteId }) => siteId),
		]);
		expect(requested()).toEqual(
			SITES.map(({ siteId }) => `/meta/sites/${siteId}?$include=units,info`).sort(),
		);
	});

	it('lets an assistant read sites from a data table without a request to the service', async () => {
		const tables = sitesTable(
			await n8n.importDataTable('Sites', tableFile('sites-in-a-data-table')),
		);
		const example = exampleWorkflow('sites-in-a-data-table', credentialRef(account), tables);
		await n8n.runManually(await n8n.createWorkflow(example));
		emulator.reset();
		const { data } = await ask<{ data: IDataObject[] }>('search_data_tables', { query: 'Sites' });
		const [{ id: dataTableId, projectId } = {}] = data;
		const { rows } = await ask<{ rows: IDataObject[] }>('get_data_table_rows', {
			...{ dataTableId, projectId },
			filter: { filters: [{ columnName: 'gone', condition: 'eq', value: false }] },
		});

		const sites = SITES.map(({ siteId, info }) => ({ siteId, license: info?.license ?? null }));
		expect(rows).toMatchObject(sites);
		expect(emulator.journal.requests).toEqual([]);
	});
});
