import type { IDataObject } from 'n8n-workflow';
import { useHarness, type Output } from '../../testbed/engine/harness';

const KNOWN =
	'1001 Storvågen\n1002;Nordvik Sør\n1003\tHavøya\n1004 Nordvik sør \n1006 F17-3\n1007: Vik, Nord\n1011 Låks\n1012 Läks';

describe('known sites', () => {
	const harness = useHarness();
	beforeEach(() => {
		harness.setCredential({ knownSites: KNOWN });
	});

	const locator = (mode: string, value: unknown) =>
		({ siteId: { __rl: true, mode, value } }) as IDataObject;
	const several = (parameters: object): IDataObject => {
		return { operation: 'getManySites', siteId: '', ...parameters };
	};
	const idsIn = ({ items }: Output) => items.map(({ json }) => json.siteId);

	it.each<[string, IDataObject, number[]]>([
		['from the list', locator('list', 1003), [1003]],
		['by name', locator('name', 'Havøya'), [1003]],
		['by its ID, as a text', locator('id', '1002'), [1002]],
		['by its ID in place of a name', locator('name', 1002), [1002]],
		['by an ID without a locator, as an expression in its place gives', { siteId: 1003 }, [1003]],
		[
			'among all sites',
			several({ sites: 'all' }),
			[1001, 1002, 1003, 1004, 1006, 1007, 1011, 1012],
		],
		[
			'among those chosen from the list',
			several({ sites: 'fromList', chosenSites: [1003, 1001] }),
			[1003, 1001],
		],
		...['siteIds', 'chosenSites'].map((field): [string, IDataObject, number[]] => [
			`among those that an expression gives, ${field}`,
			several({ sites: field === 'siteIds' ? 'byId' : 'fromList', [field]: '={{ $json.sites }}' }),
			[1003, 1001],
		]),
	])('finds a site %s', async (_how, parameters, siteIds) => {
		const output = await harness.run(parameters, { input: [{ sites: 'havøya; 1001' }] });

		expect(output.error).toBeUndefined();
		expect(idsIn(output)).toEqual(siteIds);
	});

	it('warns of unusable lines if all sites are read', async () => {
		harness.setCredential({ knownSites: '1001 Storvågen\nNordvik 1002\n1003 A\n<b>1 004' });
		const output = await harness.run(several({ sites: 'all' }));
		const other = await harness.run(several({ siteIds: '1001' }));

		expect([output, other].map(idsIn)).toEqual([[1001, 1003], [1001]]);
		expect(output.hints).toMatchObject([
			{
				message: expect.stringContaining(
					': line 2 (Nordvik 1002), line 4 (&lt;b&gt;1 004). ',
				) as unknown,
			},
		]);
		expect(other.hints).toEqual([]);
	});

	it.each<[IDataObject, string, RegExp]>([
		[
			locator('name', 'Havøya, Storvågen'),
			'\'Site\' contains a list of sites: "Havøya, Storvågen"',
			/Get Many Sites/,
		],
		[
			locator('name', 'laks'),
			'\'Site\' names more than one site: "laks"',
			/^Enter one of these IDs instead: 1011, 1012\.$/,
		],
		[
			locator('id', 'Havoyo'),
			'\'Site\' contains an unknown site: "Havoyo"',
			/^Enter the ID of the site, or its name from 'Known Sites' .*Storvågen \(1001\)\.$/,
		],
	])('refuses %j before any request', async (parameters, message, description) => {
		const { error } = await harness.run(parameters);

		expect(error).toMatchObject({
			message,
			description: expect.stringMatching(description) as unknown,
		});
		expect(harness.emulator.journal.requests).toEqual([]);
	});

	it.each([
		[locator('name', 'Havøya'), '\'Site\' contains an unknown site: "Havøya"'],
		[several({ sites: 'all' }), "'Sites' needs 'Known Sites', which contains no site"],
		[
			several({ sites: 'fromList', chosenSites: [''] }),
			"'Site Names or IDs' needs 'Known Sites', which contains no site",
		],
	])('refuses %j if Known Sites is empty', async (parameters, message) => {
		harness.setCredential();
		const { error } = await harness.run(parameters);

		expect(error).toMatchObject({
			message,
			description: expect.stringContaining("'Known Sites' in the credential") as unknown,
		});
	});
});
