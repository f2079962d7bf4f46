import { MINUTE_MS } from '../../texts/duration';

/** A request that may be sent now. It counts until a minute after its answer. Times are milliseconds of the budget's clock. */
export interface Place {
	readonly queue: Queue;
	readonly sentAt: number;
	/** Whether nobody reports its answer. */
	readonly isUnseen: boolean;
	/** Whether it goes beyond what is proven. */
	readonly isTrial: boolean;
	/** Until when it counts; Infinity as long as it is under way. */
	endsAt: number;
	/** Whether the service has answered it, and not refused it. */
	isAccepted: boolean;
}

/** A request that waits for a place. */
export interface Waiter {
	readonly queue: Queue;
	/** When it stops waiting, by the budget's clock. */
	readonly endsAt: number;
	readonly isUnseen: boolean;
	/** Lets it go on, with a place or without one. */
	settle(place?: Place): void;
}

/** Why the account lets a queue wait. */
export type Obstacle =
	/** The service has refused requests. */
	| 'refusal'
	/** The number of requests a minute, if others have used a part of it. */
	| 'others'
	/** That number, if nobody else has. */
	| 'number';

/** Whose requests wait in a queue. What each may hold is said in `budget.ts`. */
export type QueueKind =
	/** An execution, or all HTTP Request nodes of an account together. */
	| 'execution'
	/** A poll that nobody is watching: polls leave half of the requests to people. */
	| 'poll'
	/** A poll that a person waits for, in the editor or at an activation: it takes what is free, and ends soon. */
	| 'attendedPoll'
	/** Logins and credential tests: they go before all others. */
	| 'login';

/** How a queue may wait and whose it is. */
export interface QueueSettings {
	kind?: QueueKind;
	/** How many requests are to come; left out if nobody knows. */
	planned?: number;
	/** How long the account may let it wait in all, in milliseconds. */
	maxWaitMs?: number;
	/** Until when its requests may wait, by the budget's clock. */
	endsAt?: number;
}

/** What takes turns with others: an execution, a poll, or all HTTP Request nodes of an account together. */
export class Queue {
	readonly kind: QueueKind;

	/** Its requests that wait, the first one first. */
	readonly waiting: Waiter[] = [];

	/** How many requests of the last minute are its own. */
	held = 0;

	/** When its next request is due; undefined if it is not paced. */
	nextAt: number | undefined;

	/** Since when it waits without a place. */
	waitsSince = 0;

	/** Why the account has let it wait. */
	readonly obstacles = new Set<Obstacle>();

	private planned: number | undefined;

	private readonly maxWaitMs: number;

	private readonly latestEnd: number;

	/** Since when the account lets it wait, if it does at the moment. */
	private blockedSince: number | undefined;

	private blockedBeforeMs = 0;

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

	/** How many of them it can use before its time is over, if so many a minute may be sent. */
	demandInTime(requestsPerMinute: number, now: number): number {
		const minutesLeft = Math.max(0, this.latestEnd - now) / MINUTE_MS;
		return Math.min(this.demand, Math.ceil(minutesLeft * requestsPerMinute));
	}

	/** It has got a place. */
	take(now: number): void {
		this.held += 1;
		this.waitsSince = now;
		if (this.planned) this.planned -= 1;
	}

	/** A place of it counts no more. */
	release(): void {
		this.held -= 1;
		// The queue of the HTTP Request nodes is never over: its next run begins like a new queue.
		if (this.isOpenEnded && this.held === 0) this.nextAt = undefined;
	}

	/** It has not used a place. */
	giveBack(): void {
		this.release();
		// Its pace begins again: the time of this place would be lost otherwise.
		this.nextAt = undefined;
		if (this.planned !== undefined) this.planned += 1;
	}

	/** Whether the account lets it wait at the moment. */
	get isBlocked(): boolean {
		return this.blockedSince !== undefined;
	}

	/** How long the account has let it wait, in milliseconds; the time in which several waited counts once. */
	waitedMs(now: number): number {
		return this.blockedBeforeMs + (now - (this.blockedSince ?? now));
	}

	/** Notes why the account lets it wait now, if it does. */
	note(obstacle: Obstacle | undefined, now: number): void {
		const isBlocked = obstacle !== undefined && this.waiting.length > 0;
		if (isBlocked) this.obstacles.add(obstacle);
		if (isBlocked === this.isBlocked) return;
		this.blockedBeforeMs = this.waitedMs(now);
		this.blockedSince = isBlocked ? now : undefined;
	}

	/** Until when its requests may wait, if nothing changes. */
	endsAt(now: number): number {
		if (!this.isBlocked) return this.latestEnd;
		return Math.min(this.latestEnd, now + this.maxWaitMs - this.waitedMs(now));
	}

	enqueue(waiter: Waiter, now: number): void {
		if (this.waiting.length === 0) this.waitsSince = now;
		this.waiting.push(waiter);
	}

	/** @returns whether it was waiting. */
	dequeue(waiter: Waiter): boolean {
		const index = this.waiting.indexOf(waiter);
		if (index >= 0) this.waiting.splice(index, 1);
		return index >= 0;
	}
}
