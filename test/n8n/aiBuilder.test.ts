import path from 'node:path';
import { run } from '../../testbed/command';
import { installationOf } from '../../testbed/n8n/install';
import { VERSION } from '../../testbed/n8n/versions';
import { NODE_TYPE } from '../../testbed/workflows';

const NODE = path.resolve(__dirname, '../../dist/nodes/Aquaculture/Aquaculture.node.js');

/** Prints what n8n 2 tells AI builders of the node; run by n8n's own Node.js. */
const PRINT_TYPES = `
	const { createRequire } = require('node:module');
	const [n8n, node, name] = process.argv.slice(1);
	const { generateNodeTypeFile } = createRequire(n8n)('@n8n/workflow-sdk');
	const { description } = new (require(node).Aquaculture)();
	process.stdout.write(generateNodeTypeFile({ ...description, name }));
`;

/** The parameters of each generated type, without those in the collection of options. */
function parametersIn(file: string): Record<string, string[]> {
	const types = file.matchAll(/export type AquacultureV1(\w+)Params = \{\n(.*?)\n\};/gs);
	return Object.fromEntries(
		[...types].map(([, name = '', body = '']) => {
			const [fields = ''] = body.split('options?: {');
			return [name, [...fields.matchAll(/^ +(\w+)\??: /gm)].map(([, field = '']) => field)];
		}),
	);
}

const SEVERAL = ['sites', 'siteIds', 'chosenSites', 'returnAll', 'limit'];
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
