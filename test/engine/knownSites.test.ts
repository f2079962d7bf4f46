import type { IDataObject } from 'n8n-workflow';
import { shareRig, type Output, type Rig } from '../../testbed/engine/rig';

const KNOWN = '1001 Storvågen\n1002;Nordvik Sør\n1003\tHavøya\n1004 Nordvik sør ';

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
	const idsIn = ({ items }: Output) => items.map(({ json }) => json.siteId);

	it.each([
		['from the list', locator('list', 1003), 1003],
		['by ID', locator('id', '1003'), 1003],
		['by an ID that is a number', locator('id', 1003), 1003],
		['by name', locator('name', 'Havøya'), 1003],
		['by a name in another spelling', locator('name', ' STORVA\u030aGEN '), 1001],
		['by an ID without a locator, as an expression in its place gives', { siteId: 1003 }, 1003],
	])('is read %s', async (_how, parameters, siteId) => {
		const { items, error } = await rig.run(parameters);

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.siteId)).toEqual([siteId]);
	});

	it('is read by the name in a field of each item', async () => {
		const { items } = await rig.run(locator('name', '={{ $json.Site }}'), {
			input: [{ Site: 'havøya' }, { Site: 'Storvågen' }],
		});

		expect(items.map(({ json }) => json.siteId)).toEqual([1003, 1001]);
	});

	it.each([
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
		[locator('id', [1001, 1002]), "'Site' contains a list of sites: [1001,1002]", /Get Many Sites/],
	])(
		'that cannot be told is refused before any request: %j',
		async (parameters, message, description) => {
			const { error } = await rig.run(parameters);

			expect(error?.message).toBe(message);
			expect(error?.description).toMatch(description);
			expect(rig.emulator.journal.requests).toEqual([]);
		},
	);

	it('cannot be found where no sites are known, which is said', async () => {
		rig.setCredential();
		const { error } = await rig.run(locator('name', 'Havøya'));

		expect(error?.description).toContain("'Known Sites' in the credential");
	});

	it.each(['id', 'name', 'list'])('may be an ID or a name for a tool (%s)', async (mode) => {
		const type = 'n8n-nodes-aquaculture.aquacultureTool';
		for (const value of ['Havøya', '1003']) {
			const { items } = await rig.run(locator(mode, value), { type });
			expect(items.map(({ json }) => json.siteId)).toEqual([1003]);
		}
	});

	describe('of several', () => {
		const many = (parameters: IDataObject) => ({
			operation: 'getManySites',
			siteId: '',
			...parameters,
		});

		it.each([
			['all known sites', { sites: 'all' }, [1001, 1002, 1003, 1004]],
			[
				'those chosen from the list',
				{ sites: 'fromList', chosenSites: [1003, 1001] },
				[1003, 1001],
			],
			['those entered by ID', { sites: 'byId', siteIds: '1003, 1001' }, [1003, 1001]],
			['IDs and names that an expression gives', { siteIds: '={{ $json.sites }}' }, [1003, 1001]],
		])('is read among %s', async (_which, parameters, siteIds) => {
			const output = await rig.run(many(parameters as IDataObject), {
				input: [{ sites: ['Havøya', 1001] }],
			});

			expect(idsIn(output)).toEqual(siteIds);
		});

		it('is read by a tool whose text is one name with a comma', async () => {
			rig.setCredential({ knownSites: '1001 Vågen, nord' });
			const output = await rig.run(many({ siteIds: 'Vågen, nord' }), {
				type: 'n8n-nodes-aquaculture.aquacultureTool',
			});

			expect(idsIn(output)).toEqual([1001]);
		});

		it('is read by a tool that names them in a text', async () => {
			const output = await rig.run(many({ siteIds: 'Havøya, 1001' }), {
				type: 'n8n-nodes-aquaculture.aquacultureTool',
			});

			expect(idsIn(output)).toEqual([1003, 1001]);
		});

		it.each([
			[{ siteIds: ['Havoya'] }, '\'Site IDs\' names a site that is not known: "Havoya"'],
			[{ siteIds: ['Nordvik Sør'] }, '\'Site IDs\' names more than one site: "Nordvik Sør"'],
			[{ sites: 'fromList', chosenSites: [''] }, "'Site Names or IDs' is empty"],
			[{ sites: 'none' }, '\'Sites\' contains a choice that does not exist: "none"'],
		])('is refused before any request: %j', async (parameters, message) => {
			const { error } = await rig.run(many(parameters as IDataObject));

			expect(error?.message).toBe(message);
			expect(rig.emulator.journal.requests).toEqual([]);
		});

		it('is refused where all are asked for and none is known', async () => {
			rig.setCredential();
			const { error } = await rig.run(many({ sites: 'all' }));

			expect(error?.message).toBe("'Sites' has no known sites to choose from");
			expect(error?.description).toContain("'Known Sites' in the credential");
		});
	});
});
