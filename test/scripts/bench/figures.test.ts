import { median, shortestSeconds, summarize } from '../../../scripts/bench/figures';

const RUN = {
	itemsArrived: 10,
	stepSeconds: 2,
	processSeconds: 5,
	cpuSeconds: 4,
	peakMemoryMB: 500,
	requests: 10,
	connections: 10,
	exchanges: 0,
	refusals: 0,
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

		const load = { items: 10, distinctSites: 5, requestsPerMinute: 0 };

		expect(summarize(runs, baselines, load)).toMatchObject({
			itemsArrived: 7,
			itemsLost: 3,
			stepSeconds: 2,
			cpuSeconds: 1,
			cpuMsPerItem: 100,
			memoryGrowthMB: 100,
			requestsPerSite: 2,
		});
	});

	it('compare the time of a step with the shortest one that the limit allows', () => {
		const load = { items: 250, distinctSites: 250, requestsPerMinute: 100 };
		const runs = [{ ...RUN, stepSeconds: 126, refusals: 3 }];

		expect(summarize(runs, [], load)).toMatchObject({ timesShortest: 1.05, refusals: 3 });
	});

	it.each([
		[100, 0],
		[101, 60],
		[250, 120],
		[1000, 540],
		[5000, 2940],
	])(
		'%d sites take %d seconds at least where 100 requests a minute are allowed',
		(sites, seconds) => {
			expect(shortestSeconds(sites, 100)).toBe(seconds);
		},
	);
});
