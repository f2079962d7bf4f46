import pLimit, { type LimitFunction } from 'p-limit';
import type { Cancellation } from './cancellation';

/** How much the service is to be asked at a time. */
export interface TrafficLimits {
	/** How many requests may be under way at once. */
	concurrentRequests: number;
	/** How many requests may be begun in a second, evenly spread; Infinity where there is no limit. */
	requestsPerSecond: number;
}

/** What is left of the number of requests under way after a refusal. Half of it would still be refused too often. */
const LEFT_AFTER_REFUSAL = 0.25;
/** After so many successful answers one more request may be under way, where {@link Traffic.slowDown} has taken some. */
const ANSWERS_PER_STEP = 20;
/** By how much a timer may go off late without slowing down all that follows, in milliseconds. */
const LATEST_TIMER_MS = 20;

/**
 * Lets requests through, for all workers of an execution together: so many at once, so many in a second, and none
 * while the service asks to wait.
 *
 * A service that receives too many requests refuses all that are under way at that moment, so each such refusal
 * lowers their number; it grows again with the answers. Without that, a service that takes 50 requests a second would
 * refuse 20 of each 70.
 */
export class Traffic {
	private readonly limit: LimitFunction;

	/** How many requests may be under way at the moment, with the fraction that has been gained on the way up. */
	private width: number;

	private slowedDownAt = -Infinity;

	/** Until when the service asks to wait. */
	private heldUntil = -Infinity;

	/** When the next request may begin, as far as the number in a second is concerned. */
	private nextAt = -Infinity;

	/** All that the service has asked to wait, what is still ahead included. */
	private heldTotalMs = 0;

	constructor(
		private readonly limits: TrafficLimits,
		private readonly cancellation: Cancellation,
	) {
		this.width = limits.concurrentRequests;
		this.limit = pLimit(limits.concurrentRequests);
	}

	/**
	 * Sends a request as soon as it may begin.
	 *
	 * @param patienceMs how long the service may ask to wait, in milliseconds.
	 * @returns undefined where it asks to wait longer, or where the execution has been cancelled.
	 */
	async pass<T>(patienceMs: number, send: () => Promise<T>): Promise<T | undefined> {
		return await this.limit(async () => {
			for (;;) {
				if (this.cancellation.isCancelled || this.holdLeftMs() > patienceMs) return undefined;
				const wait = Math.max(this.heldUntil, this.nextAt) - performance.now();
				if (wait <= 0) break;
				await this.cancellation.pause(wait);
			}
			this.takeTurn();
			return await send();
		});
	}

	/** How long the service still asks to wait, in milliseconds. */
	holdLeftMs(): number {
		return Math.max(0, this.heldUntil - performance.now());
	}

	/** How long the service has kept all workers waiting so far, in milliseconds. */
	heldMs(): number {
		return this.heldTotalMs - this.holdLeftMs();
	}

	/** Lets no request through for this time, in milliseconds. */
	holdFor(milliseconds: number): void {
		const now = performance.now();
		const until = now + milliseconds;
		if (until <= this.heldUntil) return;
		this.heldTotalMs += until - Math.max(now, this.heldUntil);
		this.heldUntil = until;
	}

	/**
	 * Lowers the number of requests that may be under way.
	 *
	 * @param sentAt when the refused request was sent, as `performance.now()` tells it: those that were under way together count
	 *   as one refusal.
	 */
	slowDown(sentAt: number): void {
		if (sentAt <= this.slowedDownAt) return;
		this.slowedDownAt = performance.now();
		this.setWidth(this.width * LEFT_AFTER_REFUSAL);
	}

	/** Takes note of a successful answer. */
	speedUp(): void {
		if (this.width < this.limits.concurrentRequests) {
			this.setWidth(this.width + 1 / ANSWERS_PER_STEP);
		}
	}

	private setWidth(width: number): void {
		this.width = Math.max(1, Math.min(this.limits.concurrentRequests, width));
		const concurrency = Math.floor(this.width);
		if (concurrency !== this.limit.concurrency) this.limit.concurrency = concurrency;
	}

	private takeTurn(): void {
		const spacing = 1000 / this.limits.requestsPerSecond;
		const now = performance.now();
		const isLate = now - this.nextAt < Math.max(spacing, LATEST_TIMER_MS);
		this.nextAt = (isLate ? this.nextAt : now) + spacing;
	}
}
