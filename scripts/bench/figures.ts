import type { Run } from './arena';
import type { Usage } from './probe.mjs';

/**
 * The medians of the runs of a contestant in a scenario.
 *
 * CPU time and memory are net: what the same process uses without the requests is taken off.
 */
export interface Figures {
	/** Items that arrived, in the worst run. */
	itemsArrived: number;
	/** Items that did not, in the worst run. */
	itemsLost: number;
	/** Seconds of the step that makes the requests. */
	stepSeconds: number;
	/** Seconds of the whole process. */
	processSeconds: number;
	/** CPU seconds of the step. */
	cpuSeconds: number;
	/** CPU milliseconds of the step for each item. */
	cpuMsPerItem: number;
	/** Megabytes that the peak of the memory grows by. */
	memoryGrowthMB: number;
	/** Megabytes of the process at its peak. */
	peakMemoryMB: number;
	requests: number;
	/** Requests for each different site. */
	requestsPerSite: number;
	/** TCP connections. */
	connections: number;
	/** Tokens that were issued. */
	exchanges: number;
	/** Requests that the service had under way at once. */
	peakConcurrency: number;
	/** Requests that the service refused because there were too many. */
	refusals: number;
	/** Time of the step as a multiple of the shortest one that the limit allows; 0 without a limit. */
	timesShortest: number;
}

/** How much a run has to do. */
interface Load {
	/** Items that it is to put out. */
	items: number;
	/** Different sites among them. */
	distinctSites: number;
	/** How many requests a minute the service takes; 0 for any number. */
	requestsPerMinute: number;
}

/**
 * @param runs of a contestant, at least one.
 * @param baselines runs of the same process without the requests.
 */
export function summarize(
	runs: readonly Run[],
	baselines: readonly Usage[],
	{ items, distinctSites, requestsPerMinute }: Load,
): Figures {
	const of = (name: keyof Run) => median(runs.map((run) => run[name]));
	const net = (name: keyof Usage) => of(name) - median(baselines.map((usage) => usage[name]));
	const cpuSeconds = net('cpuSeconds');
	const itemsArrived = Math.min(...runs.map((run) => run.itemsArrived));
	return {
		itemsArrived,
		itemsLost: items - itemsArrived,
		stepSeconds: of('stepSeconds'),
		processSeconds: of('processSeconds'),
		cpuSeconds,
		cpuMsPerItem: (1000 * cpuSeconds) / items,
		memoryGrowthMB: net('peakMemoryMB'),
		peakMemoryMB: of('peakMemoryMB'),
		requests: of('requests'),
		requestsPerSite: of('requests') / distinctSites,
		connections: of('connections'),
		exchanges: of('exchanges'),
		peakConcurrency: of('peakConcurrency'),
		refusals: of('refusals'),
		timesShortest:
			requestsPerMinute > 0
				? of('stepSeconds') / shortestSeconds(distinctSites, requestsPerMinute)
				: 0,
	};
}

/** The shortest time, in seconds, in which so many sites can be read: a first load goes at once, another one each minute. */
export function shortestSeconds(sites: number, requestsPerMinute: number): number {
	return (Math.ceil(sites / requestsPerMinute) - 1) * 60;
}

/** The middle of some values, of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	const middle = (sorted.length - 1) / 2;
	const at = (index: number) => sorted[index] ?? NaN;
	return (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2;
}
