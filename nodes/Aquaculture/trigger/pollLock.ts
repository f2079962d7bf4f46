import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../utils/clock';
import {
	GAP_BEFORE_NEXT_POLL_MS,
	INTERACTIVE_POLL_MS,
	MAX_POLL_MS,
	STUCK_AFTER_MS,
} from './timeLimits';

export interface ActivePoll {
	/** Whether a person waits: n8n activates the workflow, or fetches a test event. */
	isInteractive: boolean;
	/** By {@link systemClock}, like its end. */
	beganAt: number;
	endsAt: number;
	/** Aborts when another poll takes over. This one must then send, report and store nothing more. */
	signal: AbortSignal;
}

/** Lets a trigger have one poll at a time: n8n may start polls that overlap, and both would report the same changes. */
export class PollLock {
	private running: ActivePoll | undefined;
	private abortController = new AbortController();
	/** When n8n polled last, not counting the activation: the interval tells when the next poll comes. */
	private polledAt: number | undefined;

	/** @returns undefined if another poll is running. */
	begin(context: IPollFunctions, isActivation: boolean): ActivePoll | undefined {
		const now = systemClock.now();
		const intervalMs = this.polledAt === undefined ? Infinity : now - this.polledAt;
		if (!isActivation) this.polledAt = now;
		const isBusy = this.running !== undefined && now < this.running.endsAt + STUCK_AFTER_MS;
		if (isBusy) return undefined;

		this.abort();
		this.abortController = new AbortController();
		const maxMs = isActivation ? INTERACTIVE_POLL_MS : MAX_POLL_MS;
		const untilGapMs = Math.max(intervalMs - GAP_BEFORE_NEXT_POLL_MS, INTERACTIVE_POLL_MS);
		const budgetMs = context.getPollBudgetMs?.() ?? Infinity;
		this.running = {
			isInteractive: isActivation,
			beganAt: now,
			endsAt: now + Math.min(maxMs, untilGapMs, budgetMs),
			signal: this.abortController.signal,
		};
		return this.running;
	}

	end(poll: ActivePoll): void {
		if (this.running === poll) this.running = undefined;
	}

	abort(): void {
		this.abortController.abort();
	}
}
