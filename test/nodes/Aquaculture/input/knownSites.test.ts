import fc from '../../../fixedSeed';
import { KnownSites } from '../../../../nodes/Aquaculture/input/knownSites';

const STORVAGEN = { siteId: 1001, siteName: 'Storvågen Sør' };

/** What is read from a text, beside the sites with their IDs and names. */
const read = (text: unknown) => {
	const sites = new KnownSites(text);
	const { linesLeftOut, linesRepeated } = sites;
	return { sites: sites.all(), linesLeftOut, linesRepeated };
};
const readsAs = (...sites: object[]) => ({ sites, linesLeftOut: [], linesRepeated: [] });

it.each([
	...['1001   Storvågen Sør', '1001\tStorvågen Sør', '1001, Storvågen Sør', '1001,Storvågen Sør'],
	...[' 1001;Storvågen Sør; ', '1001:Storvågen Sør', '1001: Storvågen Sør', '1001.0;Storvågen Sør'],
	...['1001 | Storvågen Sør', '1001|Storvågen Sør'],
	...['-', '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2212'].map(
		(dash) => `1001 ${dash} Storvågen Sør`,
	),
	...['1001\tStorvågen Sør\tNord\t7', '1001;Storvågen Sør;Nord', '\u200b1001 Stor\u00advågen Sør'],
	...['1001 "Storvågen Sør"', "1001 'Storvågen Sør'", '1001\t\u201cStorvågen Sør\u201d'],
	...['1001 \u201eStorvågen Sør\u201c', '1001 \u2018Storvågen Sør\u2019', '1001 »Storvågen Sør«'],
])('a line is an ID, an optional separator and a name: %j', (line) => {
	expect(read(line)).toEqual(readsAs(STORVAGEN));
});

it.each([
	['1001 Vik - nord', 'Vik - nord'],
	['1001 -5 meter', '-5 meter'],
	['1001 7 mile pen', '7 mile pen'],
	['1001 Vågen, nord', 'Vågen, nord'],
	['1001 "A" og "B"', '"A" og "B"'],
	["1001 St John's", "St John's"],
	['1001\t200 Nord', '200 Nord'],
	['1001\t200', '200'],
	['1001', null],
	['1001;', null],
	['1001;;Nord', null],
])('the name in the line %j is %j', (line, siteName) => {
	expect(read(line)).toEqual(readsAs({ siteId: 1001, siteName }));
});

it('blank lines do not count, and lines may end in any way', () => {
	expect(read('\n1001 Storvågen Sør\r\n\r\n  \n-2 Nord\r1003\u20281004\n')).toEqual(
		readsAs(
			STORVAGEN,
			{ siteId: -2, siteName: 'Nord' },
			{ siteId: 1003, siteName: null },
			{ siteId: 1004, siteName: null },
		),
	);
});

it.each([
	...['Storvågen 1001', '1001Storvågen', '1001-Storvågen', '1001-1002', '"1001","Storvågen"'],
	...['1 001 Storvågen', '1,001 Storvågen', '1.001 Storvågen', "1'001 Storvågen", '101 200'],
	...['1001,1002,1003', '1001; 1002', '1001 1002 1003', '1001, 7,'],
	...['1001,0', '1001,0;Storvågen', '1001,00 | Storvågen'],
	...['007 Storvågen', '9007199254740993 Storvågen', '1.5 Storvågen', 'Site ID\tName', '; 1001'],
])('a line without an ID at its beginning is left out: %j', (text) => {
	const { sites, linesLeftOut } = read(`1001 Storvågen\n\n${text}\n1002 Nordvik`);

	expect(sites.map(({ siteId }) => siteId)).toEqual([1001, 1002]);
	expect(linesLeftOut).toEqual([{ line: 3, text }]);
});

it.each(['Site ID\tName', 'siteId,siteName', 'ID;Navn'])(
	'a first line of columns without a digit is a header if other lines follow: %j',
	(header) => {
		expect(read(`\n${header}\n1001 Storvågen Sør`)).toEqual(readsAs(STORVAGEN));
		expect(read(header).linesLeftOut).toEqual([{ line: 1, text: header }]);
	},
);

it.each(['Storvågen Sør', 'Lokalitet', 'ID Navn'])(
	'a first line without an ID is left out: %j',
	(text) => {
		expect(read(`${text}\n1002 Nord`).linesLeftOut).toEqual([{ line: 1, text }]);
	},
);

it('the first line with an ID names its site, and others are repeated lines', () => {
	expect(read('1001 Nordvik\n1001 Another name\n1002 NORDVIK')).toEqual({
		sites: [
			{ siteId: 1001, siteName: 'Nordvik' },
			{ siteId: 1002, siteName: 'NORDVIK' },
		],
		linesLeftOut: [],
		linesRepeated: [{ line: 2, text: '1001 Another name' }],
	});
});

it.each([undefined, null, '', [7], {}])('%j contains no sites', (input) => {
	expect(read(input)).toEqual(readsAs());
	expect(new KnownSites(input).isEmpty).toBe(true);
});

it('a number, which an expression may give, is a line', () => {
	expect(read(1001)).toEqual(readsAs({ siteId: 1001, siteName: null }));
});

it('any text is read without an exception', () => {
	fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void new KnownSites(text)));
});

it.each([' ', ',', ';', '\t', '. ', 'a', '1', '"'])(
	'lines with a million times %j are read without delay',
	(part) => {
		const long = part.repeat(1_000_000);
		const lines = [`1001${long}`, `1001 a${long}b`, `${long}1001 a`, `1001${long}a`];

		for (const line of lines) {
			const { sites, linesLeftOut } = read(line);
			expect(sites.length + linesLeftOut.length).toBe(1);
		}
	},
);

const idsOf = (knownSites: string, text: string) => new KnownSites(knownSites).find(text);

it.each([
	['Storvågen', 'STORVÅGEN'],
	['Storvågen', ' storva\u030agen\u00a0'],
	['Stor vågen', 'stor \u00a0 vågen'],
	['Storvågen', 'Stor\u200bvågen'],
	['Storvågen', 'Storvagen'],
	['Storvågen', 'storvagen (1)'],
	['\u0390', '\u0399\u0308\u0301'],
	['ŊÁRGA', 'ŋárga'],
	['ΛΙΜΕΝΑΣ', 'λιμενας'],
	['ЁЛКА', 'елка'],
	['Kråkøya', 'krakoya'],
	['Ærø', 'AERO'],
	['Đurđevac', 'durdevac'],
	['Þórshöfn', 'Thorshofn'],
	['Reyðarfjörður', 'reydarfjordur'],
	['Łódź', 'lodz'],
	['İzmir', 'izmir'],
	['Işıklı', 'isikli'],
])('the name %j is found by %j', (name, text) => {
	expect(idsOf(`1\t${name}`, text)).toEqual([1]);
});

it('an exact name is found before one without accents, which must be the only one', () => {
	const sites = '1 Vik\n2 Vík\n3 Ås\n4 Äs';

	expect(idsOf(sites, 'vik')).toEqual([1]);
	expect(idsOf(sites, 'vík')).toEqual([2]);
	expect(idsOf(sites, 'as')).toEqual([]);
});

it('sites that share a name are all found, and each by its label', () => {
	expect(idsOf('1 Vik\n2 VIK', 'vik')).toEqual([1, 2]);
	expect(idsOf('1 Vik\n2 VIK', 'Vik (2)')).toEqual([2]);
	expect(idsOf('1 Vik (2)\n2 VIK', 'Vik (2)')).toEqual([1, 2]);
});

const NAMES = ['Storvågen', 'Nordvik Sør', 'Havøya', '17-3', 'Łódź'];
const similarTo = (text: string, names = NAMES) =>
	new KnownSites(names.map((name, index) => `${index}\t${name}`).join('\n')).similarNames(text);

it.each<[string, string[]]>([
	['STORVA\u030aGEN  ', ['Storvågen']],
	['Storvaagen', ['Storvågen']],
	['nordvik', ['Nordvik Sør']],
	['Storvågen ytre', ['Storvågen']],
	['Hav', ['Havøya']],
	['Ytre havoya', ['Havøya']],
	['lodz', ['Łódź']],
	...['Ha', 'Kobbvika', 'Søndre', '17-4', '1002', ''].map((text): [string, string[]] => [text, []]),
])('the known names that are similar to %j are %j', (text, names) => {
	expect(similarTo(text)).toEqual(names);
});

it('a short known name is similar to one with another letter', () => {
	expect(similarTo('Vig', ['Vik', 'Nord'])).toEqual(['Vik']);
});

it('the known names that are similar are three at most, the most similar first, each once', () => {
	const names = ['Vika nord', 'Vikan', 'Vikar', 'Viken', 'Vika', 'Vika'];

	expect(similarTo('Vikan', names)).toEqual(['Vikan', 'Vika', 'Vikar']);
});
