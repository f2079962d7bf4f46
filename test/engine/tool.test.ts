import type { IDataObject } from 'n8n-workflow';
import { useHarness } from '../../testbed/engine/harness';

const SITE = expect.objectContaining({ siteId: 1001 }) as unknown;
const UNKNOWN = expect.stringMatching(
	/^The service does not know site 4040\. Check the site ID\.\n.*If no site is found, check 'Base URL' in the credential\.\nThe service says: "There is no site with this ID\."\n/,
) as unknown;
const NO_KNOWN_SITES = expect.stringMatching(
	/^'Sites' needs 'Known Sites', which contains no site\. Enter /,
) as unknown;

const OR_ASK = 'or ask the user';

describe('the node as the tool of an AI agent', () => {
	const harness = useHarness();

	it.each<[IDataObject, ...unknown[]]>([
		[{ siteId: '1001' }, SITE],
		[{ siteId: 1001 }, SITE],
		[{ siteId: '4040' }, UNKNOWN],
		[
			{ siteId: 'Storvågen' },
			`'Site' contains an unknown site: "Storvågen". Call this tool again with a known name or an ID, ${OR_ASK}.`,
		],
		[
			{ siteId: '={{ undefined }}' },
			`'Site' is empty. Call this tool again with a value that is accepted, ${OR_ASK} for one.`,
		],
		[
			{ siteId: '1001, 1002' },
			`'Site' contains a list of sites: "1001, 1002". Call this tool once for each site.`,
		],
		[{ operation: 'getManySites', siteIds: '={{ [1001, 4040] }}' }, SITE, UNKNOWN],
		[{ operation: 'getManySites', sites: 'all' }, NO_KNOWN_SITES],
		[{ operation: 'getUnits', siteIds: '1020' }, 'Nothing was found. The site has no units'],
	])('answers an AI agent that asks for %j', async (parameters, ...answers) => {
		const tool = { type: 'n8n-nodes-aquaculture.aquacultureTool' };

		const { items, error } = await harness.run(parameters, tool);

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.error ?? json.message ?? json)).toEqual(answers);
	});
});
