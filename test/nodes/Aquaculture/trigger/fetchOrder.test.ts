import { FetchOrder } from '../../../../nodes/Aquaculture/trigger/fetchOrder';

const named = (...siteIds: number[]) => siteIds.map((siteId) => ({ siteId, siteName: null }));

it('a poll requests new sites first, then those that were requested longest ago', () => {
	const order = new FetchOrder();
	const sorted = (...siteIds: number[]) =>
		order.sort(named(...siteIds), new Set([1, 2, 3])).map(({ siteId }) => siteId);
	const since = (...siteIds: number[]) =>
		named(...siteIds).map((site) => order.sinceResult(site, 2000));

	expect(sorted(1, 2, 3, 9)).toEqual([9, 1, 2, 3]);
	order.recordPoll(named(9, 1), named(2, 3), 1000);
	expect(sorted(1, 2, 3, 9)).toEqual([2, 3, 9, 1]);
	order.recordPoll(named(3, 9), named(2, 1), 2000);
	expect(sorted(1, 2, 3, 9, 8)).toEqual([8, 2, 1, 3, 9]);
	expect(since(3, 1, 2)).toEqual([
		{ milliseconds: 0, polls: 0 },
		{ milliseconds: 1000, polls: 1 },
		{ milliseconds: 1000, polls: 2 },
	]);
});

it('a site that is added, or put back, counts as unread since then', () => {
	const order = new FetchOrder();
	order.recordPoll(named(1, 2), [], 1000);
	order.recordPoll(named(1), [], 2000);
	order.recordPoll([], named(1, 2, 3), 3000);

	for (const site of named(2, 3)) {
		expect(order.sinceResult(site, 3000)).toEqual({ milliseconds: 0, polls: 1 });
	}
});
