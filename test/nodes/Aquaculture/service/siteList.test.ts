import { checkSiteList, siteListDocument } from '../../../../nodes/Aquaculture/service/siteList';
import { LIST_SHAPES, listSites } from '../../../../emulator/siteList';
import { SITES } from '../../../../emulator/sites';

const STORVÅGEN = { siteId: 1001, siteName: 'Storvågen' };
const NORDVIK = { siteId: 1002, siteName: 'Nordvik' };
const namesIn = (body: unknown) => {
	const { value, fault } = checkSiteList(body);
	return fault ?? value.sites.map(({ siteId, name }) => `${siteId} ${name}`).join(', ');
};

it.each<[string, unknown, string]>([
	['objects in a list', [STORVÅGEN, NORDVIK], '1001 Storvågen, 1002 Nordvik'],
	[
		'objects at any depth',
		{ a: [{ b: { c: STORVÅGEN } }], d: NORDVIK },
		'1001 Storvågen, 1002 Nordvik',
	],
	['a single object', STORVÅGEN, '1001 Storvågen'],
	[
		'objects whose ID is in digits',
		[{ siteId: '1001', siteName: ' Storvågen ' }],
		'1001 Storvågen',
	],
	[
		'objects without a usable name',
		[{ siteId: 1 }, { siteId: 2, siteName: 7 }, { siteId: 3, siteName: ' ' }],
		'1 1, 2 2, 3 3',
	],
	[
		'each ID once, with its first name',
		[{ siteId: 1001 }, STORVÅGEN, { siteId: '1001', siteName: 'B' }],
		'1001 Storvågen',
	],
	['no objects inside a site', [{ ...STORVÅGEN, units: [NORDVIK] }], '1001 Storvågen'],
])('the sites of a list are %s', (_what, body, names) => {
	expect(namesIn(body)).toBe(names);
});

it.each<[number | string]>([[2 ** 53], [1001.5], ['01001']])(
	'the sites of a list leave out an object with the ID %j, with everything in it',
	(siteId) => {
		const list = [STORVÅGEN, { siteId, siteName: 'A', parts: [NORDVIK] }];

		expect(namesIn(list)).toBe('1001 Storvågen');
		expect(checkSiteList(list).value?.unusable).toEqual([String(siteId)]);
	},
);

it.each([null, 'all'])('the sites of a list may be inside an object with the ID %j', (siteId) => {
	expect(namesIn({ siteId, sites: [NORDVIK] })).toBe('1002 Nordvik');
});

it.each(LIST_SHAPES)(
	'the sites of a list are the same in the form "%s" of the emulator',
	(shape) => {
		const { value } = checkSiteList(JSON.parse(JSON.stringify(listSites(SITES, shape))));

		expect(value).toEqual({
			isWhole: true,
			unusable: [],
			sites: SITES.map(({ siteId, siteName }) => ({ siteId, name: siteName })),
		});
	},
);

it.each<[unknown, string]>([
	[
		[{ siteId: '01001' }, { siteId: 2 ** 53 }],
		'none of its site IDs can be used: "01001", "9007199254740992". An ID is a whole number without leading zeros, below 2^53',
	],
	[
		{ message: 'x', items: [], a: 1, b: 2, c: 3 },
		`it contains no object with a site ID in 'siteId', but the fields "message", "items", "a" and 2 more`,
	],
	[[], "it contains no object with a site ID in 'siteId'"],
	['1001', "it contains no object with a site ID in 'siteId'"],
	[null, "it contains no object with a site ID in 'siteId'"],
])(
	'the sites of a list are missing in %j, which is said with the fields at its top',
	(body, fault) => {
		expect(checkSiteList(body)).toEqual({ fault });
	},
);

it.each<[object, boolean]>([
	[{ next: 'https://data.example.com/list?page=2' }, false],
	[{ paging: { hasNextPage: true } }, false],
	[{ '@odata.nextLink': { href: '/2' } }, false],
	[{ links: { next: { href: '/list?page=2' } } }, false],
	[{ next_page_url: '/2' }, false],
	[{ next: null, hasNext: false, nextPage: '', NEXT: {}, nextOnes: [] }, true],
	[{ links: { next: { href: null } } }, true],
	[{ nextUpdateAt: '2026-12-01', hasNext: 'false', nextPage: 'none' }, true],
])('a list of sites beside %j is whole: %j', (more, isWhole) => {
	expect(checkSiteList({ sites: [STORVÅGEN], ...more }).value?.isWhole).toBe(isWhole);
	// A field of a site is not about the list.
	expect(checkSiteList([{ ...STORVÅGEN, ...more }]).value?.isWhole).toBe(true);
});

it.each([
	[10_000, true],
	[10_001, false],
])('a list of %d sites is whole: %j', (count, isWhole) => {
	const list = Array.from({ length: count }, (_, siteId) => ({ siteId }));
	const { value } = checkSiteList([...list, { siteId: 5, siteName: 'again' }]);

	expect([value?.isWhole, value?.sites.length]).toEqual([isWhole, 10_000]);
});

it('the list is asked for at the address as it was entered', () => {
	expect(siteListDocument('/list/of/sites?all=true').path).toBe('/list/of/sites?all=true');
});
