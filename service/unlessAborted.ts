/**
 * Waits for work that goes on when the wait is ended.
 *
 * @returns undefined once one of the signals is aborted.
 */
export async function unlessAborted<T>(
	work: Promise<T>,
	...signals: Array<AbortSignal | undefined>
): Promise<T | undefined> {
	if (signals.some((signal) => signal?.aborted)) return undefined;
	return await new Promise<T | undefined>((resolve, reject) => {
		const end = () => resolve(undefined);
		for (const signal of signals) signal?.addEventListener('abort', end, { once: true });
		work.then(resolve, reject).finally(() => {
			for (const signal of signals) signal?.removeEventListener('abort', end);
		});
	});
}
