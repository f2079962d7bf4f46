import type { IDataObject } from 'n8n-workflow';
import { shareRig, type Output, type Rig } from '../../testbed/engine/rig';

const KNOWN = '1001 Storvågen\n1002;Nordvik Sør\n1003\tHavøya\n1004 Nordvik sør \n1005 Vågen, nord';

describe('a site by name', () => {
	let rig: Rig;
	shareRig((started) => {
		rig = started;
	});
	beforeEach(() => {
		rig.setCredential({ knownSites: KNOWN });
	});

	const locator = (mode: string, value: unknown) =>
		({ siteId: { __rl: true, mode, value } }) as IDataObject;
	const several = (parameters: object): IDataObject => {
		return { operation: 'getManySites', siteId: '', ...parameters };
	};
	const idsIn = ({ items }: Output) => items.map(({ json }) => json.siteId);

	it.each<[string, IDataObject, number[]]>([
		['from the list', locator('list', 1003), [1003]],
		['by ID', locator('id', '1003'), [1003]],
		['by an ID that is a number', locator('id', 1003), [1003]],
		['by name', locator('name', 'Havøya'), [1003]],
		['by a name in another spelling', locator('name', ' STORVA\u030aGEN '), [1001]],
		['by an ID without a locator, as an expression in its place gives', { siteId: 1003 }, [1003]],
		['among all known sites', several({ sites: 'all' }), [1001, 1002, 1003, 1004, 1005]],
		[
			'among those chosen from the list',
			several({ sites: 'fromList', chosenSites: [1003, 1001] }),
			[1003, 1001],
		],
		['among those entered by ID', several({ sites: 'byId', siteIds: '1003, 1001' }), [1003, 1001]],
		[
			'among IDs and names that an expression gives',
			several({ siteIds: '={{ [$json.site, 1001] }}' }),
			[1003, 1001],
		],
	])('is read %s', async (_how, parameters, siteIds) => {
		const output = await rig.run(parameters, { input: [{ site: 'havøya' }] });

		expect(output.error).toBeUndefined();
		expect(idsIn(output)).toEqual(siteIds);
	});

	it('is read by the name in a field of each item', async () => {
		const input = [{ site: 'havøya' }, { site: 'Storvågen' }];
		const output = await rig.run(locator('name', '={{ $json.site }}'), { input });

		expect(idsIn(output)).toEqual([1003, 1001]);
	});

	it.each<[IDataObject, string, RegExp]>([
		[
			locator('name', 'Storvagen'),
			'\'Site\' names a site that is not known: "Storvagen"',
			/Similar names: "Storvågen", .*'Known Sites' in the credential/,
		],
		[
			locator('name', 'Nordvik Sør'),
			'\'Site\' names more than one site: "Nordvik Sør"',
			/1002 and 1004/,
		],
		[locator('name', ' '), "'Site' is empty", /./],
		[locator('id', 'Havøya'), '\'Site\' is not a whole number: "Havøya"', /By Name/],
		[
			locator('id', '1001, 1002'),
			'\'Site\' contains a list of sites: "1001, 1002"',
			/Get Many Sites/,
		],
		[
			several({ siteIds: ['Havoya'] }),
			'\'Site IDs\' names a site that is not known: "Havoya"',
			/"Havøya"/,
		],
		[
			several({ siteIds: ['Nordvik Sør'] }),
			'\'Site IDs\' names more than one site: "Nordvik Sør"',
			/1002 and 1004/,
		],
		[several({ sites: 'fromList', chosenSites: [''] }), "'Site Names or IDs' is empty", /./],
		[several({ sites: 'none' }), '\'Sites\' contains a choice that does not exist: "none"', /./],
	])('is refused before any request: %j', async (parameters, message, description) => {
		const { error } = await rig.run(parameters);

		expect(error?.message).toBe(message);
		expect(error?.description).toMatch(description);
		expect(rig.emulator.journal.requests).toEqual([]);
	});

	it.each([
		[locator('name', 'Havøya'), '\'Site\' names a site that is not known: "Havøya"'],
		[several({ sites: 'all' }), "'Sites' has no known sites to choose from"],
	])('cannot be found where no sites are known: %j', async (parameters, message) => {
		rig.setCredential();
		const { error } = await rig.run(parameters);

		expect(error?.message).toBe(message);
		expect(error?.description).toContain("'Known Sites' in the credential");
	});

	it.each<[IDataObject, number[]]>([
		...['id', 'name', 'list'].flatMap(
			(mode): Array<[IDataObject, number[]]> => [
				[locator(mode, 'Havøya'), [1003]],
				[locator(mode, '1003'), [1003]],
			],
		),
		[several({ siteIds: 'Havøya, 1001' }), [1003, 1001]],
		[several({ siteIds: 'Vågen, nord' }), [1005]],
	])('may be an ID or a name for a tool: %j', async (parameters, siteIds) => {
		const type = 'n8n-nodes-aquaculture.aquacultureTool';

		expect(idsIn(await rig.run(parameters, { type }))).toEqual(siteIds);
	});
});
