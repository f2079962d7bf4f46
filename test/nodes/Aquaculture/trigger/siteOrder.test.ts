import { SiteOrder } from '../../../../nodes/Aquaculture/trigger/siteOrder';

const NOTHING = { readAt: () => undefined };

describe('the order in which a trigger reads its sites', () => {
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
	])('%s', (_name, polls) => {
		const order = new SiteOrder();
		const asked = polls.map(([watched, count]) => {
			const first = order.of(watched, NOTHING).slice(0, count);
			order.note(first);
			return first;
		});

		expect(asked).toEqual(polls.map(([, , expected]) => expected));
	});

	it('is that of what is remembered after a restart, after the sites of which nothing is', () => {
		const times = new Map([
			[1, 30],
			[2, 10],
			[3, 20],
		]);

		expect(new SiteOrder().of([1, 2, 3, 4], { readAt: (siteId) => times.get(siteId) })).toEqual([
			4, 2, 3, 1,
		]);
	});
});
