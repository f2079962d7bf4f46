import type { MemorySample } from './probe.mjs';

/** How the memory of a process has grown. */
export interface Growth {
	/** Megabytes at the end, after a collection. */
	heapMB: number;
	rssMB: number;
	/** Megabytes in an hour, in the second half of the time. */
	heapPerHour: number;
	rssPerHour: number;
	samples: number;
}

/**
 * The growth in the second half of the time: in the first one, n8n compiles its code and fills its caches.
 *
 * @throws Error where there are too few samples.
 */
export function growthOf(samples: readonly MemorySample[]): Growth {
	const later = samples.slice(Math.floor(samples.length / 2));
	const last = later.at(-1);
	if (!last || later.length < 2) throw new Error('The memory was not sampled');
	return {
		heapMB: last.heap,
		rssMB: last.rss,
		heapPerHour: slopePerHour(later, 'heap'),
		rssPerHour: slopePerHour(later, 'rss'),
		samples: samples.length,
	};
}

/** The median of the slopes between all pairs of samples (Theil and Sen), on which single peaks have no effect. */
function slopePerHour(samples: readonly MemorySample[], figure: 'heap' | 'rss'): number {
	const HOUR_MS = 3600 * 1000;
	const slopes = samples
		.flatMap((one, index) =>
			samples
				.slice(index + 1)
				.map((other) => ((other[figure] - one[figure]) * HOUR_MS) / (other.at - one.at)),
		)
		.sort((one, other) => one - other);
	const middle = slopes.length / 2;
	return ((slopes[Math.ceil(middle) - 1] ?? NaN) + (slopes[Math.floor(middle)] ?? NaN)) / 2;
}
