import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../utils/clock';
import { MINUTE_MS, SECOND_MS } from '../utils/time';
import { isActivation } from './isActivation';

/** Bounds a poll. */
export const MAX_POLL_MS = 4 * MINUTE_MS;
/** Bounds a poll that a person waits for. Any other poll may take this long even if the next one is near. */
export const INTERACTIVE_POLL_MS = 28 * SECOND_MS;
/** End a poll this long before the next one, to leave time for the execution that it starts. */
const GAP_BEFORE_NEXT_POLL_MS = 20 * SECOND_MS;
/** A poll that still runs this long after its end is stuck; do not let it block the next one. */
const STUCK_AFTER_MS = 30 * SECOND_MS;

export interface ActivePoll {
	/** A person waits for the first two: n8n activates the workflow, or somebody fetches a test event. */
	kind: 'activation' | 'testEvent' | 'regular';
	/** By {@link systemClock}, like its end. */
	beganAt: number;
	endsAt: number;
	/** Aborts when another poll takes over. This one must then send, report and store nothing more. */
	signal: AbortSignal;
}

/**
 * Lets a trigger have one poll at a time: two that overlap would report the same changes. n8n starts a poll although another one
 * of the trigger is running (1.123 and 2.40), and cannot cancel the requests of a poll that it has given up (2.40's scheduler).
 */
export class PollLock {
	/** The contexts of earlier polls, which n8n may release: the scheduler makes a new one for each poll. */
	private readonly polledContexts = new WeakSet<IPollFunctions>();
	private running: ActivePoll | undefined;
	private abortController = new AbortController();
	/** When n8n polled last since the activation: the interval tells when the next poll comes. */
	private polledAt: number | undefined;

	/**
	 * Begins a poll. An activation aborts the one that is running, which may have begun before an edit of the workflow.
	 *
	 * @returns undefined if another poll is running.
	 */
	begin(context: IPollFunctions): ActivePoll | undefined {
		const now = systemClock.now();
		const kind = isActivation(context, this.polledContexts) ? 'activation' : 'regular';
		this.polledContexts.add(context);
		const intervalMs = this.polledAt === undefined ? Infinity : now - this.polledAt;
		this.polledAt = kind === 'activation' ? undefined : now;
		const isBusy = this.running !== undefined && now < this.running.endsAt + STUCK_AFTER_MS;
		if (isBusy && kind === 'regular') return undefined;

		this.abortController.abort();
		this.abortController = new AbortController();
		const maxMs = kind === 'activation' ? INTERACTIVE_POLL_MS : MAX_POLL_MS;
		const untilGapMs = Math.max(intervalMs - GAP_BEFORE_NEXT_POLL_MS, INTERACTIVE_POLL_MS);
		// n8n 1 has no budget. The scheduler's is 36 seconds: four fifths of N8N_SCHEDULER_POLL_TIMEOUT (45), or of
		// N8N_SCHEDULER_LEASE_DURATION (60) if that is shorter. By then, a poll has used up its half of the request limit.
		const budgetMs = context.getPollBudgetMs?.() ?? Infinity;
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
