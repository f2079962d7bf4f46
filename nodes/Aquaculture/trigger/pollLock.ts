import type { PollKind } from '../n8n/polling';
import { systemClock, MINUTE_MS, SECOND_MS } from '../utils/time';

/* May a poll run, and for how long? */

/** Bounds a poll. */
export const MAX_POLL_MS = 4 * MINUTE_MS;
/** The part of a poll that one site may take, so that a site that does not answer fails before the poll ends. */
export const MAX_SITE_SHARE = 0.9;
/** Bounds a poll that a person waits for. Any other poll may take this long even if the next one is near. */
export const INTERACTIVE_POLL_MS = 28 * SECOND_MS;
/** End a poll this long before the next one, to leave time for the execution that it starts. */
const GAP_BEFORE_NEXT_POLL_MS = 20 * SECOND_MS;
/** A poll that still runs this long after its end is stuck; do not let it block the next one. */
const STUCK_AFTER_MS = 30 * SECOND_MS;

export interface ActivePoll {
	kind: PollKind;
	/** By {@link systemClock}, like its end. */
	beganAt: number;
	endsAt: number;
	/** Aborts when another poll takes over. This one must then send, report and store nothing more. */
	signal: AbortSignal;
}

/** Lets a trigger have one poll at a time, because two that overlap would report the same changes. */
export class PollLock {
	private running: ActivePoll | undefined;
	private abortController = new AbortController();
	/** When the last regular poll since the activation was due, even if none began: the interval tells when the next one is. */
	private lastDueAt: number | undefined;

	/**
	 * Begins a poll. An activation aborts the one that is running, which may have begun before an edit of the workflow.
	 *
	 * @param budgetMs how long n8n wants it to take at most. The 36 seconds of n8n's scheduler are enough for 50 sites, the half of the
	 *   request limit that polls may use.
	 * @returns undefined if another poll is running.
	 */
	begin(kind: 'activation' | 'regular', budgetMs: number): ActivePoll | undefined {
		const now = systemClock.now();
		const intervalMs = this.lastDueAt === undefined ? Infinity : now - this.lastDueAt;
		this.lastDueAt = kind === 'activation' ? undefined : now;
		const isBusy = this.running !== undefined && now < this.running.endsAt + STUCK_AFTER_MS;
		if (isBusy && kind === 'regular') return undefined;

		this.abortController.abort();
		this.abortController = new AbortController();
		const maxMs = kind === 'activation' ? INTERACTIVE_POLL_MS : MAX_POLL_MS;
		const untilGapMs = Math.max(intervalMs - GAP_BEFORE_NEXT_POLL_MS, INTERACTIVE_POLL_MS);
		this.running = {
			kind,
			beganAt: now,
			endsAt: now + Math.min(maxMs, untilGapMs, budgetMs),
			signal: this.abortController.signal,
		};
		return this.running;
	}

	end(poll: ActivePoll): void {
		if (this.running === poll) this.running = undefined;
	}
}
