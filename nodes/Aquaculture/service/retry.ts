import { DAY_MS, SECOND_MS } from '../utils/time';

/**
 * A request that is answered with one of these is sent again; so is one without an answer (`requestFailures.ts`). 408: the request took
 * too long to arrive. 500: "a fault of the service (rare)". Gateways send the others while the service restarts.
 */
const RETRIED_STATUSES = [408, 500, 502, 503, 504];

export function isRetried(statusCode: number): boolean {
	return RETRIED_STATUSES.includes(statusCode);
}

/** Pauses after each try. Together, in an execution, they outlast a restart of the service. */
const PAUSES_MS = [2, 5, 10, 20].map((seconds) => seconds * SECOND_MS);
/** Vary each pause by up to this part, so that requests that failed together are not sent again together. */
const JITTER = 0.2;

/** How many tries there are at most. */
export const MAX_TRIES = PAUSES_MS.length + 1;

/**
 * Returns how long to wait after a try, in whole milliseconds: a growing pause, or what the service asks for if that is longer.
 *
 * @param tries the number of tries so far, from 1. After the last one there is no pause.
 */
export function retryPauseMs(tries: number, askedMs = 0): number {
	const pauseMs = PAUSES_MS[tries - 1] ?? 0;
	return Math.max(askedMs, Math.round(pauseMs * (1 + JITTER * (2 * Math.random() - 1))));
}

/** A longer `Retry-After` can only be a mistake. */
const MAX_RETRY_AFTER_MS = DAY_MS;

/** By lower-case name. */
type Headers = Readonly<Record<string, unknown>>;

/**
 * Returns how long `Retry-After` asks to wait, in milliseconds; undefined without a usable one. It is documented as seconds: the date
 * that HTTP allows, too (RFC 9110, 10.2.3), is not read.
 */
export function retryAfterMs({ 'retry-after': value }: Headers): number | undefined {
	const isCount = typeof value === 'string' && /^\s*\d+\s*$/.test(value);
	return isCount ? Math.min(MAX_RETRY_AFTER_MS, Number(value) * SECOND_MS) : undefined;
}
