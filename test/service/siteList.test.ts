import { checkSiteList, siteListDocument } from '../../service/siteList';
import { LIST_SHAPES, listSites } from '../../emulator/siteList';
import { SITES } from '../../emulator/sites';

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

it.each<[string, unknown]>([
	['too large to be exact', { siteId: 2 ** 53, siteName: 'A', parts: [NORDVIK] }],
	['no whole number', { siteId: 1001.5, parts: [NORDVIK] }],
	['spelt with leading zeros', { siteId: '01001', parts: [NORDVIK] }],
])(
	'the sites of a list leave out an object whose ID is %s, with everything in it',
	(_how, site) => {
		expect(namesIn([STORVÅGEN, site])).toBe('1001 Storvågen');
		expect(checkSiteList([STORVÅGEN, site]).value?.unusable).toEqual([
			String((site as typeof STORVÅGEN).siteId),
		]);
	},
);

it.each<[string, unknown]>([
	['null', { siteId: null, sites: [NORDVIK] }],
	['another text', { siteId: 'all', sites: [NORDVIK] }],
])('the sites of a list may be inside an object whose ID is %s', (_how, body) => {
	expect(namesIn(body)).toBe('1002 Nordvik');
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

describe('a part of a list of sites', () => {
	const many = (count: number) => Array.from({ length: count }, (_, siteId) => ({ siteId }));

	it.each<[unknown, boolean]>([
		[many(10_000), true],
		[[...many(10_000), { siteId: 5, siteName: 'again' }], true],
		[many(10_001), false],
		[{ sites: [STORVÅGEN], next: 'https://data.example.com/list?page=2' }, false],
		[{ sites: [STORVÅGEN], paging: { hasNextPage: true } }, false],
		[{ sites: [STORVÅGEN], '@odata.nextLink': { href: '/2' } }, false],
		[
			{ sites: [STORVÅGEN], next: null, hasNext: false, nextPage: '', NEXT: {}, nextOnes: [] },
			true,
		],
		[{ sites: [STORVÅGEN], links: { next: { href: null } } }, true],
		[{ sites: [STORVÅGEN], nextUpdateAt: '2026-12-01', hasNext: 'false', nextPage: 'none' }, true],
		[{ sites: [STORVÅGEN], links: { next: { href: '/list?page=2' } } }, false],
		[{ sites: [STORVÅGEN], next_page_url: '/2' }, false],
		[{ sites: [{ ...STORVÅGEN, nextInspection: '2026-12-01' }] }, true],
	])(
		'a list of sites is not whole if it has too many sites or speaks of more: %#',
		(body, isWhole) => {
			const { value } = checkSiteList(body);

			expect(value?.isWhole).toBe(isWhole);
			expect(value?.sites.length).toBeLessThanOrEqual(10_000);
		},
	);
});

it('the list is asked for at the address as it was entered', () => {
	expect(siteListDocument('/list/of/sites?all=true').path).toBe('/list/of/sites?all=true');
});
