import type { IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { systemClock, MINUTE_MS, SECOND_MS } from '../utils/time';

/* What rests on how n8n polls: which trigger it is, and whether a poll may run, and for how long. */

/**
 * Identifies a trigger by its workflow and name, as n8n does for its memory. Node IDs may repeat: n8n 1.123 activates triggers
 * that share one.
 */
export function getTriggerKey(context: IPollFunctions): string {
	return `${context.getWorkflow().id}/${context.getNode().name}`;
}

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

/** The budget of a poll that n8n's scheduler did not start: the default in n8n-core's `PollContext` (2.40). n8n 1 has none. */
const UNSCHEDULED_BUDGET_MS = 5 * MINUTE_MS;

/**
 * Returns whether a poll belongs to an activation. n8n does not say so, but two facts tell (read in n8n's source, and tried with
 * timers and scheduler in test/n8n/trigger.test.ts):
 *
 * 1. An activation creates a context and polls with it. n8n's timers then poll with the same context again and again. So a
 *    context that has polled before is not that of an activation.
 * 2. The scheduler creates a context for each poll, with a budget of its own: 36 seconds by default. It would be five minutes only
 *    with N8N_SCHEDULER_POLL_TIMEOUT=375 and a lease of the same length.
 *
 * @param polled the contexts of earlier polls.
 */
function isActivation(context: IPollFunctions, polled: WeakSet<IPollFunctions>): boolean {
	const isTimerPoll = polled.has(context);
	const budgetMs = context.getPollBudgetMs?.() ?? UNSCHEDULED_BUDGET_MS;
	const isSchedulerPoll = budgetMs !== UNSCHEDULED_BUDGET_MS;
	return !isTimerPoll && !isSchedulerPoll;
}

/**
 * Adds what to do to the message of an error that keeps n8n from activating a workflow: n8n then shows the message alone (both
 * versions). A programming error has no description.
 */
export function describeInMessage(error: NodeOperationError): NodeOperationError {
	if (error.description) error.message = `${error.message}. ${error.description}`;
	return error;
}
