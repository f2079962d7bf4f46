import { KnownSites } from '../../../../nodes/Aquaculture/input/knownSites';
import { findEachSite } from '../../../../nodes/Aquaculture/input/siteReferences';
import { checkSiteId } from '../../../../nodes/Aquaculture/input/siteText';

/* The examples of the table in `siteText.ts`. */

const lineOf = (text: string) =>
	new KnownSites(text).all().map(({ siteId, siteName }) => [siteId, siteName]);
const listOf = (text: string) =>
	[...findEachSite(text, new KnownSites(''))].map(({ value }) => value?.siteId);

it.each(['1001', '1001.0', '"1001"', '１００１'])('%s is an ID', (text) => {
	expect(checkSiteId(text)).toEqual({ value: 1001 });
});

it.each(['007', '-7', '1 001', '13.000', '1001,0', '1E3', "'1001", '="1001"'])(
	'%s is no ID',
	(text) => {
		expect(checkSiteId(text)).toHaveProperty('failure');
	},
);

it.each<[string, number, string | null]>([
	['1001 Storvågen', 1001, 'Storvågen'],
	['1001\tStorvågen', 1001, 'Storvågen'],
	['1001, Storvågen', 1001, 'Storvågen'],
	['1001;Storvågen', 1001, 'Storvågen'],
	['1001:Storvågen', 1001, 'Storvågen'],
	['1001|Storvågen', 1001, 'Storvågen'],
	['1001 – Storvågen', 1001, 'Storvågen'],
	['1001 "Storvågen"', 1001, 'Storvågen'],
	['1001', 1001, null],
	['1001;Storvågen;780', 1001, 'Storvågen'],
	['1001 Vik 200', 1001, 'Vik 200'],
	['7 F100', 7, 'F100'],
	['7 Vik 17-3', 7, 'Vik 17-3'],
	['7;Merd 2', 7, 'Merd 2'],
	['1001 "Vik 1002"', 1001, 'Vik 1002'],
	['1001 "Vik\nNord"', 1001, 'Vik Nord'],
	['58 "Sites"', 58, 'Sites'],
	['58', 58, null],
])('the line %j is a site', (line, siteId, siteName) => {
	expect(lineOf(line)).toEqual([[siteId, siteName]]);
});

it.each([
	...['Storvågen 1001', '- 1001 X', '12,5 X'],
	...['1001-Storvågen', '1001. Storvågen', '10:30 X'],
	...['1001 1002', '1001;1002', '1001 17-3', '1;1001;Vik', '1001 “Storvågen', '1001 Storvågen”'],
	...['7 Merd 2', '1001 og 1002', '1001 Vik 1002', '1;1001 Vik'],
	...['1001 "A\n3120 B"', '58 sites', '58 treff', '12480 Total'],
])('the line %j is refused', (line) => {
	expect(lineOf(line)).toEqual([]);
});

it.each<[string, number[]]>([
	['["1001", 1002]', [1001, 1002]],
	['7,100', [7, 100]],
	['1\t2;3,4 5\n6', [1, 2, 3, 4, 5, 6]],
])('the list %j is of %j', (text, siteIds) => {
	expect(listOf(text)).toEqual(siteIds);
});

it.each(['7 100', '7, 36,548', '7, 1001,0', '1001 -1003'])('the list %j is refused', (text) => {
	expect(listOf(text)).toContain(undefined);
});
