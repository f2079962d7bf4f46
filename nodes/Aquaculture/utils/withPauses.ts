import { sleep } from 'n8n-workflow';

/**
 * n8n takes about a millisecond to evaluate the expressions of an item (docs/architecture.md, n8n 9), and a 40th of one to
 * create an error.
 */
const VALUES_BETWEEN_PAUSES = 100;

/** Yields values, and lets n8n do its other work from time to time. */
export async function* withPauses<T>(values: Iterable<T>): AsyncGenerator<T> {
	let count = 0;
	for (const value of values) {
		yield value;
		count += 1;
		if (count % VALUES_BETWEEN_PAUSES === 0) await sleep(0);
	}
}
