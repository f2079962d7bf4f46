import fc from 'fast-check';
import { nameKey, readKnownSites } from '../../shared/knownSites';

describe('the sites that a credential knows', () => {
	it.each([
		['blanks', '1001   Storvågen Sør'],
		['a tab, as two columns of a sheet are pasted', '1001\tStorvågen Sør'],
		['a comma', '1001, Storvågen Sør'],
		['a semicolon, and another one at the end', ' 1001;Storvågen Sør; '],
	])('may be separated from their names by %s', (_separator, line) => {
		expect(readKnownSites(line)).toEqual({
			sites: [{ siteId: 1001, name: 'Storvågen Sør' }],
			faults: [],
		});
	});

	it('stand one in a line, however lines end; blank lines are skipped, a missing name is the ID', () => {
		expect(readKnownSites('\n1001 Storvågen\r\n\r\n  \n-2 7 mile pen\r1003\n').sites).toEqual([
			{ siteId: 1001, name: 'Storvågen' },
			{ siteId: -2, name: '7 mile pen' },
			{ siteId: 1003, name: '1003' },
		]);
	});

	it.each([
		['Storvågen 1001', 'does not begin with a site ID in digits alone'],
		['Site ID\tName', 'does not begin with a site ID in digits alone'],
		['1 001 Storvågen', 'does not begin with a site ID in digits alone'],
		['1.001 Storvågen', 'does not begin with a site ID in digits alone'],
		['007 Storvågen', 'does not begin with a site ID in digits alone'],
		['9007199254740993 Storvågen', 'does not begin with a site ID in digits alone'],
		['1001 Another name', 'repeats the ID of line 1'],
	])('do not include the line %j, which is named', (text, fault) => {
		const { sites, faults } = readKnownSites(`1001 Storvågen\n\n${text}\n1002 Nordvik`);

		expect(sites.map(({ siteId }) => siteId)).toEqual([1001, 1002]);
		expect(faults).toEqual([{ line: 3, text, fault }]);
	});

	it('may share a name, which is named', () => {
		const { sites, faults } = readKnownSites('1001 Nordvik\n1002 NORDVIK');

		expect(sites).toHaveLength(2);
		expect(faults).toEqual([
			{ line: 2, text: '1002 NORDVIK', fault: 'repeats the name of line 1' },
		]);
	});

	it.each([undefined, null, '', 7, {}])('are none in %j', (typed) => {
		expect(readKnownSites(typed)).toEqual({ sites: [], faults: [] });
	});

	it('are read from any text without an exception', () => {
		fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void readKnownSites(text)));
	});

	it('are compared without regard to case, blanks and the composition of letters', () => {
		expect(nameKey(' STORVÅGEN\u00a0 Sør ')).toBe(nameKey('storva\u030agen sør'));
		expect(nameKey('Storvågen')).not.toBe(nameKey('Storvagen'));
	});
});
