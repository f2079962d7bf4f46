/** Waits for work until a signal aborts, then returns undefined; the work continues. */
export async function unlessAborted<T>(
	work: Promise<T>,
	signal: AbortSignal | undefined,
): Promise<T | undefined> {
	if (signal?.aborted) {
		// Nobody else handles its rejection.
		work.catch(() => undefined);
		return undefined;
	}
	return await new Promise<T | undefined>((resolve, reject) => {
		const end = () => resolve(undefined);
		signal?.addEventListener('abort', end, { once: true });
		work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', end));
	});
}

/**
 * Returns a signal that aborts after this time. It is not the one of `AbortSignal.timeout` itself, which is lost to garbage
 * collection when combined by `AbortSignal.any` (Node.js 20.20).
 */
export function timeoutSignal(milliseconds: number): AbortSignal {
	const controller = new AbortController();
	const timeout = AbortSignal.timeout(Math.max(0, Math.ceil(milliseconds)));
	timeout.addEventListener('abort', () => controller.abort());
	return controller.signal;
}
