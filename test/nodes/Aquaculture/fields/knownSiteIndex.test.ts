import { KnownSiteIndex } from '../../../../nodes/Aquaculture/fields/knownSiteIndex';
import { readKnownSites } from '../../../../shared/knownSites';

const indexOf = (...lines: string[]) => new KnownSiteIndex(readKnownSites(lines.join('\n')));
const INDEX = indexOf('1001 Storvågen', '1002 Nordvik Sør', '1003 Havøya', '17 17-3', '18');

describe('the known names that are similar to a text', () => {
	it.each<[string, string[]]>([
		['Storvagen', ['Storvågen']],
		['STORVA\u030aGEN  ', ['Storvågen']],
		['Storvaagen', ['Storvågen']],
		['nordvik', ['Nordvik Sør']],
		['Storvågen ytre', ['Storvågen']],
		['Hav', ['Havøya']],
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

	it('are found in no time for 200 texts among 5,000 sites', () => {
		const index = indexOf(
			...Array.from(
				{ length: 5000 },
				(_, number) => `${number} Lokalitet ${'x'.repeat(number % 30)} ${number}`,
			),
		);
		const beganAt = performance.now();

		for (let count = 0; count < 200; count++) {
			const text = `Lokalitat ${'y'.repeat(count % 30)} ${count}`;
			index.find(text);
			index.similarNames(text);
		}
		expect(performance.now() - beganAt).toBeLessThan(1000);
	});
});
