import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { MESSAGES } from '../../../../shared/messages';
import { listKnownSites, searchKnownSites } from '../../../../nodes/Aquaculture/fields/siteLists';

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

describe('the lists in the panel', () => {
	it.each<[string | undefined, object[]]>([
		[undefined, LIST],
		['vik  SØR', LIST.slice(1, 2)],
		['03', LIST.slice(2)],
		['x', []],
	])('hold the known sites with %j in their name or ID', async (typed, results) => {
		expect(await searchKnownSites.call(KNOWN, typed)).toEqual({ results });
	});

	it('hold all known sites where several are chosen', async () => {
		expect(await listKnownSites.call(KNOWN)).toEqual(LIST);
	});

	it('say so where no site is known', async () => {
		const none = [{ name: MESSAGES.node.noSites(), value: '' }];

		expect(await searchKnownSites.call(editor(''), 'x')).toEqual({ results: none });
		expect(await listKnownSites.call(editor(''))).toEqual(none);
	});
});
