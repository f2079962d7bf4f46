import { KnownSiteIndex } from '../../../../nodes/Aquaculture/fields/knownSiteIndex';
import { readKnownSites } from '../../../../shared/knownSites';

const indexOf = (...lines: string[]) => new KnownSiteIndex(readKnownSites(lines.join('\n')));
const INDEX = indexOf(
	'1001 Storvågen',
	'1002 Nordvik Sør',
	'1003 Havøya',
	'17 17-3',
	'18',
	'19 Łódź',
);

describe('the known names that are similar to a text', () => {
	it.each<[string, string[]]>([
		['Storvagen', ['Storvågen']],
		['STORVA\u030aGEN  ', ['Storvågen']],
		['Storvaagen', ['Storvågen']],
		['nordvik', ['Nordvik Sør']],
		['Storvågen ytre', ['Storvågen']],
		['Hav', ['Havøya']],
		['Ytre havoya', ['Havøya']],
		['lodz', ['Łódź']],
		['Ha', []],
		['Kobbvika', []],
		['Søndre', []],
		['17-4', []],
		['18 ', []],
		['1002', []],
		['', []],
		[`Storvågen ${'x'.repeat(91)}`, []],
	])('are for %j: %j', (text, names) => {
		expect(INDEX.similarNames(text)).toEqual(names);
	});

	it('are three at most, the most similar first', () => {
		const index = indexOf('1 Vika nord', '2 Vikan', '3 Vikar', '4 Viken', '5 Vika');

		expect(index.similarNames('Vikan')).toEqual(['Vikan', 'Vika', 'Vikar']);
	});

	it('are not looked for where the text is long, and are three at most of thousands', () => {
		const index = indexOf(
			...Array.from({ length: 5000 }, (_, number) => {
				return `${number} Lokalitet ${'x'.repeat(number % 30)} ${number}`;
			}),
		);
		const texts = Array.from({ length: 200 }, (_, number) => `Lokalitat ${number}`);

		for (const text of ['x'.repeat(8_000_000), ...texts]) {
			expect(index.find(text)).toEqual([]);
			expect(index.similarNames(text).length).toBeLessThanOrEqual(3);
		}
	});
});
