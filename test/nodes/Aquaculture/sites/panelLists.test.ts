import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { MESSAGES } from '../../../../texts/messages';
import { listKnownSites, searchKnownSites } from '../../../../nodes/Aquaculture/sites/panelLists';

/** The editor, with a credential that knows these sites. */
const editor = (knownSites: string) =>
	({
		getCredentials: async () => await Promise.resolve({ knownSites }),
	}) as unknown as ILoadOptionsFunctions;

const LIST = [
	{ name: 'Storvågen (1001)', value: 1001 },
	{ name: 'Nordvik Sør (1002)', value: 1002 },
	{ name: '1003', value: 1003 },
];
const KNOWN = editor('1001 Storvågen\n1002 Nordvik Sør\n1003');

it.each<[string | undefined, object[]]>([
	[undefined, LIST],
	['vik  SØR', LIST.slice(1, 2)],
	['03', LIST.slice(2)],
	['x', []],
])(
	'the lists in the panel hold the known sites with %j in their name or ID',
	async (typed, results) => {
		expect(await searchKnownSites.call(KNOWN, typed)).toEqual({ results });
	},
);

it.each<[string, string[]]>([
	['storvag', ['Storvågen (1)']],
	['STORVÅG', ['Storvågen (1)']],
	['storva\u030ag', ['Storvågen (1)']],
	['krak', ['Kråkøya (2)']],
	['oya', ['Kråkøya (2)']],
	['aero', ['Ærø (3)']],
	['dorshofn', ['Ðórshöfn (4)']],
	['thing', ['Þingeyri (5)']],
	['lodz', ['Łódź (6)']],
	['canal', ['Can\u0303al (7)']],
	['kråkoyå', ['Kråkøya (2)']],
	['krakøen', []],
])('the lists in the panel find %j with or without accents: %j', async (typed, names) => {
	const accented = editor(
		'1 Storvågen\n2 Kråkøya\n3 Ærø\n4 Ðórshöfn\n5 Þingeyri\n6 Łódź\n7 Can\u0303al',
	);
	const { results } = await searchKnownSites.call(accented, typed);

	expect(results.map(({ name }) => name)).toEqual(names);
});

it('the lists in the panel hold all known sites where several are chosen', async () => {
	expect(await listKnownSites.call(KNOWN)).toEqual(LIST);
});

it('the lists in the panel say so where no site is known', async () => {
	const none = [{ name: MESSAGES.node.noSites(), value: '' }];

	expect(await searchKnownSites.call(editor(''), 'x')).toEqual({ results: none });
	expect(await listKnownSites.call(editor(''))).toEqual(none);
});
