import { DAY_MS, SECOND_MS } from '../utils/time';

/** A longer `Retry-After` can only be a mistake. */
const MAX_RETRY_AFTER_MS = DAY_MS;

/** Matches `Wed, 21 Oct 2026 07:28:00 GMT`, and the two older forms, which begin with a weekday, too. */
const HTTP_DATE = /^\s*[A-Z][a-z]{2,8},? /;

/** Matches `Wed Oct 21 07:28:00 2026`: the oldest form names no zone, and means GMT. */
const WITHOUT_ZONE = /:\d\d( \d{4})?\s*$/;

/** By lower-case name. */
type Headers = Readonly<Record<string, unknown>>;

/**
 * Returns how long `Retry-After` asks to wait (RFC 9110, 10.2.3), in milliseconds; undefined without a usable one. Compares a
 * date with the answer's own `Date`, because this machine's clock may be wrong.
 */
export function retryAfterMs({ 'retry-after': value, date }: Headers): number | undefined {
	if (typeof value !== 'string') return undefined;
	if (/^\s*\d+\s*$/.test(value)) return Math.min(MAX_RETRY_AFTER_MS, Number(value) * SECOND_MS);
	const until = parseDate(value);
	if (until === undefined) return undefined;
	const waitMs = until - (parseDate(date) ?? Date.now());
	return Math.min(MAX_RETRY_AFTER_MS, Math.max(0, waitMs));
}

function parseDate(value: unknown): number | undefined {
	if (typeof value !== 'string' || !HTTP_DATE.test(value)) return undefined;
	const date = Date.parse(WITHOUT_ZONE.test(value) ? `${value} GMT` : value);
	return Number.isNaN(date) ? undefined : date;
}
