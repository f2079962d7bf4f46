import fc from '../../../fixedSeed';
import { Parameters } from '../../../../nodes/Aquaculture/fields/parameters';
import { site as siteField } from '../../../../nodes/Aquaculture/fields/sites';
import { Sites } from '../../../../nodes/Aquaculture/input/sites';
import { findSite, namedSites } from '../../../../nodes/Aquaculture/input/siteReferences';
import type { SiteList } from '../../../../nodes/Aquaculture/service/siteList';
import { nodeOf } from '../nodeOf';

/** What is typed for an item: a site, or several of them. */
type Typed = { siteId: unknown } | { siteIds: unknown };

/** The IDs that each item means, or what is said of it; the list is loaded if a look-up has missed it. */
function meaningsOf(items: Typed[], knownSites = '', list?: SiteList): Array<number[] | string> {
	const sites = new Sites(knownSites, list !== undefined);
	const parameters = new Parameters({
		getNode: () => nodeOf(),
		getNodeParameter: (name, itemIndex, fallback, options) => {
			const typed: object = { sites: 'byId', ...items[itemIndex] };
			const value = name in typed ? typed[name as keyof typeof typed] : fallback;
			return options?.rawExpressions && name !== 'sites' ? '={{ $json.typed }}' : value;
		},
	});
	const lookUp = (item: Typed, index: number) => {
		try {
			if ('siteIds' in item) return namedSites(parameters, sites, index).map((each) => each.siteId);
			const { value, fault } = findSite(parameters.read(siteField, index), sites, false);
			return value ? [value.siteId] : String(fault);
		} catch (error) {
			return (error as Error).message;
		}
	};
	let meanings = items.map(lookUp);
	while (list && sites.wantsList) {
		sites.use(list, performance.now());
		meanings = items.map(lookUp);
	}
	return meanings;
}

const severalOf = (siteIds: unknown, knownSites?: string) =>
	meaningsOf([{ siteIds }], knownSites)[0];

it('an item means the same sites, whatever the items beside it are and have looked up', () => {
	const name = fc.constantFrom(
		...['Vik', 'vik', 'Vík', 'Nord', 'Vik (3)', '2', '3', 'Nord, Vik', 'Sør', 'Sor', '1 2', 'Ås'],
	);
	const site = fc.record({ siteId: fc.integer({ min: 1, max: 5 }), name });
	const lines = fc.array(site, { maxLength: 4 });
	const lists = fc.uniqueArray(site, { maxLength: 4, selector: ({ siteId }) => siteId });
	const locator = (mode: string, value: string) => ({ siteId: { __rl: true, mode, value } });
	const item: fc.Arbitrary<Typed> = fc.oneof(
		fc
			.tuple(fc.constantFrom('id', 'name', 'list'), name)
			.map(([mode, value]) => locator(mode, value)),
		fc.array(name, { minLength: 1, maxLength: 3 }).map((siteIds) => ({ siteIds })),
		fc.tuple(name, name).map((names) => ({ siteIds: names.join(', ') })),
	);
	fc.assert(
		fc.property(
			lines,
			fc.option(lists),
			fc.array(item, { minLength: 2, maxLength: 4 }),
			(known, listed, items) => {
				const knownSites = known.map(({ siteId, name }) => `${siteId}\t${name}`).join('\n');
				const list = listed ? { sites: listed, isWhole: true, unusable: [] } : undefined;
				const alone = items.flatMap((each) => meaningsOf([each], knownSites, list));

				expect(meaningsOf(items, knownSites, list)).toEqual(alone);
			},
		),
		{ numRuns: 500 },
	);
});

const separators = fc.stringMatching(/^[ ,;\n\t\r]{1,4}$/);

it('a list of IDs is read in its order, whatever separates them and in whichever form it is given', () => {
	const ids = fc.array(fc.maxSafeInteger(), { minLength: 1 });
	/** Whether it would make one number of two. */
	const isGrouping = (between: string, next: number) =>
		between === ' ' && next >= 100 && next <= 999;
	fc.assert(
		fc.property(ids, separators, (list, between) => {
			fc.pre(!list.slice(1).some((id) => isGrouping(between, id)));
			const forms = [
				...[list, list.map(String), between + list.join(between) + between],
				...[
					JSON.stringify(list, null, between.replace(/\S/g, '')),
					JSON.stringify(list.map(String)),
				],
			];

			for (const typed of forms) expect(severalOf(typed)).toEqual(list.map((id) => id || 0));
		}),
	);
});

it.each<[unknown, number[]]>([
	[7, [7]],
	['["1, 2", "3"]', [1, 2, 3]],
	[
		['1, 2;3', null, '', '4 5', 6],
		[1, 2, 3, 4, 5, 6],
	],
	// A number with thousands separators looks much the same.
	['1001 1002 1003', [1001, 1002, 1003]],
	['1001,\u00a01002;\u202f1003\u00a0', [1001, 1002, 1003]],
	['7\u2028100', [7, 100]],
	['7,100', [7, 100]],
	['7 0 1', [7, 0, 1]],
	[
		[7, 100, '100'],
		[7, 100, 100],
	],
])('the list of IDs %j means %j', (typed, siteIds) => {
	expect(severalOf(typed)).toEqual(siteIds);
});

it.each<[unknown, string]>([
	...[null, '', ' ,;\n', '\u00a0', '[]'].map((typed): [unknown, string] => [typed, 'is empty']),
	[true, 'is not a list of site IDs: "true"'],
	[{ 0: 1 }, 'is not a list of site IDs: {"0":1}'],
	['[1, 2', 'contains an entry that is not a site ID: "[1"'],
	['[[1]]', 'contains an entry that is not a site ID: [1]'],
	['1, 1.5, 2e3', 'contains an unknown site: "2e3"'],
	['1.5 '.repeat(9), 'contains 9 entries that are not site IDs: "1.5", "1.5", "1.5" and 6 more'],
	...[' ', '\u00a0', '\u202f', '\u2009', '\u2007', '\u2008'].map((blank): [unknown, string] => [
		` 1001, 1${blank}001\n12${blank}345${blank}678`,
		`contains 2 numbers with leading zeros or thousands separators: "1${blank}001", "12${blank}345${blank}678"`,
	]),
	...['007', '1001 007', ['007'], '["007"]'].map((typed): [unknown, string] => [
		typed,
		'contains a number with leading zeros or thousands separators: "007"',
	]),
	['1,001', 'contains a number with leading zeros or thousands separators: "001"'],
	['1001 7 100', 'contains a number with leading zeros or thousands separators: "7 100"'],
	['1.5, 1 001', 'contains 2 entries that are not site IDs: "1.5", "1 001"'],
])('the list of IDs %j is refused: it %s', (typed, fault) => {
	expect(severalOf(typed)).toBe(`'Site IDs' ${fault}`);
});

it('a list of 200,000 entries is read', () => {
	expect(severalOf('7 100 '.repeat(200_000))).toContain('contains 200000 numbers');
	expect(severalOf('1001 '.repeat(200_000))).toHaveLength(200_000);
});

const NAMES = ['Storvågen', 'Nordvik Sør', 'Havøya', '17-3', 'Łódź'];
const similarTo = (text: string, names = NAMES) =>
	new Sites(names.map((name, index) => `${index}\t${name}`).join('\n'), false).similarNames(text);

it.each<[string, string[]]>([
	['STORVA\u030aGEN  ', ['Storvågen']],
	['Storvaagen', ['Storvågen']],
	['nordvik', ['Nordvik Sør']],
	['Storvågen ytre', ['Storvågen']],
	['Hav', ['Havøya']],
	['Ytre havoya', ['Havøya']],
	['lodz', ['Łódź']],
	...['Ha', 'Kobbvika', 'Søndre', '17-4', '1002', '', `Storvågen ${'x'.repeat(91)}`].map(
		(text): [string, string[]] => [text, []],
	),
	['Storvågen'.repeat(1_000_000), []],
])('the known names that are similar to %.40j are %j', (text, names) => {
	expect(similarTo(text)).toEqual(names);
});

it('the known names that are similar are three at most, the most similar first', () => {
	const names = ['Vika nord', 'Vikan', 'Vikar', 'Viken', 'Vika'];

	expect(similarTo('Vikan', names)).toEqual(['Vikan', 'Vika', 'Vikar']);
});
