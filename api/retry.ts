/** Statuses after which the same request may succeed a little later. */
const PASSING_STATUSES = [408, 429, 500, 502, 503, 504];

export function isPassingStatus(statusCode: number): boolean {
	return PASSING_STATUSES.includes(statusCode);
}

/**
 * How long to wait before the next try, in milliseconds: what `Retry-After` asks for, otherwise an exponential
 * backoff with full jitter.
 *
 * @param tries how many tries there have been, at least 1.
 * @param retryAfter the header's value, seconds or a date, where the answer had one.
 */
export function retryDelay(
	tries: number,
	retryAfter: unknown,
	{ now, random }: { now: number; random: number },
): number {
	const FIRST_CEILING_MS = 500;
	const LAST_CEILING_MS = 8000;
	return (
		parseRetryAfter(retryAfter, now) ??
		random * Math.min(LAST_CEILING_MS, FIRST_CEILING_MS * 2 ** (tries - 1))
	);
}

/** The time that `Retry-After` (RFC 9110, 10.2.3) asks to wait, in milliseconds; undefined where it says nothing. */
export function parseRetryAfter(value: unknown, now: number): number | undefined {
	if (typeof value !== 'string') return undefined;
	if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
	const date = Date.parse(value);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
