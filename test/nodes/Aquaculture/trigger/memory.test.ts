import type { IDataObject } from 'n8n-workflow';
import type { Site } from '../../../../service/siteAnswer';
import {
	loadMemory,
	saveMemory,
	type RememberedSite,
} from '../../../../nodes/Aquaculture/trigger/memory';
import type { Watch } from '../../../../nodes/Aquaculture/trigger/watch';

const WATCH: Watch = { kinds: ['any'], additionalIncludes: [] };
const siteOf = (site: Site): RememberedSite => ({
	watch: WATCH,
	site,
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
const NOTHING = { source: '', failures: { reported: {}, failing: [] }, revision: 0 };

const saved = (): IDataObject => {
	const staticData: IDataObject = {};
	saveMemory(staticData, REST, SITES);
	return JSON.parse(JSON.stringify(staticData)) as IDataObject;
};
const STORED = saved();
/** When the sites were read. */
const { readAt: READ_AT } = (STORED.sites as Record<string, { readAt: number }>)[1001]!;
const stored = () => structuredClone(STORED);
/** What is remembered of a site that was read then. */
const remembered = (siteId: number) => ({ ...SITES.get(siteId), readAt: READ_AT });
/** What comes back, with the sites that are asked for. */
const loaded = (staticData: IDataObject, ...siteIds: number[]) => {
	const { sites, ...memory } = loadMemory(staticData);
	return { ...memory, sites: siteIds.map((siteId) => sites.get(siteId)) };
};

it('the memory of a trigger comes back as it was stored, with the time at which each site was read', () => {
	expect(loaded(stored(), 1001, -7, 1002)).toEqual({
		...REST,
		isDamaged: false,
		sites: [remembered(1001), remembered(-7), undefined],
	});
	expect(Math.abs(Date.now() - READ_AT)).toBeLessThan(60_000);
});

it.each<[string, IDataObject, number | undefined]>([
	['is remembered', stored(), READ_AT],
	['is not remembered', {}, undefined],
	['is damaged', { ...stored(), sites: { 1001: { readAt: 'now' } } }, undefined],
])('the memory of a trigger says when a site was read that %s', (_name, staticData, expected) => {
	expect(loadMemory(staticData).sites.readAt(1001)).toBe(expected);
});

it.each<[string, IDataObject, boolean]>([
	['nothing', {}, false],
	['what another node has stored', { lastItem: '2026-03-02' }, false],
	['another form', { ...stored(), version: 2 }, true],
	['no form', { ...stored(), version: undefined }, true],
	['no source', { ...stored(), source: 7 }, true],
])(
	'the memory of a trigger counts as none if there is %s in its place',
	(_name, staticData, isDamaged) => {
		expect(loaded(staticData, 1001)).toEqual({ ...NOTHING, isDamaged, sites: [undefined] });
	},
);

it.each([null, 'edited', [], 7])(
	'the memory of a trigger is damaged if its sites are %j',
	(sites) => {
		const { isDamaged, failures } = loadMemory({ ...stored(), sites } as IDataObject);

		expect([isDamaged, failures]).toEqual([true, REST.failures]);
	},
);

it.each<['failures' | 'revision', unknown]>([
	['failures', undefined],
	['failures', 'edited'],
	['failures', [{ subject: 1001 }]],
	['failures', { reported: {} }],
	['failures', { reported: { '1001 404': 'x' }, failing: [] }],
	['failures', { reported: {}, failing: ['x'] }],
	['revision', undefined],
	['revision', '7'],
	['revision', 1.5],
])('the memory of a trigger still holds the rest if the part %s is %j', (part, damaged) => {
	const memory = loaded({ ...stored(), [part]: damaged } as IDataObject, -7);

	const rest = { ...REST, [part]: NOTHING[part] };
	expect(memory).toEqual({ ...rest, isDamaged: false, sites: [remembered(-7)] });
});

it.each<[string, unknown]>([
	['null', null],
	['a text', 'edited'],
	['a site whose name is a number', siteOf({ siteName: 7 } as unknown as Site)],
	['a site whose unit is a number', siteOf({ units: [5] } as unknown as Site)],
	['no site', { ...siteOf({}), site: undefined }],
	['nothing about what was watched', { ...siteOf({}), watch: undefined }],
	['a text as what was watched', { ...siteOf({}), watch: { ...WATCH, kinds: 'any' } }],
	['a text as what IDs are made from', { ...siteOf({}), ids: 'random' }],
	['a text as a count', { ...siteOf({}), ids: { origin: 'x', counts: { aq3k7f: 'x' } } }],
])(
	'the memory of a trigger still holds the other sites if there is %s in place of one',
	(_name, damaged) => {
		const sites = { ...(stored().sites as IDataObject), 1001: damaged } as IDataObject;

		expect(loaded({ ...stored(), sites }, 1001, -7).sites).toEqual([null, remembered(-7)]);
	},
);

it('the memory of a trigger changes what was read, and forgets what is not watched any more', () => {
	const staticData = stored();
	const untouched = (staticData.sites as IDataObject)[-7];

	saveMemory(staticData, REST, new Map([[1003, siteOf({ siteName: 'C' })]]), [1003, -7]);

	expect(loaded(staticData, 1001, 1003).sites).toMatchObject([
		undefined,
		siteOf({ siteName: 'C' }),
	]);
	expect((staticData.sites as IDataObject)[-7]).toBe(untouched);
});

it('the memory of a trigger forgets all sites of another source', () => {
	const staticData = stored();
	const other = { ...REST, source: 'elsewhere' };

	saveMemory(staticData, other, new Map([[1, siteOf({ siteName: 'C' })]]));

	expect(Object.keys(staticData.sites as IDataObject)).toEqual(['1']);
});
