import fc from 'fast-check';
import { nameKey, readKnownSites } from '../../account/knownSites';

it.each([
	'1001   Storvågen Sør',
	'1001\tStorvågen Sør',
	'1001, Storvågen Sør',
	' 1001;Storvågen Sør; ',
])('the sites that a credential knows are an ID and a name in the line %j', (line) => {
	expect(readKnownSites(line)).toEqual({
		sites: [{ siteId: 1001, name: 'Storvågen Sør' }],
		leftOut: [],
	});
});

it.each([
	['101\t200 Nord', '200 Nord'],
	['101\t200', '200'],
	['101 Nord\t200', 'Nord\t200'],
])('the ID in the line %j of known sites ends at its first blank or tab', (line, name) => {
	expect(readKnownSites(line)).toEqual({ sites: [{ siteId: 101, name }], leftOut: [] });
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
	...['1.001 Storvågen', '007 Storvågen', '9007199254740993 Storvågen'],
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
	});
});

it.each([undefined, null, '', 7, {}])(
	'the sites that a credential knows are none in %j',
	(typed) => {
		expect(readKnownSites(typed)).toEqual({ sites: [], leftOut: [] });
	},
);

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

it('the sites that a credential knows are compared without regard to case, blanks and the composition of letters', () => {
	expect(nameKey(' STORVÅGEN\u00a0 Sør ')).toBe(nameKey('storva\u030agen sør'));
	expect(nameKey('Storvågen')).not.toBe(nameKey('Storvagen'));
});
