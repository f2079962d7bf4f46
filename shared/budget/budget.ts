import { processClock, type Clock } from '../clock';
import { MINUTE_MS, SECOND_MS } from '../duration';
import { Admission, half, tenth, UNSEEN_ANSWER_MS } from './admission';
import { Queue, type Waiter } from './queue';
import type { Place } from './window';

/** n8n's sleep cannot be cancelled, so the timer sleeps in short steps. */
const LONGEST_SLEEP_MS = SECOND_MS;

/** What waits for a place. */
export interface Entry {
	queue: Queue;
	/** Until when it may wait, by the budget's clock; its queue may say so too. */
	endsAt?: number;
	/** Ends the wait. */
	signal?: AbortSignal | undefined;
	/** Whether it goes before all others: logins and credential tests. */
	isUrgent?: boolean;
	/** Whether nobody will report its answer. */
	isUnseen?: boolean;
}

/** What keeps an account from sending more. */
export type Cause =
	/** The number of requests a minute. */
	| 'number'
	/** The service has refused requests and accepted none since. */
	| 'stopped'
	/** It has refused requests, so that fewer are sent for a while. */
	| 'lowered';

/**
 * The requests that an account may send, in this process: logins, sites, polls and HTTP Request nodes together.
 *
 * A request counts until a minute after its answer, so that the service never counts more than the number that is set.
 * {@link Admission} has the rules. A request that may not be sent yet waits here; of the queues that wait, the one with
 * the fewest places goes first.
 */
export class Budget {
	/** The requests of other nodes, which take turns as one. */
	readonly others = new Queue();

	private readonly admission = new Admission();

	/** Those that go before all others. */
	private readonly urgent: Waiter[] = [];

	/** The queues in which requests wait. */
	private readonly queues = new Set<Queue>();

	private isTimerRunning = false;

	constructor(private readonly clock: Clock = processClock) {}

	/** How many requests a minute may be sent from now on, also by those that wait; Infinity for no limit. */
	set requestsPerMinute(setting: number) {
		if (setting === this.admission.setting) return;
		this.admission.setting = setting;
		for (const queue of this.queues) queue.nextAt = undefined;
		this.advance();
	}

	/** How many requests a minute may be sent at the moment. */
	get requestsPerMinute(): number {
		return this.admission.limit(this.clock.now());
	}

	/** How many may be under way at once; at least ten, since the number may be raised. */
	get concurrency(): number {
		return Math.max(10, tenth(this.requestsPerMinute));
	}

	/** How many of them all triggers together may send. */
	get pollsPerMinute(): number {
		return half(this.requestsPerMinute);
	}

	/**
	 * Waits until a request may be sent.
	 *
	 * @returns undefined where there is no place in time, or where the wait was ended.
	 */
	async enter(entry: Entry): Promise<Place | undefined> {
		const { queue, signal, isUrgent = false, isUnseen = false } = entry;
		if (signal?.aborted) return undefined;
		const now = this.refresh();
		return !this.isWaiting && this.allows(queue, isUrgent, now)
			? this.admission.send(queue, now, isUnseen)
			: await this.wait(entry, now);
	}

	/** The service has answered a request, and not with 429. */
	accept(place: Place): void {
		this.admission.accept(place, this.refresh());
		this.advance();
	}

	/** The service has answered with 429, and asks to wait this long, in milliseconds, where it does. */
	refuse(place: Place, askedMs?: number): void {
		this.admission.refuse(place, askedMs, this.refresh());
		this.advance();
		this.dismissLate(this.waiters());
	}

	/** There will be no answer. */
	fail(place: Place): void {
		this.admission.fail(place, this.refresh());
		this.advance();
	}

	/** The request has not been sent after all. */
	giveBack(place: Place): void {
		this.admission.giveBack(place);
		this.advance();
	}

	/** What keeps the account from sending more. */
	cause(): Cause {
		const now = this.clock.now();
		const { gate, capacity } = this.admission;
		if (gate.isRefused(now)) return 'stopped';
		return capacity.isLowered(now) ? 'lowered' : 'number';
	}

	/** How long the requests of a queue have waited so far, in milliseconds. */
	waitedMs(queue: Queue): number {
		return queue.waitedMs(this.clock.now());
	}

	/** How long until somebody who comes now may send a request, in milliseconds. */
	delayMs(): number {
		const now = this.refresh();
		const { gate, window } = this.admission;
		if (gate.isStopped(now)) return gate.stoppedUntil - now;
		const ahead = this.urgent.length + [...this.queues].filter(({ held }) => held === 0).length;
		const surplus = window.count + ahead - this.requestsPerMinute;
		return surplus < 0 ? 0 : (window.ended[surplus]?.endsAt ?? now + MINUTE_MS) - now;
	}

	/**
	 * How long it would take to send so many requests, in milliseconds, if nobody else came. Those that count now come before
	 * them, and as many of each queue that waits, if it has the time. Two seconds are counted for an answer.
	 */
	planMs(requests: number): number {
		const now = this.refresh();
		const { gate, window } = this.admission;
		const sendsAt = Math.max(now, gate.stoppedUntil);
		const limit = this.admission.limit(sendsAt);
		const held = window.countAt(sendsAt);
		if (requests <= limit - held) return sendsAt - now;
		const others = [...this.queues].reduce(
			(sum, queue) => sum + Math.min(queue.demandInTime(limit, now), requests),
			0,
		);
		const minutes = (held + others + requests) / this.admission.sustained(limit, now);
		return sendsAt - now + minutes * (MINUTE_MS + UNSEEN_ANSWER_MS);
	}

	/** Whether nothing would be lost if the account were forgotten. */
	isIdle(): boolean {
		this.refresh();
		return !this.isWaiting && this.admission.window.count === 0 && this.cause() === 'number';
	}

	/** @returns now. */
	private refresh(): number {
		const now = this.clock.now();
		this.admission.refresh(now);
		return now;
	}

	private allows(queue: Queue, isUrgent: boolean, now: number): boolean {
		const { admission } = this;
		if (isUrgent) return admission.allowsUrgent(now);
		return admission.hasRoom(now) && admission.allows(queue, now);
	}

	private async wait(entry: Entry, now: number): Promise<Place | undefined> {
		const { queue, signal, isUrgent = false, isUnseen = false } = entry;
		const endsAt = Math.min(entry.endsAt ?? Infinity, queue.endsAt(now));
		let settle: Waiter['settle'] = () => {};
		const place = new Promise<Place | undefined>((resolve) => {
			settle = resolve;
		});
		const waiter: Waiter = { queue, endsAt, isUnseen, settle };
		const abort = () => this.dismiss(waiter);
		signal?.addEventListener('abort', abort);
		this.enqueue(waiter, isUrgent, now);
		this.advance();
		this.dismissLate([waiter]);
		this.noteObstacle(queue);
		void this.runTimer();
		try {
			return await place;
		} finally {
			signal?.removeEventListener('abort', abort);
		}
	}

	private enqueue(waiter: Waiter, isUrgent: boolean, now: number): void {
		const { queue } = waiter;
		if (isUrgent) {
			this.urgent.push(waiter);
			return;
		}
		queue.enqueue(waiter, now);
		this.queues.add(queue);
	}

	/** @returns whether it was waiting. */
	private dequeue(waiter: Waiter): boolean {
		const { queue } = waiter;
		const index = this.urgent.indexOf(waiter);
		if (index >= 0) {
			this.urgent.splice(index, 1);
			return true;
		}
		const hasWaited = queue.dequeue(waiter, this.clock.now());
		// It comes last from now on.
		this.queues.delete(queue);
		if (queue.waiting.length > 0) this.queues.add(queue);
		return hasWaited;
	}

	/** Ends a wait without a place. */
	private dismiss(waiter: Waiter): void {
		if (this.dequeue(waiter)) waiter.settle();
	}

	/** Ends the waits that are over, or will be before the account may send again. */
	private dismissLate(waiters: readonly Waiter[]): void {
		const earliest = Math.max(this.clock.now(), this.admission.gate.stoppedUntil);
		for (const waiter of waiters) {
			if (waiter.endsAt <= earliest) this.dismiss(waiter);
		}
	}

	/** Sends all that may be sent, each in its turn. */
	private advance(): void {
		if (!this.isWaiting) return;
		const now = this.refresh();
		for (let waiter = this.next(now); waiter; waiter = this.next(now)) {
			this.dequeue(waiter);
			waiter.settle(this.admission.send(waiter.queue, now, waiter.isUnseen));
		}
	}

	/** The request whose turn it is; undefined where none may be sent. */
	private next(now: number): Waiter | undefined {
		const { admission } = this;
		const [urgent] = this.urgent;
		if (urgent) return admission.allowsUrgent(now) ? urgent : undefined;
		if (!admission.hasRoom(now)) return undefined;
		let first: Queue | undefined;
		for (const queue of this.queues) {
			if ((!first || queue.held < first.held) && admission.allows(queue, now)) first = queue;
		}
		return first?.waiting[0];
	}

	/** While something waits, wakes up when a request may be sent or a wait ends. */
	private async runTimer(): Promise<void> {
		if (this.isTimerRunning) return;
		this.isTimerRunning = true;
		while (this.isWaiting) {
			await this.clock.sleep(this.pauseMs());
			this.advance();
			this.dismissLate(this.waiters());
			for (const queue of this.queues) this.noteObstacle(queue);
		}
		this.isTimerRunning = false;
	}

	/** How long until something may change by itself, in milliseconds. */
	private pauseMs(): number {
		const now = this.clock.now();
		const times = [
			now + LONGEST_SLEEP_MS,
			...this.admission.nextTimes,
			...[...this.queues].map(({ nextAt = Infinity }) => nextAt),
		];
		return Math.max(1, Math.ceil(Math.min(...times.filter((time) => time > now)) - now));
	}

	/** Remembers why a queue waits, if it does. */
	private noteObstacle(queue: Queue): void {
		const obstacle = this.admission.obstacleOf(queue, this.clock.now());
		if (obstacle && queue.waiting.length > 0) queue.obstacles.add(obstacle);
	}

	private get isWaiting(): boolean {
		return this.urgent.length > 0 || this.queues.size > 0;
	}

	private waiters(): Waiter[] {
		return [...this.urgent, ...[...this.queues].flatMap(({ waiting }) => waiting)];
	}
}
