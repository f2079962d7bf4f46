import { median } from '../figures';
import type { MemorySample } from './probe.mjs';

/**
 * How fast a heap has grown in the second half of the samples, in megabytes an hour: in the first half, n8n compiles its
 * code and fills its caches. The median of the slopes between all pairs of samples (Theil and Sen) ignores single peaks.
 *
 * @throws Error if there are too few samples.
 */
export function heapPerHour(samples: readonly MemorySample[]): number {
	const later = samples.slice(Math.floor(samples.length / 2));
	if (later.length < 2) throw new Error('The memory was not sampled');
	const HOUR_MS = 3600 * 1000;
	return median(
		later.flatMap((one, index) =>
			later
				.slice(index + 1)
				.map((other) => ((other.heapMB - one.heapMB) * HOUR_MS) / (other.at - one.at)),
		),
	);
}

/** Names the texts that contain a secret; never the secret. */
export function textsWithSecrets(
	texts: Readonly<Record<string, string>>,
	secrets: readonly string[],
): string[] {
	return Object.entries(texts)
		.filter(([, text]) => secrets.some((secret) => text.includes(secret)))
		.map(([name]) => name);
}
