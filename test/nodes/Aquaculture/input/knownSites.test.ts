import fc from '../../../fixedSeed';
import { KnownSites } from '../../../../nodes/Aquaculture/input/knownSites';
import { accentlessKey } from '../../../../nodes/Aquaculture/input/nameKeys';

const STORVAGEN = { siteId: 1001, siteName: 'Storvågen Sør' };

const read = (text: unknown) => {
	const known = new KnownSites(text);
	return { sites: known.all(), unusableLines: known.unusableLines };
};
const readsAs = (...sites: object[]) => ({ sites, unusableLines: [] });
const doubtsIn = (text: string) => new KnownSites(text).listDoubtfulLines().map(({ line }) => line);

describe('the lines of Known Sites', () => {
	const SEPARATORS = [
		...['   ', '\t', ',', ', ', ';', '; ', ':', ': ', '|', ' | '],
		...[...'-\u2010\u2011\u2012\u2013\u2014\u2212'].map((dash) => ` ${dash} `),
	];
	const NAMES = [
		...['Storvågen Sør', '"Storvågen Sør"', '""Storvågen Sør""', "'Storvågen Sør'"],
		...['“Storvågen Sør”', '„Storvågen Sør“', '‘Storvågen Sør’', '»Storvågen Sør«'],
		...['"Storvågen\nSør"', '"Storvågen\r\nSør"', '"Storvågen\vSør"', ' Stor\u00advågen Sør '],
	];
	it.each(SEPARATORS)('reads ID and name with %j between them', (separator) => {
		for (const id of ['1001', '1001.0', '\u200b 1001']) {
			for (const name of NAMES) {
				const line = id + separator + name;
				expect({ line, ...read(line) }).toEqual({ line, ...readsAs(STORVAGEN) });
			}
		}
	});

	it.each([
		...['1001\tStorvågen Sør\tNord\t7', '1001;Storvågen Sør;Nord', ' 1001;Storvågen Sør; '],
		...['"1001","Storvågen Sør"', '"1001"; "Storvågen Sør";"7"', '"1001"\t"Storvågen Sør"'],
		...['1001,Storvågen Sør,M-H-0101', '1001,"Storvågen Sør",M-H-0101', '1001,Storvågen Sør,'],
		...['1001|Storvågen Sør|Nord', '1001 | Storvågen Sør |', '1001 Storvågen Sør | Nord'],
		...['1001, "Storvågen\nSør", "a\n7 b"', '1001\tStorvågen Sør\t"a\n7 b"'],
	])('ignores other columns of the line %j', (line) => {
		expect(read(line)).toEqual(readsAs(STORVAGEN));
	});

	it.each([
		['1001 Vik - nord', 'Vik - nord'],
		['1001 -5 meter', '-5 meter'],
		['1001 7 mile pen', '7 mile pen'],
		['1001 Storvågen 1002', 'Storvågen 1002'],
		['1001 Vågen, nord', 'Vågen, nord'],
		['1001,Vågen, nord', 'Vågen, nord'],
		['1001, Vågen,M', 'Vågen,M'],
		['1001,"Vågen,nord",M', 'Vågen,nord'],
		['1001;"Vågen; nord";M', 'Vågen; nord'],
		['1001,17-3', '17-3'],
		['1001 17-3', '17-3'],
		['1001\t"Mac Dara ""Deep"""', 'Mac Dara "Deep"'],
		['1001 Mac Dara ""Deep""', 'Mac Dara "Deep"'],
		['1001 "Vik\n3120 Nord"', 'Vik 3120 Nord'],
		['1001\t"Vik\n3120\tNord"', 'Vik 3120 Nord'],
		['1001 "Deep" site', '"Deep" site'],
		['1001\t""', null],
		['1001 "A" og "B"', '"A" og "B"'],
		["1001 Farmers'", "Farmers'"],
		["1001 St John's", "St John's"],
		['1001\t200 Nord', '200 Nord'],
		['1001\t200', '200'],
		[1001, null],
		['1001', null],
		['1001;', null],
		['1001;;Nord', null],
	])('reads from the line %j the name %j', (line, siteName) => {
		expect(read(line)).toEqual(readsAs({ siteId: 1001, siteName }));
	});

	it('ignores blank lines and accepts all line endings', () => {
		expect(
			read(
				'\n1001 Storvågen Sør\r\n\r\n  \n1002 Nord\r1003\u20281004\v1005\f1006\u00851007\u2029\n',
			),
		).toEqual(
			readsAs(
				STORVAGEN,
				{ siteId: 1002, siteName: 'Nord' },
				...[1003, 1004, 1005, 1006, 1007].map((siteId) => ({ siteId, siteName: null })),
			),
		);
	});

	it.each([
		...['Storvågen 1001', '1001Storvågen', '1001-Storvågen', '1001-1002', '"1001" Storvågen'],
		...[
			'"1001,0","Storvågen"',
			'"1 001";"Storvågen"',
			'"007","Vik"',
			'"1001, Storvågen"',
			'"13.000","A"',
		],
		...['1 001 Storvågen', '1,001 Storvågen', '1.001 Storvågen', "1'001 Storvågen"],
		...["'1001 Storvågen", '1.001E3 Storvågen', '1001. Storvågen'],
		...['1001,0;Storvågen', '1001,00 | Storvågen', '12,5 X', '1,2E+04 A', '7,2E+04', '13.000'],
		...['13.000 X', '1001.000 X', '1,00123E+11 B', '-1002 B', '- 1002 B', '3120 B”'],
		...['1001\t"Storvågen', '1001 “Storvågen', "1001, 'Storvågen", '7 B«'],
		...['1,2E-04 A', '1,5e05', '1,2 E+04', '1.2E+04 A', '10:30 Export', '1. 1002 B'],
		...['13\u00a0000 A', '13\u2009000', '13\u2019000 A', '1,00,123 A', '13.000,00 A'],
		...['1004 Totalt', '1004;Sum', '1004 - total: 58', '1004\tSUM'],
		...['007 Storvågen', '9007199254740993 Storvågen', '1.5 Storvågen', 'Site ID\tName', '; 1001'],
	])('leaves out a line that does not begin with one clear ID: %j', (text) => {
		const { sites, unusableLines } = read(`1001 Storvågen\n\n${text}\n1002 Nordvik`);

		expect(sites.map(({ siteId }) => siteId)).toEqual([1001, 1002]);
		expect(unusableLines).toEqual([{ line: 3, text }]);
	});

	it.each(["''", '\u2018\u2019', '\u201a\u2018', '\u201c\u201d', '\u201e\u201c', '\u00ab\u00bb'])(
		'reads lines between the quotes %j as one, and doubts that it is one site',
		(quotes) => {
			const [open, close] = quotes;
			for (const list of [
				`1001 ${open}A\n3120 B${close}`,
				`1001\t${open}A\n3120 B${close}\tNord`,
				`1001;${open}A\n3120 St John's\n3121\tC${close}; Nord`,
				`1001 ${open}A\n3120 B${close} nord`,
				`1001 Vik ${open}A\n3120 B${close}`,
			]) {
				const { sites, unusableLines } = read(`7 Vik\n${list}\n1002 Farmers'`);

				expect({ list, ids: sites.map(({ siteId }) => siteId) }).toEqual({
					list,
					ids: [7, 1001, 1002],
				});
				expect(unusableLines).toEqual([]);
				expect(doubtsIn(list)).toEqual([1]);
			}
		},
	);

	it('reads no site from a line within quotes', () => {
		expect(read("1001;A;'B\n3120 C'")).toEqual(readsAs({ siteId: 1001, siteName: 'A' }));
		expect(read('A, “B\n3120 C”')).toMatchObject({ sites: [], unusableLines: [{ line: 1 }] });
	});

	it.each([
		"1001 'A\n3120 Farm's",
		"1001 'A\n3120 'B'",
		"1001 'A\n3120 B\n3121 'C'",
		'1001 "A\n3120 B',
	])('leaves out only the line whose quotation mark no other line closes: %j', (list) => {
		expect(read(list).unusableLines).toMatchObject([{ line: 1 }]);
	});

	it('does not take apostrophes of names that are many lines apart for quotes', () => {
		const { sites, unusableLines } = read("20 't Hoff\n21 Nord\n22 Sør\n97 Farmers'");

		expect(sites.map(({ siteId }) => siteId)).toEqual([21, 22, 97]);
		expect(unusableLines).toEqual([{ line: 1, text: "20 't Hoff" }]);
	});

	it.each(['\t58', '\t\t12480', '\t1002 Nord'])('leaves out a row without an ID: %j', (row) => {
		expect(read(`1001\tStorvågen Sør\t780\n${row}\n`)).toEqual({
			...readsAs(STORVAGEN),
			unusableLines: [{ line: 2, text: row.trim() }],
		});
	});

	it('reads lines that a tab indents', () => {
		expect(read('\tSite ID\n\n\t1001 Storvågen Sør\n \t1001 Storvågen Sør\t58')).toEqual(
			readsAs(STORVAGEN),
		);
	});

	it.each([
		...['1001,1002,1003', '1001; 1002; 1003', '1001 1002 1003', '1001, 7,'],
		...['101 200', '1 001', '1001,0', '1001 -1003', '1001 - 1003', '1001 \u2013 1003'],
		...['1001 & 1002', '1001 + 1002', '1001 / 1002', '7 ... 9', '7 | 8', '7 * 8'],
		...['"1001","1002"', '"1001";"1002";"1003"', '"1001", "1002"'],
	])('leaves out a line of several numbers: %j', (text) => {
		expect(read(`${text}\n7 Nord`)).toEqual({
			...readsAs({ siteId: 7, siteName: 'Nord' }),
			unusableLines: [{ line: 1, text }],
		});
	});

	it.each([
		...['Site ID\tName', 'siteId,siteName', 'ID;Navn', '"ID","Name"', 'ID Navn', 'Code'],
		...['Lokalitetsnr.,Kommune', 'Kommune|LOKALITET', 'Kommune;site_code', 'LOK_NR;LOK_NAVN'],
		...['lokNr,lokNavn', 'localityNo;localityName', 'Lok. nr.\tLokalitet', 'Nr;Namn', 'Loc ID'],
	])('skips the headings %j', (header) => {
		expect(read(`\n${header}\n1001 Storvågen Sør`)).toEqual(readsAs(STORVAGEN));
		expect(read(header).unusableLines).toEqual([{ line: 1, text: header }]);
	});

	it.each([
		...['Storvågen Sør', 'Storvågen, nord', 'Storvågen\tHavøya', 'Idse, nord', 'Sitel;Codex'],
		...['Nummer1, Nord', 'Storvågen, -'],
	])('leaves out the first line %j, which has no heading', (text) => {
		expect(read(`${text}\n1002 Nord`).unusableLines).toEqual([{ line: 1, text }]);
	});

	it('skips headings in cells with line breaks', () => {
		expect(read('"Site\nID"\t"Site\nname"\n1001 Storvågen Sør')).toEqual(readsAs(STORVAGEN));
	});

	it('counts the lines of the field, also within cells and after Windows line breaks', () => {
		const text = '1001\t"A\r\n\r\nB"\r\nVik\r\n1002 "C\r\nD"\r\n7,100 E';

		expect(read(text).unusableLines).toEqual([
			{ line: 4, text: 'Vik' },
			{ line: 7, text: '7,100 E' },
		]);
	});

	it.each([
		...['1001 Storvågen 1002', '1001 A, 1002 B', '1001 A; 1002 B', '7 A, 8 B', '7: 1002 B'],
		...['1\t1002\tB', '28 November 2026', '1001 "A\n3120 B"', '1001\t"A\n\n1002\tB"'],
		...['7 Nord 10 Havøya', '7 A | 8 B', '7 A og 8 B', '7 A and 8 - B', '7 A\t8, B', '7 Vik, 10'],
		...['1001;A;1002;B', '9\tA\t10\tB\t11\tC', '"1"\t"1001"', '7 | A | 8 | (B)'],
		...['"1","1001","Vik"', '"1";"1001 Vik"', '"7","8","Nord"', '"1001","Vik","1002","Nord"'],
		...['7;;A;8;;B', '7;8;Nord', '1 Storvågen (1001)', '1001 Vik/1002 Nord', '7 Vik&8 Nord'],
		...['1001 "Vik" 1002 "Nord"', "7 'Vik' 8 'Nord'", '7 «Vik», 8 «Nord»', '7 ‘Vik’ / 8 ‘Nord’'],
		...['7 og 8', '1001, 1002 and 1003', '7 til 9', '2 of 3', '1001 Eller 1002', '7, 8 y 9'],
	])('reads one site from %j, and doubts that it is one', (text) => {
		for (const line of [text, `5 Vik\n${text}`]) {
			const { sites, unusableLines } = read(line);
			const count = line.split('\n').length - text.split('\n').length + 1;

			expect({ sites, unusableLines }).toMatchObject({
				sites: { length: count },
				unusableLines: [],
			});
			expect(doubtsIn(line)).toEqual([count]);
		}
	});

	it('doubts pairs of columns with IDs, but not columns whose numbers repeat', () => {
		expect(doubtsIn('11\tA\t12\tB\n13\tC\t14\tD\n15\tE')).toEqual([1, 2]);
		expect(doubtsIn('11\tA\t12\tX\n13\tB\t12\tX\n15\tC\t14\tY')).toEqual([]);
		// Organisation numbers and phone numbers do not repeat, but are longer.
		expect(doubtsIn('1001\tA\t943172766\tX\n1002\tB\t915261608\tY')).toEqual([]);
	});

	it.each([
		...['3', '3 sites', '3 treff', '3 Totalt', '3 Total: 2340', '3\tTotal', '3: lokaliteter'],
		...['   3', '3\t\t', '3, totalt', '3 - sum', '3 of 3', '3 Sum', '3 Treff', '3\tAnlegg'],
	])('leaves out the first or last line %j, which counts the others', (total) => {
		const text = total.trim();
		for (const sites of ['1001 Vik\n1002\tSør\n1003 Nord', '1001\n1002\n1003']) {
			for (const [line, list] of [
				[1, `${total}\n${sites}`],
				[4, `${sites}\n${total}`],
				[4, `${sites}\n${total}\nKilde: registeret`],
			] as const) {
				const known = new KnownSites(list);

				expect(known.all().map(({ siteId }) => siteId)).toEqual([1001, 1002, 1003]);
				expect(known.unusableLines[0]).toEqual({ line, text });
				expect(known.listDoubtfulLines()).toEqual([]);
			}
		}
	});

	it('counts lines without an ID, too, for a total', () => {
		expect(read('7\tVik\n\tSør\n9\tNord\n3 sites').unusableLines).toHaveLength(2);
		expect(read('7\tVik\n\tSør\n9\tNord\n2 sites').unusableLines).toHaveLength(2);
	});

	it.each(['58 treff', '12 items', '58 totalt', '12480 kg', '58', '   12'])(
		'leaves out the first or last line %j, which has neither a name nor the digits of an ID',
		(total) => {
			expect(read(`1001 Vik\n1002\tSør\n${total}`).unusableLines).toMatchObject([{ line: 3 }]);
			expect(read(`${total}\n1002\tSør\n1003 Nord`).unusableLines).toMatchObject([{ line: 1 }]);
		},
	);

	it('leaves out a last line that counts the others and has no name', () => {
		expect(read('7 Vik\n8 Nord\n2 sites').unusableLines).toMatchObject([{ line: 3 }]);
	});

	it.each([
		...['7\n8\n2', '7 vik\n8 nord\n2 ytre', '7 Vik\n8 Nord\n2 Sør'],
		...['1001 Vik\n1002 Nord\n1003', '1001 Vik\n1002 Nord\n1003 ytre', '999 Vik\n1000 Nord'],
		...['1001 Vik\n1002 Nord\n2 "Sør"', '1001 Vik\n1002 Nord\n58 "sites"'],
	])('reads a last line that has one sign of a total, or a name in quotes: %j', (list) => {
		expect(new KnownSites(list)).toMatchObject({ unusableLines: [] });
		expect(doubtsIn(list)).toEqual([]);
	});

	it.each([
		...['1001 Merd 2', '1001 "Storvågen 1002"', '1001;\u201cVik 1002\u201d ;Nord', '1001 17-300'],
		...['1001 M-H-0101', '1001\tVik\t1002', '1001;Vik;1002 B', '1001 "A\nB"', '1001 Vik, nord'],
		...['12 Havøya 2', '7 Nord 10', '1001 vik\n1002 nord', "1001 'Nord 200'", '1 A\n2 B\n3 C'],
		...['10029 Vik 200 nord\n10030 Sør', '1001 Vik 3,5 km', '10029\tA\t1149\tKarmøy\n10030 B'],
		...['1001\n1002', '1001', '1001 vik', '98 A\n99 B\n100 C', '0 A'],
		...['1001;Vik;1149;Karmøy;Nord', '10029;Vik;1149;Karmøy', '1001 Vik F1002'],
		...['1001 Vik 2026-11-28', '1001 Vik 2026.11', '1001 Vik 28.11.2026', '1001 Vik (1001)'],
		...['1001 "Total"', '1001 Sumarøy', '1001 Vik 2 nord', '7 Vik nr. 10'],
		...['"1001","Vik 2"\n"1002","Nord, ytre"', '"1001"'],
	])('has no doubt about %j', (text) => {
		expect(new KnownSites(text)).toMatchObject({ unusableLines: [] });
		expect(doubtsIn(text)).toEqual([]);
	});

	it('leaves out a first line of two million characters', () => {
		const text = 'no'.repeat(1_000_000) + 'x';

		expect(read(`${text}\n1002 Nord`).unusableLines).toEqual([{ line: 1, text }]);
	});

	it('uses the first line with an ID and leaves out one with another name', () => {
		expect(read('1001 Nordvik\n1001 Another name\n1002 NORDVIK\n1001, Nordvik')).toEqual({
			sites: [
				{ siteId: 1001, siteName: 'Nordvik' },
				{ siteId: 1002, siteName: 'NORDVIK' },
			],
			unusableLines: [{ line: 2, text: '1001 Another name' }],
		});
	});

	it.each([undefined, null, '', [7], {}])('finds no sites in %j', (input) => {
		expect(read(input)).toEqual(readsAs());
	});

	it('reads any text without an error', () => {
		fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void new KnownSites(text)));
	});

	it.each([' ', ',', ';', '\t', '. ', 'a', '1', '"'])('reads 300,000 %j in linear time', (part) => {
		const long = part.repeat(300_000);
		const lines = [`1001${long}`, `1001 a${long}b`, `${long}1001 a`, `1001${long}a`];

		for (const line of lines) {
			const { sites, unusableLines } = read(line);
			expect(sites.length + unusableLines.length).toBe(1);
		}
	});
});

describe('KnownSites', () => {
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
		['\ufb01skeri', 'Fiskeri'],
		['Vik １', 'vik 1'],
		...[...'\u2018\u2019\u201b\u2032\u02b9\u02bb\u02bc\u00b4`\uff07'].map(
			(mark): [string, string] => ["St John's", `St John${mark}s`],
		),
		['St John\u2019s', "st john's (1)"],
		...[...'\u2010\u2011\u2012\u2013\u2014\u2212\uff0d'].map((dash): [string, string] => [
			'17-3',
			`17${dash}3`,
		]),
		['Nord \u2013 Sør', 'Nord - Sør'],
		['Großsee', 'GROSSSEE'],
	])('finds the name %j by %j', (name, text) => {
		expect(idsOf(`1\t${name}`, text)).toEqual([1]);
	});

	it.each([
		[
			'Kråkøya Ærø Đurđevac Þórshöfn Reyðarfjörður',
			'krakoya aero durdevac thorshofn reydarfjordur',
		],
		['Œuvre Straße Straẞe Ĳmuiden', 'oeuvre strasse strasse ijmuiden'],
		['Deatnu Ŧana Biŋŋá Čeavetjäuʹrr', "deatnu tana binna ceavetjau'rr"],
	])('finds %s by plain letters', (name, plain) => {
		expect([accentlessKey(name), idsOf(`1\t${name}`, plain)]).toEqual([plain, [1]]);
	});

	it('prefers exact names, and otherwise ignores accents', () => {
		const sites = '1 Vik\n2 Vík\n3 Ås\n4 Äs';

		expect(idsOf(sites, 'vik')).toEqual([1]);
		expect(idsOf(sites, 'vík')).toEqual([2]);
		expect(idsOf(sites, 'as')).toEqual([3, 4]);
	});

	it('finds all sites that share a name, and each by its label', () => {
		expect(idsOf('1 Vik\n2 VIK', 'vik')).toEqual([1, 2]);
		expect(idsOf('1 Vik\n2 VIK', 'Vik (2)')).toEqual([2]);
		expect(idsOf('1 Vik (2)\n2 VIK', 'Vik (2)')).toEqual([1, 2]);
	});
});
