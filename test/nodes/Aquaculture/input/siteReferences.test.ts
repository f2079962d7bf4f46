import fc from '../../../fixedSeed';
import { accentlessKey, KnownSites } from '../../../../nodes/Aquaculture/input/knownSites';
import {
	findEachSite,
	findSites,
	findSite,
} from '../../../../nodes/Aquaculture/input/siteReferences';
import { siteLabel } from '../../../../nodes/Aquaculture/service/site';

/** Returns the ID or the reason. */
const idOf = (input: string | number, known: KnownSites) => {
	const { value, failure } = findSite(input, known);
	return value?.siteId ?? failure?.reason;
};

/** Returns the IDs or the reason. */
const idsOf = (input: unknown, known: KnownSites) => {
	const { value, failure } = findSites(input, known);
	return value?.map(({ siteId }) => siteId) ?? failure?.reason;
};

const KNOWN = new KnownSites(
	'1001 Storvågen\n1002 F17-3\n1003 Vik, Nord\n1004 Nord\n1006 Havn\n1007 Havn\n1011 Låks\n1012 Läks',
);
const NO_SITES = new KnownSites('');

it.each<[number, Array<string | number>]>([
	[7, [7, '7', ' 7 ', '7.0', '\u200b7']],
	[1001, ['Storvågen', ' STORVAGEN ', 'storvagen (1001)', '1001 Storvågen', '1001\tstorvagen']],
	[1001, ['"1001"', '“1001”', '"Storvågen"', '"1001","Storvågen"', '"1001";"STORVÅGEN"']],
	[1001, ['1001;Storvågen', '1001, Storvågen', '1001 - STORVÅGEN', '１００１ Storvågen']],
	[1002, ['F17-3']],
	[1003, ['Vik, Nord', '1003 Vik, Nord', 'Vik, Nord (1003)']],
	[1008, ['1008', 1008]],
	[1007, ['1007 Havn']],
])('site %d is meant by each of %j', (siteId, inputs) => {
	expect(inputs.map((input) => idOf(input, KNOWN))).toEqual(inputs.map(() => siteId));
});

const NO_ID = 'contains a value that is not a whole number';
const OTHER_FORM = 'contains an ID in another form than plain digits';
const UNKNOWN = 'contains an unknown site';
const SHARED = 'names more than one site';

it.each<[string, Array<string | number>]>([
	[UNKNOWN, ['Vik', '2000 Nordvik', '17 Nordre']],
	[UNKNOWN, ['1001 Nord', '2000 Nord', '1001 Nordvik', '1005 Havn']],
	[SHARED, ['Havn', 'laks', 'LÂKS']],
	[
		OTHER_FORM,
		['007', '1 001', '1001,0', '7,00', '1001,', '="1001"', '1.5', '-7', '13.000', '17-4'],
	],
	[NO_ID, [1.5]],
	['contains a list of sites', ['1001 1002', '7, 8', 'Nord; F17-3', '["Nord", 7]']],
])('a site is refused because the field %s: each of %j', (reason, inputs) => {
	expect(inputs.map((input) => idOf(input, KNOWN))).toEqual(
		inputs.map((input) => `${reason}: "${input}"`),
	);
});

const separators = fc.stringMatching(/^[ ,;\n\t\r]{1,4}$/);

it('a list of IDs keeps its order, in any form and with any separators', () => {
	const ids = fc.array(fc.maxSafeNat(), { minLength: 1 });
	/** Whether the separator would look like a thousands separator. */
	const isGrouping = (between: string, next: number) =>
		between === ' ' && next >= 100 && next <= 999;
	fc.assert(
		fc.property(ids, separators, (list, between) => {
			fc.pre(!list.slice(1).some((id) => isGrouping(between, id)));
			const forms = [
				...[list, list.map(String), between + list.join(between) + between],
				...[
					JSON.stringify(list, null, between.replace(/\S/g, '')),
					JSON.stringify(list.map(String)),
				],
			];

			expect(forms.map((input) => idsOf(input, NO_SITES))).toEqual(forms.map(() => list));
		}),
	);
});

it.each<[unknown, number[]]>([
	[7, [7]],
	['["1", 6]', [1, 6]],
	[' [ 7,100 ] ', [7, 100]],
	['[\n  7,\n  100,\n  "1001.0"\n]', [7, 100, 1001]],
	['1001,\u00a01002;\u202f1003\u00a0', [1001, 1002, 1003]],
	...[...'\n\r\v\f\u0085\u2028\u2029'].map((lineBreak): [string, number[]] => [
		`7${lineBreak}100`,
		[7, 100],
	]),
	[[-7], [-7]],
	['7,100', [7, 100]],
	['36548,45165\n7, 100', [36548, 45165, 7, 100]],
	[
		[7, 100, '100', '100.0'],
		[7, 100, 100, 100],
	],
	['Storvågen, 7 8;Nord\t1006\nstorvagen (1001)', [1001, 7, 8, 1004, 1006, 1001]],
	[
		'1001 Storvågen\n1004\tNord\n1003;Vik, Nord\n1002, F17-3\n1007 Havn',
		[1001, 1004, 1003, 1002, 1007],
	],
	['["1001 Storvågen", "storvagen (1001)", 1004]', [1001, 1001, 1004]],
	['1001 Storvågen, 1004 Nord', [1001, 1004]],
	['1001\t"Storvågen"\n1004 "Nord"', [1001, 1004]],
	['"1001","Storvågen"\n"1003","Vik, Nord"', [1001, 1003]],
	['"1001","1002";"7"', [1001, 1002, 7]],
	['1001, Nord', [1001, 1004]],
	['1002, F17-3, 1002', [1002, 1002, 1002]],
	['"Vik, Nord", 7', [1003, 7]],
	['["Vik, Nord", 7]', [1003, 7]],
	['\u200b["Nord"]', [1004]],
])('the list %j refers to %j', (input, siteIds) => {
	expect(idsOf(input, KNOWN)).toEqual(siteIds);
});

it.each<[unknown, number[]]>([
	...['Vik, ytre', ['Vik, ytre'], '"Vik, ytre"'].map((list): [unknown, number[]] => [list, [4]]),
	[
		['Vik, ytre', 'Vik'],
		[4, 5],
	],
	...[' vik,  YTRE; 1002', 'Vik, ytre\n1002'].map((list): [string, number[]] => [list, [4, 1002]]),
	['Vik\nytre', [5, 6]],
	['Vik\tindre', [5, 8]],
	// Only commas: nothing tells which of them belong to a name.
	['Vik, ytre, 1002', [5, 6, 1002]],
])('names with commas are told from lists: %j refers to %j', (list, siteIds) => {
	const known = '4 Vik, ytre\n5 Vik\n6 ytre\n7 Vik indre\n8 indre\n9 Vik ytre';

	expect(idsOf(list, new KnownSites(known))).toEqual(siteIds);
});

it.each([undefined, null, '', ' ,;\n', '\u00a0', '[]'])('the list %j is empty', (input) => {
	expect(idsOf(input, KNOWN)).toBe('is empty');
});

it('an ID in another form is refused wherever it stands in a list', () => {
	const form = fc.constantFrom(
		...['007', '1.5', '2e3', '1E3', '45.000', '1001.', '1001.5', '-7', '="1001"', "'1001"],
		...['1001,0', '1,2E+04', '1,2E-04', '7 100', '12 345 678', '1\u202f001'],
	);
	const others = fc.array(fc.constantFrom('1', '1001', 'Nord'), { maxLength: 3 });
	const between = fc.constantFrom(', ', ' , ', ';', '\n', '\t', '\r\n');
	fc.assert(
		fc.property(others, form, others, between, (before, refused, after, separator) => {
			const list = [...before, refused, ...after];
			for (const input of [list, `[${list.join(', ')}]`, list.join(separator)]) {
				expect([input, idsOf(input, KNOWN)]).toEqual([input, `${OTHER_FORM}: "${refused}"`]);
			}
		}),
	);
});

it('an ID with a thousands separator is no other ID', () => {
	const ids = fc.array(fc.integer({ min: 1, max: 99_999 }), { minLength: 2, maxLength: 4 });
	const thousands = fc.constantFrom(',', '.', ' ', '\u00a0', "'");
	const between = fc.constantFrom(', ', ';', '\n', '\t');
	fc.assert(
		fc.property(ids, thousands, between, (list, mark, separator) => {
			const text = list.map((id) => String(id).replace(/(?=\d{3}$)\B/, mark)).join(separator);
			for (const input of [text, `[${text}]`]) {
				const expected = list.every((id) => id < 1000) ? list : expect.any(String);
				expect([input, idsOf(input, NO_SITES)]).toEqual([input, expected]);
			}
		}),
	);
});

it.each<[unknown, string]>([
	['[1, 2', `${OTHER_FORM}: "[1"`],
	['[["1"]]', `${OTHER_FORM}: "["1"]"`],
	['["7, 8"]', `${OTHER_FORM}: "7, 8"`],
	['["1", null]', `${UNKNOWN}: "null"`],
	['1001 og 1002', `${UNKNOWN}: "1001 og 1002"`],
	['[7, { "id": "1" }]', `${UNKNOWN}: "{ "id": "1" }"`],
	['Nord, Havn', `${SHARED}: "Havn"`],
	['1001 Storvågen\n1001 Nord', `${UNKNOWN}: "1001 Nord"`],
	['1001 7 100', `${OTHER_FORM}: "1001 7 100"`],
	['7 36,548 45,165', `${OTHER_FORM}: "7 36,548 45,165"`],
	['1,001', `${OTHER_FORM}: "1,001"`],
	...['\n', ';', ', ', ' , '].map((separator): [string, string] => [
		['7', '36,548', '45,165'].join(separator),
		`${OTHER_FORM}: "36,548"`,
	]),
	['13,045 Nord', `${UNKNOWN}: "13,045 Nord"`],
	['1001 -1003', `${OTHER_FORM}: "1001 -1003"`],
	['1001 - 1003', `${OTHER_FORM}: "1001 - 1003"`],
	['"1001, 1002"', `${OTHER_FORM}: "1001, 1002"`],
	['"7,100"', `${OTHER_FORM}: "7,100"`],
	['"1001","Nordvik"', `${UNKNOWN}: "Nordvik"`],
	['- 1001\n- 1002', `${OTHER_FORM}: "- 1001"`],
	['1001 Storvågen\n2 sites', `${UNKNOWN}: "2 sites"`],
	['1001\t"Storvågen\n3120 tonn"', `${UNKNOWN}: "Storvågen 3120 tonn"`],
])('the list %j is refused: %s', (input, reason) => {
	expect(idsOf(input, KNOWN)).toBe(reason);
});

it('a list may have 20,000 entries', () => {
	expect(idsOf('1001 '.repeat(20_000), KNOWN)).toHaveLength(20_000);
	expect(idsOf('x,'.repeat(20_000), KNOWN)).toBe('contains an unknown site: "x"');
	expect(idsOf('Nord,'.repeat(20_000), KNOWN)).toHaveLength(20_000);
	expect(idsOf('1001 Storvågen\n'.repeat(20_000), KNOWN)).toHaveLength(20_000);
});

/* Every name that a person could reasonably choose is found, and never means another site. */

interface Site {
	siteId: number;
	name: string;
}

const letters = fc.string({
	unit: fc.constantFrom(...'aAbkNørÅæüíłþ'),
	minLength: 1,
	maxLength: 5,
});
const word = fc.oneof(
	letters,
	fc.constantFrom(...['Vik', 'Nord', '7', '200', '17-3', "St John's", '(ytre)', '-', 'E/F', 'R&D']),
);
const nameWith = (separators: string[]) =>
	fc
		.tuple(
			fc.oneof(letters, fc.constantFrom('7', '200', '17-3')),
			fc.array(fc.tuple(fc.constantFrom(...separators), word), { maxLength: 3 }),
		)
		.map(([first, others]) => first + others.flat().join(''))
		.filter((name) => /\p{L}/u.test(name));
const siteId = fc.integer({ min: 1000, max: 9999 });
/** Names differ by more than case. The IDs have four digits, so that none is taken for a total, and no number in a name for an ID. */
const sitesWith = (separators: string[]) =>
	fc.uniqueArray(fc.record({ siteId, name: nameWith(separators) }), {
		minLength: 1,
		maxLength: 6,
		comparator: (one, other) =>
			one.siteId === other.siteId || one.name.toLowerCase() === other.name.toLowerCase(),
	});
const knownOf = (sites: readonly Site[]) =>
	new KnownSites(sites.map(({ siteId, name }) => `${siteId} "${name}"`).join('\n'));
const expectAllFound = (sites: readonly Site[], between: string) => {
	const known = knownOf(sites);
	const siteIds = sites.map(({ siteId }) => siteId);
	const labels = sites.map(({ siteId, name }) => `${name} (${siteId})`);
	const found = sites.flatMap(({ siteId, name }, index) =>
		[name, name.toUpperCase(), name.normalize('NFD'), labels[index] ?? ''].map((input) => ({
			...{ input, siteId },
			found: idOf(input, known),
		})),
	);
	expect(found).toEqual(found.map((each) => ({ ...each, found: each.siteId })));
	for (const list of [sites.map(({ name }) => name), labels]) {
		const json = sites.some(({ name }) => name.includes(',')) ? [] : [JSON.stringify(list)];
		for (const input of [list, list.join(between), ...json]) {
			expect([input, idsOf(input, known)]).toEqual([input, siteIds]);
		}
	}
};

it('a name without commas is found alone, by label and in any list', () => {
	const between = fc.constantFrom(', ', ';', '\n', '\t', '\r\n');
	fc.assert(fc.property(sitesWith([' ', '-', ' - ']), between, expectAllFound), { numRuns: 150 });
});

it('a name with commas is found alone, by label, in an array, and in a list without other commas', () => {
	const between = fc.constantFrom(';', '\n', '\t', '\r\n');
	fc.assert(fc.property(sitesWith([' ', ', ', ',']), between, expectAllFound), { numRuns: 150 });
});

it('a reference matches name, label, ID or line of its site, except case and accents', () => {
	const input = fc.oneof(nameWith([' ', ', ']), fc.nat(9999).map(String));
	fc.assert(
		fc.property(sitesWith([' ', ', ']), input, (sites, text) => {
			const known = knownOf(sites);
			const { value: site } = findSite(text, known);
			if (!site) return;
			const { siteId, siteName } = site;
			const lines = [' ', ', ', ' - '].map((between) => `${siteId}${between}${siteName}`);
			const texts = [siteName ?? '', siteLabel(site), String(siteId), ...lines];
			expect(texts.map(accentlessKey)).toContain(accentlessKey(text));
		}),
		{ numRuns: 1000 },
	);
});

it('the entries of a list refer to the same sites alone', () => {
	const part = fc.oneof(nameWith([' ']), fc.nat(9999).map(String));
	const parts = fc.array(part, { minLength: 1, maxLength: 4 });
	fc.assert(
		fc.property(
			sitesWith([' ']),
			parts,
			fc.constantFrom(', ', ';', '\n'),
			(sites, list, between) => {
				const known = knownOf(sites);
				// Not an ID and a name as in a line of Known Sites.
				fc.pre(list.length === 1 || typeof idOf(list.join(between), known) === 'string');
				const alone = list.map((text) => idsOf([text], known));
				const reason = alone.find((each) => typeof each === 'string');

				expect(idsOf(list.join(between), known)).toEqual(reason ?? alone.flat());
			},
		),
		{ numRuns: 1000 },
	);
});

it.each(['1', '1,', ',', '1 ', ' ', '"', '\\"', 'A '])(
	'reads 50,000 %j in linear time',
	(part) => {
		const long = part.repeat(50_000);

		for (const input of [long, `[${long}]`, `["${long}`, `1001 ${long}x`, [`1001 ${long}x\ny`]]) {
			expect([...findEachSite(input, NO_SITES)].length).toBeGreaterThan(0);
		}
	},
	// Twenty times as long as it takes.
	10_000,
);
