import { shareRig, type Rig } from '../../testbed/engine/rig';

const UNKNOWN = expect.stringMatching(
	/^The service does not know site 4040\. Check the site ID\. .* The service says: "There is no site with this ID\." /,
) as string;

describe('the node as the tool of an AI agent', () => {
	let rig: Rig;

	shareRig((started) => {
		rig = started;
	});

	const tool = { type: 'n8n-nodes-aquaculture.aquacultureTool' };
	const json = async (parameters: Record<string, unknown>, settings = {}) => {
		const { items, error } = await rig.run(parameters as never, { ...tool, ...settings });
		expect(error).toBeUndefined();
		return items.map((item) => item.json);
	};

	it.each(['1001', 1001])('reads the site %j', async (siteId) => {
		await expect(json({ siteId })).resolves.toMatchObject([{ siteId: 1001 }]);
	});

	it('answers with what happened and what to do', async () => {
		await expect(json({ siteId: '4040' })).resolves.toEqual([{ error: UNKNOWN }]);
		await expect(json({ siteId: 'Storvågen' })).resolves.toEqual([
			{
				error: `'Site' names a site that is not known: "Storvågen". Call this tool again with a known name or an ID, or ask for it.`,
			},
		]);
		await expect(json({ siteId: '={{ undefined }}' })).resolves.toEqual([
			{
				error: `'Site' is empty. Call this tool again with a value that fits, or ask for it.`,
			},
		]);
	});

	it('answers a wrong credential too', async () => {
		rig.setCredential({ baseUrl: '' });

		await expect(json({})).resolves.toEqual([
			{
				error: "'Base URL' is empty. Correct 'Base URL' in the credential.",
			},
		]);
	});

	it('answers for each site of a list, however an agent writes it', async () => {
		for (const siteIds of [
			'1001, 4040',
			'[1001, 4040]',
			'["1001","4040"]',
			'={{ [1001, 4040] }}',
		]) {
			await expect(json({ operation: 'getManySites', siteIds })).resolves.toMatchObject([
				{ siteId: 1001 },
				{ error: UNKNOWN },
			]);
		}
	});

	it('answers also where there is nothing to answer', async () => {
		await expect(json({ operation: 'getUnits', siteIds: '1020' })).resolves.toEqual([
			{ message: 'Nothing was found' },
		]);
		await expect(
			json({ operation: 'getSite', siteId: '4040', options: { ignoreMissing: true } }),
		).resolves.toEqual([
			{
				message:
					"Nothing was found. The site does not exist and was left out. If that is wrong, check 'Base URL' in the credential",
			},
		]);
	});

	it('stops where "On Error" says so, in the words for people', async () => {
		const { items, error } = await rig.run(
			{ siteId: '4040' },
			{ ...tool, onError: 'stopWorkflow' },
		);

		expect(items).toEqual([]);
		expect(error?.message).toBe('The service does not know site 4040');
	});
});
