import type { SeenSite } from '../../../../nodes/Aquaculture/trigger/changeItem';
import {
	readingOrder,
	recordsAfter,
	type SiteRecord,
} from '../../../../nodes/Aquaculture/trigger/record';

const NOTHING = { readAt: () => undefined };
const UNSEEN = { seen: new Map<number, SeenSite>(), failures: [] };

it.each<[string, Array<[watched: number[], count: number, asked: number[]]>]>([
	[
		'begins with those that were asked for longest ago, each as often as the others',
		[
			[[1, 2, 3, 4, 5], 2, [1, 2]],
			[[1, 2, 3, 4, 5], 2, [3, 4]],
			[[1, 2, 3, 4, 5], 2, [5, 1]],
			[[1, 2, 3, 4, 5], 3, [2, 3, 4]],
			[[1, 2, 3, 4, 5], 3, [5, 1, 2]],
		],
	],
	[
		'begins with a site that is added, and forgets one that is taken out',
		[
			[[1, 2], 2, [1, 2]],
			[[1, 2, 9], 1, [9]],
			[[1, 9], 1, [1]],
			[[1, 2, 9], 1, [2]],
		],
	],
])('the order in which a trigger reads its sites %s', (_name, polls) => {
	let known = new Map<number, SiteRecord>();
	const order = polls.map(([siteIds, count]) => {
		const first = readingOrder(siteIds, known, NOTHING).slice(0, count);
		known = recordsAfter(known, siteIds, { ...UNSEEN, asked: first });
		return first;
	});

	expect(order).toEqual(polls.map(([, , expected]) => expected));
	expect([...known.keys()].toSorted()).toEqual(polls.at(-1)?.[0]);
});

it('the order in which a trigger reads its sites is that of what is remembered after a restart, after the sites of which nothing is', () => {
	const times = new Map([
		[1, 30],
		[2, 10],
		[3, 20],
	]);
	const remembered = { readAt: (siteId: number) => times.get(siteId) };

	expect(readingOrder([1, 2, 3, 4], new Map(), remembered)).toEqual([4, 2, 3, 1]);
});
