/** npm and compilers may print nothing for minutes. */
const REPEAT_MS = 20_000;

/** Prints progress on standard error, beside the results. */
export function say(line: string): void {
	console.error(`• ${line}`);
}

/** Says what is being done, and says it again while it lasts, until the signal aborts. */
export async function withProgress<T>(
	what: string,
	work: Promise<T>,
	signal?: AbortSignal,
): Promise<T> {
	say(what);
	const beganAt = Date.now();
	const repeat = setInterval(() => {
		say(`${what} (${Math.round((Date.now() - beganAt) / 1000)} s so far)`);
	}, REPEAT_MS);
	const stop = () => clearInterval(repeat);
	signal?.addEventListener('abort', stop);
	try {
		return await work;
	} finally {
		stop();
		signal?.removeEventListener('abort', stop);
	}
}
