import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { listKnownSites, searchKnownSites } from '../../../../nodes/Aquaculture/fields/siteFields';
import { NODE_MESSAGES } from '../../../../nodes/Aquaculture/messages/invalid';

const editor = (knownSites: string) =>
	({
		getCredentials: async () => await Promise.resolve({ knownSites }),
	}) as unknown as ILoadOptionsFunctions;

const KNOWN = editor('1 Storvågen\n2 Kråkøya Sør\n3 Ærø\n8');

it.each<[string, string[]]>([
	['storvag', ['Storvågen (1)']],
	['STORVA\u030aG', ['Storvågen (1)']],
	['oya  SØR', ['Kråkøya Sør (2)']],
	['stor\u200bv', ['Storvågen (1)']],
	['8', ['8']],
	['(3', ['Ærø (3)']],
	['krakøen', []],
])('searching the list of sites for %j finds %j', async (input, names) => {
	const { results } = await searchKnownSites.call(KNOWN, input);

	expect(results.map(({ name }) => name)).toEqual(names);
});

it('the lists of sites offer all known sites, or say where to enter them', async () => {
	const offered = [
		{ name: '1003', value: 1003 },
		{ name: 'Storvågen (1001)', value: 1001 },
	];
	const none = [{ name: NODE_MESSAGES.noSites(), value: '' }];
	const known = editor('1001 Storvågen\n1003');

	expect(await searchKnownSites.call(known)).toEqual({ results: offered });
	expect(await listKnownSites.call(known)).toEqual(offered);
	expect(await searchKnownSites.call(editor(''), 'x')).toEqual({ results: none });
	expect(await listKnownSites.call(editor(''))).toEqual(none);
});

it('the lists of sites sort æ, ø and å last, and numbers by value', async () => {
	const known = editor('1 Åsen\n2 Ørland\n3 Zink 10\n4 Ærø\n5 Zink 9\n6 Askøy');

	expect((await listKnownSites.call(known)).map(({ name }) => name)).toEqual([
		'Askøy (6)',
		'Zink 9 (5)',
		'Zink 10 (3)',
		'Ærø (4)',
		'Ørland (2)',
		'Åsen (1)',
	]);
});
