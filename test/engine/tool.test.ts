import type { IDataObject } from 'n8n-workflow';
import { useHarness } from '../../testbed/engine/harness';

const UNKNOWN = expect.stringMatching(
	/^The service does not know site 4040\. Check the site ID\.\n.*If no site is found, check 'Base URL' in the credential\.\nThe service says: "There is no site with this ID\."\n/,
) as string;

const SITE = expect.objectContaining({ siteId: 1001 }) as IDataObject;

describe('the node as the tool of an AI agent', () => {
	const harness = useHarness();

	const tool = { type: 'n8n-nodes-aquaculture.aquacultureTool' };

	it.each<[IDataObject, IDataObject[]]>([
		[{ siteId: '1001' }, [SITE]],
		[{ siteId: 1001 }, [SITE]],
		[{ siteId: '4040' }, [{ error: UNKNOWN }]],
		[
			{ siteId: 'Storvågen' },
			[
				{
					error: `'Site' contains an unknown site: "Storvågen". Call this tool again with a known name or an ID, or ask the user.`,
				},
			],
		],
		[
			{ siteId: '={{ undefined }}' },
			[
				{
					error:
						"'Site' is empty. Call this tool again with a value that is accepted, or ask the user for one.",
				},
			],
		],
		[
			{ siteId: '1001, 1002' },
			[
				{
					error: `'Site' contains a list of sites: "1001, 1002". Call this tool once for each site.`,
				},
			],
		],
		[{ operation: 'getManySites', siteIds: '={{ [1001, 4040] }}' }, [SITE, { error: UNKNOWN }]],
		[
			{ operation: 'getUnits', siteIds: '1020' },
			[{ message: 'Nothing was found. The site has no units' }],
		],
		[
			{ siteId: '4040', options: { ignoreMissing: true } },
			[
				{
					message:
						"Nothing was found. The service does not know the site, so it was left out. If that is wrong, check 'Base URL' in the credential",
				},
			],
		],
	])('answers an AI agent that asks for %j', async (parameters, answers) => {
		const { items, error } = await harness.run(parameters, tool);

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual(answers);
	});

	it('reads all sites, or says where to enter them', async () => {
		const parameters = { operation: 'getManySites', sites: 'all' };
		const { items: answers } = await harness.run(parameters, tool);
		harness.setCredential({ knownSites: '1001 Storvågen\n1002 Kråkøya' });
		const { items } = await harness.run(parameters, tool);

		const needed = /^'Sites' needs 'Known Sites', which contains no site\. Enter /;
		expect(answers).toMatchObject([{ json: { error: expect.stringMatching(needed) as unknown } }]);
		expect(items.map(({ json }) => json.siteId)).toEqual([1001, 1002]);
	});

	it('says why it found nothing as plain text, not as HTML', async () => {
		harness.setCredential({ knownSites: '1020\nA & B' });

		const { items } = await harness.run({ operation: 'getUnits', sites: 'all' }, tool);

		const message = /^Nothing was found\. .+ line 2 \(A & B\)\. .+\. The site has no units$/;
		expect(items).toMatchObject([{ json: { message: expect.stringMatching(message) as unknown } }]);
	});

	it('says once when to try again if the request limit is used up', async () => {
		harness.setCredential({ requestsPerMinute: 4 });
		const parameters = (siteIds: string) => ({
			...{ operation: 'getManySites', siteIds },
			options: { maxWait: 0 },
		});
		const answer = async (siteIds: string) =>
			(await harness.run(parameters(siteIds), tool)).items.map(({ json }) => json);
		await answer('1001, 1002, 1003');

		await expect(answer('1004, 1005, 1006')).resolves.toEqual([
			{
				error: expect.stringMatching(
					/^The wait for the request limit .* allows\. Try again in [56]\d seconds, or raise 'Maximum Wait \(Minutes\)' under Options\.\n/,
				) as string,
			},
		]);
	});

	it('explains an unusable credential', async () => {
		harness.setCredential({ baseUrl: '' });

		const { items } = await harness.run({}, tool);

		expect(items[0]?.json).toEqual({
			error: "'Base URL' is empty. Correct 'Base URL' in the credential.",
		});
	});
});
