import type { IDataObject } from 'n8n-workflow';
import type { Site } from '../../../../api/siteAnswer';
import {
	loadMemory,
	saveMemory,
	type RememberedSite,
} from '../../../../nodes/Aquaculture/trigger/memory';
import type { Watch } from '../../../../nodes/Aquaculture/trigger/watch';

const WATCH: Watch = { kinds: ['any'], additionalIncludes: [] };
const siteOf = (site: Site): RememberedSite => ({
	...{ watch: WATCH, site },
	ids: { origin: 'random', counts: { aq3k7f: 2 } },
});
const SITES = new Map<number, RememberedSite>([
	[
		1001,
		siteOf({
			siteName: null,
			info: { license: 'L', depth: { max: 40 } },
			units: [{ unitId: 1, unitName: 'Merd 1', volume: 5 }],
		}),
	],
	[-7, siteOf({ siteName: 'A', constructor: 1 })],
]);
const REST = {
	source: 'somewhere',
	failures: { reported: { '1001 404': 5, 'login 401': 5 }, failing: [1001, 'login' as const] },
	revision: 7,
};
const READ_AT = 1_772_436_000_000;
/** What is remembered of a site that was read then. */
const remembered = (siteId: number) => ({ ...SITES.get(siteId), readAt: READ_AT });
const NOTHING = { source: '', failures: { reported: {}, failing: [] }, revision: 0 };

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
		['failures', [undefined, null, 'edited', [{ subject: 1001 }], { reported: {} }]],
		[
			'failures',
			[
				{ reported: { '1001 404': 'x' }, failing: [] },
				{ reported: {}, failing: ['x'] },
			],
		],
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
		['a number as its name', siteOf({ siteName: 7 } as unknown as Site)],
		['a list as its info', siteOf({ info: [] } as unknown as Site)],
		['a number as a unit', siteOf({ units: [5] } as unknown as Site)],
		['a text as the ID of a unit', siteOf({ units: [{ unitId: 'x' }] } as unknown as Site)],
		['no site', { ...siteOf({}), site: undefined }],
		['nothing about what was watched', { ...siteOf({}), watch: undefined }],
		['a text as what was watched', { ...siteOf({}), watch: { ...WATCH, kinds: 'any' } }],
		['a text as what IDs are made from', { ...siteOf({}), ids: 'random' }],
		['a text as a count', { ...siteOf({}), ids: { origin: 'x', counts: { aq3k7f: 'x' } } }],
		['the form of before', { siteName: 'A', info: { fields: null, values: {} } }],
	])('with %s in place of a site still holds the others', (_name, damaged) => {
		const sites = { ...(stored().sites as IDataObject), 1001: damaged } as IDataObject;

		expect(loaded({ ...stored(), sites }, 1001, -7).sites).toEqual([null, remembered(-7)]);
	});

	it('changes what was read, and forgets what is not watched any more', () => {
		const staticData = stored();
		const untouched = (staticData.sites as IDataObject)[-7];

		saveMemory(staticData, REST, new Map([[1003, siteOf({ siteName: 'C' })]]), [1003, -7]);

		expect(staticData.sites).toEqual({
			'-7': remembered(-7),
			1003: { ...siteOf({ siteName: 'C' }), readAt: READ_AT },
		});
		expect((staticData.sites as IDataObject)[-7]).toBe(untouched);
	});

	it('forgets all sites of another source', () => {
		const staticData = stored();

		saveMemory(
			staticData,
			{ ...REST, source: 'elsewhere' },
			new Map([[1, siteOf({ siteName: 'C' })]]),
		);

		expect(staticData.sites).toEqual({ 1: { ...siteOf({ siteName: 'C' }), readAt: READ_AT } });
	});
});
