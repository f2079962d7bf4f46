import { MINUTE_MS, SECOND_MS } from '../utils/time';

/* How long the parts of a poll may take, in milliseconds. */

/** Bounds a poll. */
export const MAX_POLL_MS = 4 * MINUTE_MS;
/** Bounds a poll that a person waits for. Any other poll may take this long even if the next one is near. */
export const INTERACTIVE_POLL_MS = 28 * SECOND_MS;
/** End a poll this long before the next one, to leave time for the execution that it starts. */
export const GAP_BEFORE_NEXT_POLL_MS = 20 * SECOND_MS;
/** A poll that still runs this long after its end is stuck; do not let it block the next one. */
export const STUCK_AFTER_MS = 30 * SECOND_MS;
/** Send no request in the last second of a poll: there would be no time for its answer. */
export const RESERVE_MS = SECOND_MS;

/** Bounds all tries of a site. */
export const ALL_TRIES_MS = 25 * SECOND_MS;
/** The part of a poll that one site may take, so that a site that does not answer fails before the poll ends. */
export const MAX_SITE_SHARE = 0.9;
