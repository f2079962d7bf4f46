import fc from '../../../fixedSeed';
import { NodeParameters } from '../../../../nodes/Aquaculture/fields/field';
import {
	listKnownSites,
	resolveSite,
	resolveSites,
	searchKnownSites,
} from '../../../../nodes/Aquaculture/fields/whichSites';
import { KnownSites } from '../../../../nodes/Aquaculture/input/knownSites';
import { NODE_TYPE, step } from '../../../../testbed/workflows';
import type { ILoadOptionsFunctions } from 'n8n-workflow';

type Typed = { siteId: unknown } | { siteIds: unknown };

/** Returns the IDs or the error message of each item. */
function meaningsOf(items: Typed[], knownSites = ''): Array<number[] | string> {
	const sites = new KnownSites(knownSites);
	const parameters = new NodeParameters({
		getNode: () => ({ ...step('Aquaculture', NODE_TYPE), position: [0, 0] }),
		getNodeParameter: (name, itemIndex, fallback, options) => {
			const input: object = { sites: 'byId', ...items[itemIndex] };
			const value = name in input ? input[name as keyof typeof input] : fallback;
			return options?.rawExpressions && name !== 'sites' ? '={{ $json.typed }}' : value;
		},
	});
	const lookUp = (item: Typed, index: number) => {
		try {
			const found =
				'siteIds' in item
					? resolveSites(parameters.forItem(index), sites)
					: [resolveSite(parameters.forItem(index), sites)];
			return found.map(({ siteId }) => siteId);
		} catch (error) {
			return (error as Error).message;
		}
	};
	return items.map(lookUp);
}

it('the sites of an item do not depend on other items', () => {
	const name = fc.constantFrom(
		...['Vik', 'vik', 'Vík', 'Nord', 'Vik (3)', '2', '3', 'Nord, Vik', 'Sør', 'Sor', '1 2', 'Ås'],
	);
	const site = fc.record({ siteId: fc.integer({ min: 1, max: 5 }), name });
	const lines = fc.array(site, { maxLength: 4 });
	const locator = (mode: string, value: string) => ({ siteId: { __rl: true, mode, value } });
	const item: fc.Arbitrary<Typed> = fc.oneof(
		fc
			.tuple(fc.constantFrom('id', 'name', 'list'), name)
			.map(([mode, value]) => locator(mode, value)),
		fc.array(name, { minLength: 1, maxLength: 3 }).map((siteIds) => ({ siteIds })),
		fc.tuple(name, name).map((names) => ({ siteIds: names.join(', ') })),
	);
	fc.assert(
		fc.property(lines, fc.array(item, { minLength: 2, maxLength: 4 }), (known, items) => {
			const knownSites = known.map(({ siteId, name }) => `${siteId}\t${name}`).join('\n');
			const alone = items.flatMap((each) => meaningsOf([each], knownSites));

			expect(meaningsOf(items, knownSites)).toEqual(alone);
		}),
		{ numRuns: 500 },
	);
});

it('a locator that an agent writes without the mark of n8n finds its site', () => {
	const locator = { mode: 'id', value: '1001' };

	expect(meaningsOf([{ siteId: locator }])).toEqual([[1001]]);
});

it.each<[Typed, string]>([
	[{ siteId: { id: 7, value: 7 } }, "'Site' contains a value that is not a whole number: "],
	[{ siteIds: true }, '\'Site IDs\' is not a list of site IDs: "true"'],
	[{ siteIds: { 0: 1 } }, '\'Site IDs\' is not a list of site IDs: {"0":1}'],
	[{ siteId: { __rl: true, mode: 'name', value: ' ' } }, "'Site' is empty"],
])('%j is refused: %s', (input, message) => {
	expect(meaningsOf([input])[0]).toContain(message);
});

const editor = (knownSites: string) =>
	({
		getCredentials: async () => await Promise.resolve({ knownSites }),
	}) as unknown as ILoadOptionsFunctions;

const KNOWN = editor('1 Storvågen\n2 Kråkøya Sør\n3 Ærø\n8');

it.each<[string, string[]]>([
	['storvag', ['Storvågen (1)']],
	['STORVA\u030aG', ['Storvågen (1)']],
	['oya  SØR', ['Kråkøya Sør (2)']],
	['stor\u200bv', ['Storvågen (1)']],
	['8', ['8']],
	['(3', ['Ærø (3)']],
	['krakøen', []],
])('searching the list of sites for %j finds %j', async (input, names) => {
	const { results } = await searchKnownSites.call(KNOWN, input);

	expect(results.map(({ name }) => name)).toEqual(names);
});

it('the lists of sites offer all known sites, or say where to enter them', async () => {
	const offered = [
		{ name: '1003', value: 1003 },
		{ name: 'Storvågen (1001)', value: 1001 },
	];
	const none = [{ name: "Enter 'Known Sites' in the credential, or choose 'By ID'", value: '' }];
	const known = editor('1001 Storvågen\n1003');

	expect(await searchKnownSites.call(known)).toEqual({ results: offered });
	expect(await listKnownSites.call(known)).toEqual(offered);
	expect(await searchKnownSites.call(editor(''), 'x')).toEqual({ results: none });
	expect(await listKnownSites.call(editor(''))).toEqual(none);
});

it('the lists of sites sort æ, ø and å last, and numbers by value', async () => {
	const known = editor('1 Åsen\n2 Ørland\n3;Zink 10\n4 Ærø\n5;Zink 9\n6 Askøy');

	expect((await listKnownSites.call(known)).map(({ name }) => name).join()).toBe(
		'Askøy (6),Zink 9 (5),Zink 10 (3),Ærø (4),Ørland (2),Åsen (1)',
	);
});
