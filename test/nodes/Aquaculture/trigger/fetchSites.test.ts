import { FetchOrder } from '../../../../nodes/Aquaculture/trigger/fetchSites';
import { systemClock } from '../../../../nodes/Aquaculture/utils/clock';
import { MINUTE_MS } from '../../../../nodes/Aquaculture/utils/time';

const named = (...siteIds: number[]) => siteIds.map((siteId) => ({ siteId, siteName: null }));

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('a poll requests new sites first, then those that were requested longest ago', () => {
	const order = new FetchOrder();
	const sorted = () =>
		order.sort(named(1, 2, 3, 9), new Set([1, 2, 3])).map(({ siteId }) => siteId);
	const request = (...siteIds: number[]) => {
		jest.advanceTimersByTime(MINUTE_MS);
		order.reportRequested(named(...siteIds), systemClock.now());
	};

	expect(sorted()).toEqual([9, 1, 2, 3]);
	request(9, 1, 2);
	expect(sorted()).toEqual([3, 9, 1, 2]);
	request(3, 9);
	expect(sorted()).toEqual([1, 2, 3, 9]);
	expect(named(3, 1, 7).map((site) => order.sinceRequested(site, systemClock.now()))).toEqual([
		{ milliseconds: 0, polls: 0 },
		{ milliseconds: MINUTE_MS, polls: 1 },
		{ milliseconds: 2 * MINUTE_MS, polls: 2 },
	]);
});
