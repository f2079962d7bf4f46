import fc from '../../../fixedSeed';
import { nameKey, readKnownSites } from '../../../../nodes/Aquaculture/input/knownSites';

it.each([
	'1001   Storvågen Sør',
	'1001\tStorvågen Sør',
	'1001, Storvågen Sør',
	' 1001;Storvågen Sør; ',
])('the sites that a credential knows are an ID and a name in the line %j', (line) => {
	expect(readKnownSites(line)).toEqual({
		sites: [{ siteId: 1001, name: 'Storvågen Sør' }],
		leftOut: [],
		repeated: [],
	});
});

it.each([
	['101\t200 Nord', '200 Nord'],
	['101\t200', '200'],
	['101 Nord\t200', 'Nord'],
])('the ID in the line %j of known sites ends at its first blank or tab', (line, name) => {
	expect(readKnownSites(line)).toMatchObject({ sites: [{ siteId: 101, name }], leftOut: [] });
});

it('the sites that a credential knows are one in each line, however lines end; blank lines are skipped, a missing name is the ID', () => {
	expect(readKnownSites('\n1001 Storvågen\r\n\r\n  \n-2 7 mile pen\r1003\n').sites).toEqual([
		{ siteId: 1001, name: 'Storvågen' },
		{ siteId: -2, name: '7 mile pen' },
		{ siteId: 1003, name: '1003' },
	]);
});

it.each([
	...['Storvågen 1001', 'Site ID\tName', '1 001 Storvågen', '1 001\tStorvågen'],
	...['1.001 Storvågen', '007 Storvågen', '9007199254740993 Storvågen', '1001-1002'],
])('the sites that a credential knows do not include the line %j, which has no ID', (text) => {
	const { sites, leftOut } = readKnownSites(`1001 Storvågen\n\n${text}\n1002 Nordvik`);

	expect(sites.map(({ siteId }) => siteId)).toEqual([1001, 1002]);
	expect(leftOut).toEqual([{ line: 3, text }]);
});

it('the sites that a credential knows have the name of the first line for their ID, and may share it', () => {
	expect(readKnownSites('1001 Nordvik\n1001 Another name\n1002 NORDVIK')).toEqual({
		sites: [
			{ siteId: 1001, name: 'Nordvik' },
			{ siteId: 1002, name: 'NORDVIK' },
		],
		leftOut: [],
		repeated: [{ line: 2, text: '1001 Another name' }],
	});
});

it.each([undefined, null, '', [7], {}])(
	'the sites that a credential knows are none in %j',
	(typed) => {
		expect(readKnownSites(typed)).toEqual({ sites: [], leftOut: [], repeated: [] });
	},
);

it.each([
	['1001 - Storvågen', 'Storvågen'],
	['1001 \u2013 Storvågen', 'Storvågen'],
	['1001- Storvågen', 'Storvågen'],
	...['\u2010', '\u2011', '\u2012', '\u2014', '\u2212'].map((dash) => [
		`1001 ${dash} Storvågen`,
		'Storvågen',
	]),
	['1001 | Storvågen', 'Storvågen'],
	['1001|Storvågen', 'Storvågen'],
	['1001 "Storvågen"', 'Storvågen'],
	['"1001","Storvågen","Nord"', 'Storvågen'],
	['1001;"Vågen; nord";7', 'Vågen; nord'],
	['1001 \u201cStorvågen\u201d', 'Storvågen'],
	['1001 \u2018Storvågen\u2019', 'Storvågen'],
	['1001 »Storvågen«', 'Storvågen'],
	['"1001 Storvågen"', 'Storvågen'],
	['1001\tStorvågen\tNord\t7', 'Storvågen'],
	['1001;Storvågen;Nord', 'Storvågen'],
	['Storvågen\t1001', 'Storvågen'],
	['Storvågen;Nord;"1001"', 'Storvågen'],
	['\u200b1001 Stor\u00advågen', 'Storvågen'],
	['1001 Vik - nord', 'Vik - nord'],
	['1001 -5 meter', '-5 meter'],
	['1001 "A" og "B"', '"A" og "B"'],
])('the line %j of known sites is site 1001 with the name %j', (line, name) => {
	expect(readKnownSites(line)).toMatchObject({ sites: [{ siteId: 1001, name }], leftOut: [] });
});

it.each(['Site ID\tName', 'siteId,siteName', 'ID Navn', 'Lokalitet;Nr', 'Nr, Navn'])(
	'the header %j is no line of known sites that cannot be used, unless it is not the first one',
	(header) => {
		expect(readKnownSites(`\n${header}\n1001 A`).leftOut).toEqual([]);
		expect(readKnownSites(`1001 A\n${header}`).leftOut).toEqual([{ line: 2, text: header }]);
	},
);

/** How a line was read before it could have quotes, dashes and further columns. */
const EARLIER = /^([^\s,;:]+)(?:[\s,;:]+([^\s,;:](?:.*[^\s,;:])?))?/;

it('each line of known sites that was read without quotes, bars, dashes after the ID and further columns keeps its name', () => {
	const character = fc.constantFrom(..."aåB7 ,:.-()/&'#");
	const lines = fc.tuple(
		fc.integer(),
		fc.constantFrom(' ', ',', ', ', ': ', '\t', ';'),
		fc.string({ unit: character }),
	);
	fc.assert(
		fc.property(lines, ([siteId, separator, rest]) => {
			const line = `${siteId}${separator}${rest}`.trim();
			const [, id = '', name = id] = EARLIER.exec(line) ?? [];
			const isNew = /^[\s,;:]*-\s/.test(line.slice(id.length)) || /^'[^']*'$/.test(name);
			const { sites } = readKnownSites(line);
			expect(isNew || sites.length === 0 || sites[0]?.name === name).toBe(true);
		}),
		{ numRuns: 2000 },
	);
});

it('the sites that a credential knows are read from any text without an exception', () => {
	fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void readKnownSites(text)));
});

it.each([' ', ',', ';', '\t', '. ', 'a', '1'])(
	'the sites that a credential knows are read from lines with a million times %j',
	(part) => {
		const long = part.repeat(1_000_000);
		const lines = [`1001${long}`, `1001 a${long}b`, `${long}1001 a`, `1001${long}a`];

		for (const line of lines) {
			const { sites, leftOut } = readKnownSites(line);
			expect(sites.length + leftOut.length).toBe(1);
		}
	},
);

it('the sites that a credential knows are compared without regard to case, blanks, invisible characters and the composition of letters', () => {
	expect(nameKey(' STORVÅGEN\u00a0 Sør ')).toBe(nameKey('storva\u030agen sør'));
	expect(nameKey('Stor\u200bvågen')).toBe(nameKey('storvågen'));
	expect(nameKey('Storvågen')).not.toBe(nameKey('Storvagen'));
});

it.each([
	['Großbucht', 'GROSSBUCHT'],
	['İstanbul', 'istanbul'],
	['ISPARTA', 'ısparta'],
	['GROẞE BUCHT', 'Große Bucht'],
	['\u0390', '\u0399\u0308\u0301'],
	['ΛΙΜΕΝΑΣ', 'λιμενασ'],
	['ŊÁRGA', 'ŋárga'],
	['ЁЛКА', 'ёлка'],
])('%s and %s are the same name in another case', (one, other) => {
	expect(nameKey(one)).toBe(nameKey(other));
});
