import { FetchOrder } from '../../../../nodes/Aquaculture/trigger/fetchSites';
import { systemClock } from '../../../../nodes/Aquaculture/utils/clock';
import { HOUR_MS, MINUTE_MS } from '../../../../nodes/Aquaculture/utils/time';

const named = (...siteIds: number[]) => siteIds.map((siteId) => ({ siteId, siteName: null }));

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('a poll requests new sites first, then those that were requested longest ago', () => {
	const order = new FetchOrder();
	const sorted = (...siteIds: number[]) =>
		order.sort(named(...siteIds), new Set([1, 2, 3])).map(({ siteId }) => siteId);
	const unread = (...siteIds: number[]) =>
		named(...siteIds).map((site) => order.sinceRequested(site, systemClock.now()));
	const request = (...siteIds: number[]) => {
		jest.advanceTimersByTime(MINUTE_MS);
		order.reportRequested(named(...siteIds), systemClock.now());
	};

	expect(sorted(1, 2, 3, 9)).toEqual([9, 1, 2, 3]);
	request(9, 1);
	expect(sorted(1, 2, 3, 9)).toEqual([2, 3, 9, 1]);
	request(3, 9);
	expect(sorted(1, 2, 3, 9)).toEqual([2, 1, 3, 9]);
	expect(unread(3, 1, 2)).toEqual([
		{ milliseconds: 0, polls: 0 },
		{ milliseconds: MINUTE_MS, polls: 1 },
		{ milliseconds: 2 * MINUTE_MS, polls: 2 },
	]);
});

it('a site that is added, or put back, counts as unread since then', () => {
	const order = new FetchOrder();
	order.sort(named(1, 2), new Set());
	order.reportRequested(named(1, 2), systemClock.now());
	jest.advanceTimersByTime(HOUR_MS);
	order.sort(named(1), new Set());
	order.reportRequested(named(1), systemClock.now());

	order.sort(named(1, 2, 3), new Set());

	for (const site of named(2, 3)) {
		expect(order.sinceRequested(site, systemClock.now())).toEqual({ milliseconds: 0, polls: 0 });
	}
});
