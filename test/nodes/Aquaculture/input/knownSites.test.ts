import fc from '../../../fixedSeed';
import { accentlessKey, KnownSites } from '../../../../nodes/Aquaculture/input/knownSites';

const STORVAGEN = { siteId: 1001, siteName: 'Storvågen Sør' };

const read = (text: unknown) => {
	const known = new KnownSites(text);
	return { sites: known.all(), unusableLines: known.unusableLines };
};
const readsAs = (...sites: object[]) => ({ sites, unusableLines: [] });
/** Returns the IDs, and the numbers of the lines that add no site. */
const summarise = (text: string) => {
	const { sites, unusableLines } = read(text);
	return {
		ids: sites.map(({ siteId }) => siteId),
		unusable: unusableLines.map(({ line }) => line),
	};
};

describe('the lines of Known Sites', () => {
	const SEPARATORS = [
		...['   ', '\t', ',', ', ', ';', '; ', ':', ': ', '|', ' | '],
		...[...'-\u2010\u2011\u2012\u2013\u2014\u2212'].map((dash) => ` ${dash} `),
	];
	const NAMES = [
		...['Storvågen Sør', '"Storvågen Sør"', "'Storvågen Sør'", ' Stor\u00advågen Sør '],
		...['“Storvågen Sør”', '„Storvågen Sør“', '‘Storvågen Sør’', '»Storvågen Sør«'],
		...['"Storvågen\nSør"', '"Storvågen\r\nSør"', '"Storvågen\vSør"'],
	];
	it.each(SEPARATORS)('reads ID and name with %j between them', (separator) => {
		for (const id of ['1001', '1001.0', '"1001"', '\u200b 1001']) {
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
		...['1001|Storvågen Sør|Nord', '1001 | Storvågen Sør |', '1001\tStorvågen Sør\t"a\n7 b"'],
	])('ignores other columns of the line %j', (line) => {
		expect(read(line)).toEqual(readsAs(STORVAGEN));
	});

	it.each([
		...['Vik - nord', 'Vågen, nord', '"Deep" site', '"A" og "B"', 'Mac Dara "Deep"', 'Vik/Nord'],
		...["Farmers'", "'t Hoff", "St John's", 'Sumarøy', 'Totalvika', 'vik'],
		...[
			'7 mile pen',
			'Merd 2',
			'Vik 200',
			'Vik 3,5 km',
			'M-H-0101',
			'F1002',
			'Vik 28.11.2026',
			'Vik 1001',
		],
	])('reads the name %j', (siteName) => {
		expect(read(`1001 ${siteName}`)).toEqual(readsAs({ siteId: 1001, siteName }));
	});

	it.each([
		['1001,Vågen, nord', 'Vågen, nord'],
		['1001,"Vågen,nord",M', 'Vågen,nord'],
		['1001;"Vågen; nord";M', 'Vågen; nord'],
		['1001\t"Mac Dara ""Deep"""', 'Mac Dara "Deep"'],
		['1001\t"Vik\n312\tNord"', 'Vik 312 Nord'],
		...['1001 "Vik 1002"', '1001\tVik 1002', '1001;Vik 1002;M', '1001 | Vik 1002'].map(
			(line): [string, string] => [line, 'Vik 1002'],
		),
		['1001\tVik\t1002', 'Vik'],
		['1001,"Vik", 780', 'Vik'],
		['1001\t""', null],
		['1001;;Nord', null],
		['1001;', null],
		['1001', null],
		[1001, null],
	])('reads from the line %j the name %j', (line, siteName) => {
		expect(read(line)).toMatchObject({ sites: [{ siteName }], unusableLines: [] });
	});

	it('ignores blank lines and accepts all line endings', () => {
		const lines = '\n1001 A\r\n\r\n  \n1002 B\r1003\u20281004\v1005\f1006\u00851007\u2029\n';

		expect(summarise(lines)).toEqual({
			ids: [1001, 1002, 1003, 1004, 1005, 1006, 1007],
			unusable: [],
		});
	});

	it.each([
		...['Storvågen 1001', '1001Storvågen', '1001-Storvågen', '1001-1002', '; 1001', 'ID\tName'],
		...['1001. Storvågen', '1. 1002 B', '-1002 B', '- 1002 B', '10:30 Export', '007 Storvågen'],
		...['1 001 Storvågen', '1,001 Storvågen', '1.001 Storvågen', "1'001 Storvågen", '13.000'],
		...['13\u00a0000 A', '13\u2009000', '13\u2019000 A', '1,00,123 A', '13.000,00 A', '13.000 X'],
		...['1001,0;Storvågen', '1001,00 | Storvågen', '12,5 X', '1.5 Storvågen', '"1001,0","Vik"'],
		...['1,2E+04 A', '7,2E+04', '1,2E-04 A', '1,5e05', '1,2 E+04', '1.2E+04 A', '1.001E3 Vik'],
		...['"1 001";"Vik"', '"007","Vik"', '"1001, Vik"', '"13.000","A"', "'1001 Storvågen"],
		...['9007199254740993 Storvågen', '1004 Totalt', '1004;Sum', '1004 - total: 58'],
	])('leaves out the line %j, which does not begin with one clear ID', (text) => {
		expect(read(`1001 Storvågen\n\n${text}\n1002 Nordvik`)).toMatchObject({
			sites: [{ siteId: 1001 }, { siteId: 1002 }],
			unusableLines: [{ line: 3, text }],
		});
	});

	it.each([
		...[
			'1001,1002,1003',
			'1001;1002',
			'1001 1002',
			'101 200',
			'1001\t200',
			'1001 17-3',
			'1001 "7"',
		],
		...['1001 -1003', '1001 - 1003', '1001 /1002', '7 ... 9', '"1001","1002"', '1;1001;Vik'],
	])('leaves out the line %j, whose name has no letter', (text) => {
		expect(summarise(`5 Vik\n${text}`)).toEqual({ ids: [5], unusable: [2] });
	});

	it.each([
		...['7 og 8', '1001, 1002 and 1003', '1001 Vik 1002', '7 Merd 2', '7, Vik, 10', '7 Vik&8 Nord'],
		...['1001 A, 1002 B', '1001 A; 1002 B', '7 A | 8 B', '28 November 2026', '1 Vik (1001)'],
		...[
			'1001 "Vik" 1002 "Nord"',
			'1001 “Vik 1002”',
			'7 «Vik», 8 «Nord»',
			'1;1001 Vik',
			'1001 “Vik',
		],
		...['"1";"1001 Vik"', '1001 "A\n3120 B"', '1001\t"A\n\n1002\tB"', '1001 Vik "A\n3120 B"'],
	])('leaves out the line %j, because another number may be an ID', (text) => {
		expect(summarise(`5 Vik\n${text}`)).toEqual({ ids: [5], unusable: [2] });
	});

	it('leaves out a line of two sites, whatever is between them', () => {
		const id = fc.integer({ min: 100, max: 999 });
		const joint = fc.stringMatching(/^[ ,;:|/&+"'“”«»\-\tA-Ca-c]{0,4} $/);
		fc.assert(
			fc.property(id, joint, id, (one, between, two) => {
				fc.pre(one !== two);
				const line = `${one} Vik${between}${two} Nord`;

				expect([line, summarise(line)]).toEqual([line, { ids: [], unusable: [1] }]);
			}),
		);
	});

	it.each(['\t58', '\t\t12480', '\t1002 Nord'])('leaves out a row without an ID: %j', (row) => {
		expect(summarise(`1001\tVik\t780\n${row}`)).toEqual({ ids: [1001], unusable: [2] });
	});

	it('reads lines that a tab indents', () => {
		expect(read('\tSite ID\n\n\t1001 Storvågen Sør\n \t1001 Storvågen Sør')).toEqual(
			readsAs(STORVAGEN),
		);
	});

	it.each([
		...['Site ID\tName', 'siteId,siteName', 'ID;Navn', '"ID","Name"', 'ID Navn', 'Code'],
		...['Lokalitetsnr.,Kommune', 'Kommune|LOKALITET', 'Kommune;site_code', 'LOK_NR;LOK_NAVN'],
		...['lokNr,lokNavn', 'localityNo;localityName', 'Lok. nr.\tLokalitet', 'Nr;Namn', 'Loc ID'],
		'"Site\nID"\t"Site\nname"',
	])('skips the headings %j', (header) => {
		expect(read(`\n${header}\n1001 Storvågen Sør`)).toEqual(readsAs(STORVAGEN));
		expect(summarise(header)).toEqual({ ids: [], unusable: [1] });
	});

	it.each([
		...['Storvågen Sør', 'Storvågen, nord', 'Storvågen\tHavøya', 'Idse, nord', 'Sitel;Codex'],
		...['Nummer1, Nord', 'Storvågen, -'],
	])('leaves out the first line %j, which has no heading', (text) => {
		expect(read(`${text}\n1002 Nord`).unusableLines).toEqual([{ line: 1, text }]);
	});

	it('counts the lines of the field, also within cells and after Windows line breaks', () => {
		const text = '1001\t"A\r\n\r\nB"\r\nVik\r\n1002 "C\r\nD"\r\n7,100 E';

		expect(summarise(text)).toEqual({ ids: [1001, 1002], unusable: [4, 7] });
	});

	it.each([
		...['3 sites', '3: lokaliteter', '   3\tAnlegg', '2 fish farms.', '58 treff'],
		...['58 - sum', '12480\tTotalt'],
	])('leaves out %j, which is a total', (total) => {
		expect(summarise(`1001 Vik\n${total}\n1003 Nord`)).toEqual({
			ids: [1001, 1003],
			unusable: [2],
		});
	});

	it.each(['7 vik\n1001 Nord', '1001 Vik\n58', '1001 "Sites"\n1002 Anlegg Vik', '7\n8\n2', '0 A'])(
		'reads all lines of %j, of which none is a total',
		(list) => {
			expect(summarise(list).unusable).toEqual([]);
		},
	);

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

	it.each([' ', ',', ';', '\t', '. ', 'a', 'A', '1', '"'])(
		'reads 300,000 %j in linear time',
		(part) => {
			const long = part.repeat(300_000);
			const lines = [`1001${long}`, `1001 a${long}b`, `${long}1001 a`, `1001${long}a`];

			for (const line of lines) {
				const { sites, unusableLines } = read(line);
				expect(sites.length + unusableLines.length).toBe(1);
			}
		},
	);
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
			'F17-3',
			`F17${dash}3`,
		]),
		['Nord \u2013 Sør', 'Nord - Sør'],
		['Großsee', 'GROSSSEE'],
		['Vik № 5', 'vik no 5'],
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
		expect(idsOf('1 "Vik (2)"\n2 VIK', 'Vik (2)')).toEqual([1, 2]);
	});
});
