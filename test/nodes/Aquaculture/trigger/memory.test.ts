import type { IDataObject } from 'n8n-workflow';
import {
	loadMemory,
	saveMemory,
	type RememberedSite,
} from '../../../../nodes/Aquaculture/trigger/memory';

const SITES = new Map<number, RememberedSite>([
	[
		1001,
		{
			siteName: null,
			info: { fields: null, values: { license: 'L', depth: { max: 40 } } },
			units: { kinds: ['any'], list: [{ unitId: 1, unitName: 'Merd 1', volume: 5 }] },
			ids: { origin: 'random', counts: { aq3k7f: 2 } },
		},
	],
	[-7, { siteName: 'A', others: { additionalIncludes: ['sensors'], values: { constructor: 1 } } }],
]);
const REST = {
	source: 'somewhere',
	failures: [
		{ subject: 1001, cause: '404', at: 5, isOver: false },
		{ subject: 'login' as const, cause: '401', at: 5, isOver: true },
	],
	revision: 7,
};
const READ_AT = 1_772_436_000_000;
/** What is remembered of a site that was read then. */
const remembered = (siteId: number) => ({ ...SITES.get(siteId), readAt: READ_AT });
const NOTHING = { source: '', failures: [], revision: 0 };

const copyOf = (staticData: IDataObject) => JSON.parse(JSON.stringify(staticData)) as IDataObject;
const stored = (): IDataObject => {
	const staticData: IDataObject = {};
	jest.spyOn(Date, 'now').mockReturnValue(READ_AT);
	saveMemory(staticData, REST, SITES);
	return copyOf(staticData);
};
/** What comes back, with the sites that are asked for. */
const loaded = (staticData: IDataObject, ...siteIds: number[]) => {
	const { sites, ...memory } = loadMemory(staticData);
	return { ...memory, sites: siteIds.map((siteId) => sites.get(siteId)) };
};

describe('the memory of a trigger', () => {
	afterEach(() => jest.restoreAllMocks());

	it.each<[string, IDataObject, number | undefined]>([
		['is', stored(), READ_AT],
		['is not', {}, undefined],
		['is not, after another version,', { ...stored(), sites: { 1001: {} } }, undefined],
		['is damaged', { ...stored(), sites: { 1001: { readAt: 'now' } } }, undefined],
	])('says when a site was read, where that %s remembered', (_name, staticData, expected) => {
		expect(loadMemory(staticData).sites.readAt(1001)).toBe(expected);
	});

	it('comes back as it was stored', () => {
		expect(loaded(stored(), 1001, -7, 1002)).toEqual({
			...REST,
			isDamaged: false,
			sites: [remembered(1001), remembered(-7), undefined],
		});
	});

	it.each<[string, IDataObject, boolean]>([
		['nothing', {}, false],
		['what another node has stored', { lastItem: '2026-03-02' }, false],
		['another form', { ...stored(), version: 2 }, true],
		['no form', { ...stored(), version: undefined }, true],
		['no source', { ...stored(), source: 7 }, true],
	])('that holds %s counts as none', (_name, staticData, isDamaged) => {
		expect(loaded(staticData, 1001)).toEqual({ ...NOTHING, isDamaged, sites: [undefined] });
	});

	it.each([null, 'edited', [], 7])('is damaged where its sites are %j', (sites) => {
		const { isDamaged, failures } = loadMemory({ ...stored(), sites } as IDataObject);

		expect([isDamaged, failures]).toEqual([true, REST.failures]);
	});

	it.each<['failures' | 'revision', unknown[]]>([
		['failures', [undefined, null, 'edited', [{ subject: 1001 }], { 1001: 5 }]],
		['failures', [[{ subject: '1001', cause: '404', at: 5, isOver: false }]]],
		['revision', [undefined, null, '7', 1.5, Number.NaN]],
	])('with damaged %s still holds the rest', (part, damages) => {
		for (const damaged of damages) {
			const memory = loaded({ ...stored(), [part]: damaged } as IDataObject, -7);

			expect(memory).toEqual({
				...{ ...REST, [part]: NOTHING[part] },
				...{ isDamaged: false, sites: [remembered(-7)] },
			});
		}
	});

	it.each<[string, unknown]>([
		['null', null],
		['a text', 'edited'],
		['a number as its name', { siteName: 7 }],
		['info without values', { info: { fields: null } }],
		['a list as the values of its info', { info: { fields: null, values: [] } }],
		['a text as the list of its info fields', { info: { fields: 'license', values: {} } }],
		['a number as a unit', { units: { kinds: [], list: [5] } }],
		['a text as what IDs are made from', { ids: 'random' }],
		['a text as a count', { ids: { origin: 'random', counts: { aq3k7f: 'x' } } }],
		['a text as the ID of a unit', { units: { kinds: [], list: [{ unitId: 'x' }] } }],
	])('with %s in place of a site still holds the others', (_name, damaged) => {
		const sites = { ...(stored().sites as IDataObject), 1001: damaged } as IDataObject;

		expect(loaded({ ...stored(), sites }, 1001, -7).sites).toEqual([null, remembered(-7)]);
	});

	it('changes what was read, and forgets what is not watched any more', () => {
		const staticData = stored();
		const untouched = (staticData.sites as IDataObject)[-7];

		saveMemory(staticData, REST, new Map([[1003, { siteName: 'C' }]]), [1003, -7]);

		expect(staticData.sites).toEqual({
			'-7': remembered(-7),
			1003: { siteName: 'C', readAt: READ_AT },
		});
		expect((staticData.sites as IDataObject)[-7]).toBe(untouched);
	});

	it('forgets all sites of another source', () => {
		const staticData = stored();

		saveMemory(staticData, { ...REST, source: 'elsewhere' }, new Map([[1, { siteName: 'C' }]]));

		expect(staticData.sites).toEqual({ 1: { siteName: 'C', readAt: READ_AT } });
	});
});
