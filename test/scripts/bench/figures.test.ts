import { median, summarize } from '../../../scripts/bench/figures';

const RUN = {
	itemsArrived: 10,
	stepSeconds: 2,
	processSeconds: 5,
	cpuSeconds: 4,
	peakMemoryMB: 500,
	requests: 10,
	connections: 10,
	exchanges: 0,
	peakConcurrency: 3,
};

describe('the figures of the benchmark', () => {
	it.each([
		[[3], 3],
		[[10, 9, 1], 9],
		[[4, 1, 10, 2], 3],
	])('the median of %j is %d', (values, middle) => {
		expect(median(values)).toBe(middle);
	});

	it('are medians without what the process uses anyway, and tell of the run that lost most', () => {
		const runs = [RUN, { ...RUN, cpuSeconds: 9, itemsArrived: 7 }, { ...RUN, cpuSeconds: 3 }];
		const baselines = [{ cpuSeconds: 3, peakMemoryMB: 400 }];

		expect(summarize(runs, baselines, 10, 5)).toMatchObject({
			itemsArrived: 7,
			itemsLost: 3,
			stepSeconds: 2,
			cpuSeconds: 1,
			cpuMsPerItem: 100,
			memoryGrowthMB: 100,
			requestsPerSite: 2,
		});
	});
});
