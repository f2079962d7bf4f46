import { MINUTE_MS } from '../duration';
import type { Holder, Place } from './window';

/** A request that waits for a place. */
export interface Waiter {
	readonly queue: Queue;
	/** When it stops waiting, by the budget's clock. */
	readonly endsAt: number;
	readonly isUnseen: boolean;
	/** Lets it go on, with a place or without one. */
	settle(place?: Place): void;
}

/** What keeps a queue waiting. */
export type Obstacle =
	/** The service has refused requests. */
	| 'refusal'
	/** The number of requests a minute, where others have used a part of it. */
	| 'others'
	/** That number, where nobody else has. */
	| 'number';

/** Whose requests wait in a queue. What each may hold is said in `admission.ts`. */
export type QueueKind =
	/** An execution, or all HTTP Request nodes of an account together. */
	| 'execution'
	/** A poll that nobody is watching: polls leave half of the requests to people. */
	| 'poll'
	/** A poll that a person waits for, in the editor or at an activation: it takes what is free, and ends soon. */
	| 'watchedPoll';

/** How a queue may wait and whose it is. */
export interface QueueSettings {
	kind?: QueueKind;
	/** How many requests are to come; left out where nobody knows. */
	planned?: number;
	/** How long its requests may wait in all, in milliseconds. */
	maxWaitMs?: number;
	/** Until when they may wait, by the budget's clock. */
	endsAt?: number;
}

/** What takes turns with others: an execution, a poll, or all HTTP Request nodes of an account together. */
export class Queue implements Holder {
	readonly kind: QueueKind;

	/** Its requests that wait, the first one first. */
	readonly waiting: Waiter[] = [];

	/** How many requests of the last minute are its own. */
	held = 0;

	/** How many of them were sent before it was paced. */
	heldAtOnce = 0;

	/** When its next request is due; undefined until it is paced. */
	nextAt: number | undefined;

	/** Why it has waited, unless only for an answer. */
	readonly obstacles = new Set<Obstacle>();

	private planned: number | undefined;

	private readonly maxWaitMs: number;

	private readonly latestEnd: number;

	private waitingSince = 0;

	private waitedBeforeMs = 0;

	constructor({
		kind = 'execution',
		planned,
		maxWaitMs = Infinity,
		endsAt = Infinity,
	}: QueueSettings = {}) {
		this.kind = kind;
		this.planned = planned;
		this.maxWaitMs = maxWaitMs;
		this.latestEnd = endsAt;
	}

	/** Whether its requests are those of polls that nobody is watching. */
	get isPoll(): boolean {
		return this.kind === 'poll';
	}

	/** How many places it still needs, as far as anybody knows. */
	get demand(): number {
		return Math.max(1, this.planned ?? 0, this.waiting.length);
	}

	/** Whether nobody knows how many requests are to come. */
	get isOpenEnded(): boolean {
		return this.planned === undefined;
	}

	/** How many of them it can use before its time is over, where so many a minute may be sent. */
	demandInTime(requestsPerMinute: number, now: number): number {
		const minutesLeft = Math.max(0, this.latestEnd - now) / MINUTE_MS;
		return Math.min(this.demand, Math.ceil(minutesLeft * requestsPerMinute));
	}

	take(isPaced: boolean): void {
		this.held += 1;
		if (!isPaced) this.heldAtOnce += 1;
		if (this.planned) this.planned -= 1;
	}

	release(wasPaced: boolean): void {
		this.held -= 1;
		if (!wasPaced) this.heldAtOnce -= 1;
		// The queue of the HTTP Request nodes is never over: its next run begins like a new queue.
		if (this.isOpenEnded && this.held === 0) this.nextAt = undefined;
	}

	giveBack(wasPaced: boolean): void {
		this.release(wasPaced);
		if (this.planned !== undefined) this.planned += 1;
	}

	/** How long requests have waited, in milliseconds; the time in which several waited counts once. */
	waitedMs(now: number): number {
		return this.waitedBeforeMs + (this.waiting.length > 0 ? now - this.waitingSince : 0);
	}

	/** Until when a request that begins to wait now may wait. */
	endsAt(now: number): number {
		return Math.min(this.latestEnd, now + this.maxWaitMs - this.waitedMs(now));
	}

	enqueue(waiter: Waiter, now: number): void {
		if (this.waiting.length === 0) this.waitingSince = now;
		this.waiting.push(waiter);
	}

	/** @returns whether it was waiting. */
	dequeue(waiter: Waiter, now: number): boolean {
		const index = this.waiting.indexOf(waiter);
		if (index === -1) return false;
		this.waitedBeforeMs = this.waitedMs(now);
		this.waitingSince = now;
		this.waiting.splice(index, 1);
		return true;
	}
}
