import { accentlessKey, KnownSites } from '../../../../nodes/Aquaculture/input/knownSites';

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
		['Kråkøya', 'krakoya'],
		['Ærø', 'AERO'],
		['Đurđevac', 'durdevac'],
		['Þórshöfn', 'Thorshofn'],
		['Reyðarfjörður', 'reydarfjordur'],
		['Łódź', 'lodz'],
		['İzmir', 'izmir'],
		['Işıklı', 'isikli'],
		['Œuvre', 'oeuvre'],
		['Deatnu Ŧana', 'deatnu tana'],
		['Ħamrun', 'hamrun'],
		['Čeavetjäuʹrr ǥ', "ceavetjau'rr g"],
		['Straße', 'STRASSE'],
		['Straẞe', 'strasse'],
		['Ĳmuiden', 'ijmuiden'],
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

	it('finds a name with any Latin letter that Unicode does not decompose by its plain letters', () => {
		// Latin-1 Supplement and Latin Extended-A, without those of two signs, and the Sámi letters beyond.
		const letters = Array.from({ length: 0x180 - 0xc0 }, (_, index) =>
			String.fromCharCode(0xc0 + index),
		)
			.concat('Ǥ', 'ǥ', 'Ʒ', 'ʒ', 'Ǯ', 'ẞ')
			.filter((letter) => /\p{L}/u.test(letter) && !'Ŀŀŉ'.includes(letter));

		expect(letters.filter((letter) => !/^[a-z]+$/.test(accentlessKey(letter)))).toEqual([]);
	});

	it('prefers exact names, and ignores accents only if the match is unique', () => {
		const sites = '1 Vik\n2 Vík\n3 Ås\n4 Äs';

		expect(idsOf(sites, 'vik')).toEqual([1]);
		expect(idsOf(sites, 'vík')).toEqual([2]);
		expect(idsOf(sites, 'as')).toEqual([]);
	});

	it('finds all sites that share a name, and each by its label', () => {
		expect(idsOf('1 Vik\n2 VIK', 'vik')).toEqual([1, 2]);
		expect(idsOf('1 Vik\n2 VIK', 'Vik (2)')).toEqual([2]);
		expect(idsOf('1 Vik (2)\n2 VIK', 'Vik (2)')).toEqual([1, 2]);
	});
});
