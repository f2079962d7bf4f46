import { SimilarNames } from '../../../../nodes/Aquaculture/sites/similarNames';

const NAMES = ['Storvågen', 'Nordvik Sør', 'Havøya', '17-3', 'Łódź'];
const similarTo = (text: string, names = NAMES) => new SimilarNames().to(text, names);

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
])('the known names that are similar to a text are for %j: %j', (text, names) => {
	expect(similarTo(text)).toEqual(names);
});

it('the known names that are similar to a text are three at most, the most similar first', () => {
	const names = ['Vika nord', 'Vikan', 'Vikar', 'Viken', 'Vika'];

	expect(similarTo('Vikan', names)).toEqual(['Vikan', 'Vika', 'Vikar']);
});

it('the known names that are similar to a text are not looked for where the text is long, there are more than a thousand names, or after twenty texts', () => {
	expect(similarTo('Storvågen'.repeat(1_000_000))).toEqual([]);
	expect(similarTo('Storvagen', [...NAMES, ...Array<string>(1000).fill('Vik')])).toEqual([]);
	const similar = new SimilarNames();
	const found = Array.from({ length: 21 }, () => similar.to('Storvagen', NAMES).length);
	expect(found).toEqual([...Array<number>(20).fill(1), 0]);
});
