import type { IDataObject } from 'n8n-workflow';
import { useHarness, type Output } from '../../testbed/engine/harness';

const KNOWN = [
	...[
		'1001 Storvågen',
		'1002;Nordvik Sør',
		'1003\tHavøya',
		'1004 Nordvik sør ',
		'1005 Vågen, nord',
	],
	'1006 17-3',
	'1007: Vik, Nord',
].join('\n');

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

	const NAMED_LIKE_IDS = '1001\t1003\n1003\t1002\n1002 Havøya';

	it.each<[string, IDataObject, number[]]>([
		['from the list', locator('list', 1003), [1003]],
		['by ID', locator('id', '1003'), [1003]],
		['by an ID that is a number', locator('id', 1003), [1003]],
		['by name', locator('name', 'Havøya'), [1003]],
		['by a name in the place of an ID', locator('id', 'Havøya'), [1003]],
		['by a name in the place of a choice', locator('list', 'Havøya'), [1003]],
		...['id', 'name', 'list'].flatMap(
			(mode): Array<[string, IDataObject, number[]]> => [
				[`by its label, ${mode}`, locator(mode, 'storvågen (1001)'), [1001]],
				[`by a name without letters, ${mode}`, locator(mode, '17-3'), [1006]],
			],
		),
		['by the name field with a known ID', locator('name', '1003'), [1003]],
		['by the name field with a known ID that is a number', locator('name', 1003), [1003]],
		['by a name without its accents', locator('name', 'Storvagen'), [1001]],
		['by a name with a comma', locator('id', 'Vik, Nord'), [1007]],
		['by a name in another spelling', locator('name', ' STORVA\u030aGEN '), [1001]],
		['by an ID without a locator, as an expression in its place gives', { siteId: 1003 }, [1003]],
		['among all sites', several({ sites: 'all' }), [1001, 1002, 1003, 1004, 1005, 1006, 1007]],
		[
			'among those chosen from the list',
			several({ sites: 'fromList', chosenSites: [1003, 1001] }),
			[1003, 1001],
		],
		['among those entered by ID', several({ sites: 'byId', siteIds: '1003, 1001' }), [1003, 1001]],
		...['byId', 'fromList'].flatMap((sites): Array<[string, IDataObject, number[]]> => {
			const field = sites === 'byId' ? 'siteIds' : 'chosenSites';
			return [
				[
					`by a name that an expression gives, ${sites}`,
					several({ sites, [field]: '={{ $json.site }}' }),
					[1003],
				],
				[
					`among names, labels and IDs, ${sites}`,
					several({ sites, [field]: '17-3, Havøya; Storvågen (1001)\n1007 1002' }),
					[1006, 1003, 1001, 1007, 1002],
				],
			];
		}),
		[
			'among IDs and names that an expression gives',
			several({ siteIds: '={{ [$json.site, 1001] }}' }),
			[1003, 1001],
		],
	])('finds a site %s', async (_how, parameters, siteIds) => {
		const output = await harness.run(parameters, { input: [{ site: 'havøya' }] });

		expect(output.error).toBeUndefined();
		expect(idsIn(output)).toEqual(siteIds);
	});

	describe('with unusable lines', () => {
		beforeEach(() => {
			harness.setCredential({
				knownSites: '1001 Storvågen\nNordvik 1002\n1003 A\n1001 B\n<b>1 004',
			});
		});

		it.each(['getManySites', 'getUnits'])(
			'%s reads the other sites, with a warning',
			async (operation) => {
				const { items, hints, error } = await harness.run({ operation, sites: 'all' });

				expect(error).toBeUndefined();
				expect([...new Set(items.map(({ json }) => json.siteId))]).toEqual([1001, 1003]);
				expect(hints).toEqual([
					{
						message:
							"Lines of 'Known Sites' in the credential that do not begin with a site ID were left out: line 2 (Nordvik 1002), line 5 (&lt;b&gt;1 004). Write one site per line, its ID first",
						type: 'warning',
						location: 'outputPane',
					},
				]);
			},
		);

		it.each<IDataObject>([
			several({ sites: 'byId', siteIds: '1001' }),
			several({ sites: 'fromList', chosenSites: [1001] }),
			locator('id', '1001'),
		])('do not warn if not all sites are read: %j', async (parameters) => {
			const output = await harness.run(parameters);

			expect(idsIn(output)).toEqual([1001]);
			expect(output.hints).toEqual([]);
		});
	});

	it('leaves out a line of several numbers, with a warning', async () => {
		harness.setCredential({ knownSites: '1001; 1002; 1003\n1004' });
		const { items, hints } = await harness.run(several({ sites: 'all' }));

		expect(items.map(({ json }) => json.siteId)).toEqual([1004]);
		expect(hints).toMatchObject([
			{
				message:
					"Lines of 'Known Sites' in the credential that have several numbers were left out: line 1 (1001; 1002; 1003). Write one site per line, its ID first",
			},
		]);
	});

	it.each<IDataObject>([
		several({ sites: 'all' }),
		several({ sites: 'fromList', chosenSites: [4040] }),
		...['list', 'id', 'name'].map((mode) => locator(mode, 'Nord')),
		locator('id', '4040'),
	])('says where to correct an ID that the service does not know: %j', async (parameters) => {
		harness.setCredential({ knownSites: '4040 Nord' });

		expect((await harness.run(parameters)).error?.description).toMatch(
			/^Check the site ID, or its line in 'Known Sites' in the credential\.\n/,
		);
	});

	it('finds a site per input item', async () => {
		const input = [{ site: 'havøya' }, { site: 'Storvågen' }];
		const output = await harness.run(locator('name', '={{ $json.site }}'), { input });

		expect(idsIn(output)).toEqual([1003, 1001]);
	});

	it.each([
		['1003', [1001]],
		[1003, [1001]],
		['1003 (1001)', [1001]],
		['1001', [1001]],
		['1002', [1003]],
		['Havøya (1002)', [1002]],
	])('By Name prefers a name or label to an ID: %j', async (typed, siteIds) => {
		harness.setCredential({ knownSites: NAMED_LIKE_IDS });
		expect(idsIn(await harness.run(locator('name', typed)))).toEqual(siteIds);
	});

	it.each(['list', 'id'])('the mode %s prefers an ID to the name of another site', async (mode) => {
		harness.setCredential({ knownSites: NAMED_LIKE_IDS });
		expect(idsIn(await harness.run(locator(mode, '1003')))).toEqual([1003]);
		expect(idsIn(await harness.run(locator(mode, 1002)))).toEqual([1002]);
	});

	it.each<[IDataObject, string, RegExp]>([
		[
			locator('name', 'Storvagan'),
			'\'Site\' contains an unknown site: "Storvagan"',
			/^Enter a name from 'Known Sites' in the credential, .* choose 'By ID'\.$/,
		],
		[
			locator('name', 1008),
			'\'Site\' contains an unknown site: "1008"',
			/^Enter a name from 'Known Sites' in the credential, .* choose 'By ID'\.$/,
		],
		[locator('name', '17-4'), '\'Site\' contains an unknown site: "17-4"', /^Enter /],
		[locator('name', 'Kobbvika'), '\'Site\' contains an unknown site: "Kobbvika"', /^Enter /],
		[locator('name', true), '\'Site\' contains a value that is not a whole number: "true"', /./],
		[
			locator('name', 'Havøya, Storvågen'),
			'\'Site\' contains a list of sites: "Havøya, Storvågen"',
			/Get Many Sites/,
		],
		[
			locator('name', 'Nordvik Sør'),
			'\'Site\' names more than one site: "Nordvik Sør"',
			/1002, 1004/,
		],
		[locator('name', ' '), "'Site' is empty", /./],
		[
			locator('id', 'Havoyo'),
			'\'Site\' contains an unknown site: "Havoyo"',
			/^Enter the ID of the site, or its name from 'Known Sites' .*Storvågen \(1001\)\.$/,
		],
		[
			locator('id', '17-4'),
			'\'Site\' contains an unknown site: "17-4"',
			/or its name from 'Known Sites'/,
		],
		[
			several({ siteIds: '1001, 17-4' }),
			'\'Site IDs\' contains an unknown site: "17-4"',
			/or its name from 'Known Sites'/,
		],
		[
			several({ siteIds: 'Havøya, 1 001' }),
			'\'Site IDs\' contains an ID in another form than plain digits: "1 001"',
			/^Write each ID/,
		],
		[
			locator('id', '1001, 1002'),
			'\'Site\' contains a list of sites: "1001, 1002"',
			/Get Many Sites/,
		],
		[
			several({ siteIds: ['Havoyo'] }),
			'\'Site IDs\' contains an unknown site: "Havoyo"',
			/^Enter the ID/,
		],
		[
			several({ siteIds: ['Nordvik Sør'] }),
			'\'Site IDs\' names more than one site: "Nordvik Sør"',
			/1002, 1004/,
		],
		[several({ sites: 'fromList', chosenSites: [''] }), "'Site Names or IDs' is empty", /./],
		[several({ sites: 'none' }), '\'Sites\' contains a choice that does not exist: "none"', /./],
	])('refuses %j before any request', async (parameters, message, description) => {
		const { error } = await harness.run(parameters);

		expect(error?.message).toBe(message);
		expect(error?.description).toMatch(description);
		expect(harness.emulator.journal.requests).toEqual([]);
	});

	it.each([
		[locator('name', 'Havøya'), '\'Site\' contains an unknown site: "Havøya"'],
		[several({ sites: 'all' }), "'Sites' needs 'Known Sites', which is empty"],
		[
			several({ sites: 'fromList', chosenSites: [''] }),
			"'Site Names or IDs' needs 'Known Sites', which is empty",
		],
	])('refuses %j if Known Sites is empty', async (parameters, message) => {
		harness.setCredential();
		const { error } = await harness.run(parameters);

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
		[locator('name', 'Vågen, nord'), [1005]],
		[locator('name', '1007'), [1007]],
	])('finds a site by ID or name for a tool: %j', async (parameters, siteIds) => {
		const type = 'n8n-nodes-aquaculture.aquacultureTool';

		expect(idsIn(await harness.run(parameters, { type }))).toEqual(siteIds);
	});
});
