import { DAY_MS, SECOND_MS } from '../messages/duration';

/** Statuses after which the same request may succeed a little later. */
const RETRYABLE_STATUSES = [408, 500, 502, 503, 504];

/** The account has sent more requests than the service takes (docs/service-interface.md, "Rate Limits"). */
export const TOO_MANY_REQUESTS = 429;

export function isRetryableStatus(statusCode: number): boolean {
	return RETRYABLE_STATUSES.includes(statusCode);
}

/**
 * How long to wait after a try, in whole milliseconds: an exponential backoff with full jitter, or what the service asks
 * for if that is longer.
 *
 * @param tries how many tries there have been, at least 1.
 */
export function pauseAfter(tries: number, askedMs = 0): number {
	const FIRST_CEILING_MS = 500;
	const LAST_CEILING_MS = 8000;
	const ceiling = Math.min(LAST_CEILING_MS, FIRST_CEILING_MS * 2 ** (tries - 1));
	return Math.max(askedMs, Math.round(Math.random() * ceiling));
}

/** `Wed, 21 Oct 2026 07:28:00 GMT`, or an older form that begins with a weekday as well. */
const HTTP_DATE = /^\s*[A-Z][a-z]{2,8},? /;

/** Longer waits are cut to a day. The operator's rule has no such bound, but more can only be a fault. */
const LONGEST_WAIT_MS = DAY_MS;

/** Those of an answer, by lower-case name. */
type Headers = Readonly<Record<string, unknown>>;

/**
 * The time that `Retry-After` (RFC 9110, 10.2.3) asks to wait, in milliseconds; undefined if it says nothing. A date in
 * it is read by the answer's own `Date`: this machine's clock may be wrong.
 */
export function retryAfterMs({ 'retry-after': value, date }: Headers): number | undefined {
	if (typeof value !== 'string') return undefined;
	if (/^\s*\d+\s*$/.test(value)) return Math.min(LONGEST_WAIT_MS, Number(value) * SECOND_MS);
	const until = parseDate(value);
	if (until === undefined) return undefined;
	const waitMs = until - (parseDate(date) ?? Date.now());
	return Math.min(LONGEST_WAIT_MS, Math.max(0, waitMs));
}

function parseDate(value: unknown): number | undefined {
	const date = typeof value === 'string' && HTTP_DATE.test(value) ? Date.parse(value) : NaN;
	return Number.isNaN(date) ? undefined : date;
}

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

/**
 * A signal that is aborted after so many milliseconds. Not that of `AbortSignal.timeout` itself: with `AbortSignal.any`, it
 * is lost to garbage collection (Node.js 20.20).
 */
export function abortedAfter(milliseconds: number): AbortSignal {
	const controller = new AbortController();
	const timeout = AbortSignal.timeout(Math.max(0, Math.ceil(milliseconds)));
	timeout.addEventListener('abort', () => controller.abort());
	return controller.signal;
}
