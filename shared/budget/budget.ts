import { processClock, type Clock } from '../clock';
import { MINUTE_MS, SECOND_MS } from '../duration';
import { Capacity } from './capacity';
import { Gate, LONGEST_PROBE_MS } from './gate';
import { Queue, type Waiter } from './queue';
import { Window, type Place } from './window';

/** Where no answer is seen, it is assumed to have come after this time. */
const UNSEEN_ANSWER_MS = 2 * SECOND_MS;
/** A request without an answer for so long holds nobody up. */
const LONGEST_HOLD_MS = 10 * SECOND_MS;
/** n8n's sleep cannot be cancelled, so the timer sleeps in short steps. */
const LONGEST_SLEEP_MS = SECOND_MS;
/** How far behind its pace a queue may be and still catch up. */
const LONGEST_LAG_MS = SECOND_MS;

/** A request that is to be sent. */
export interface Entry {
	queue: Queue;
	/** Until when it may wait, by the budget's clock; its queue may say so too. */
	endsAt?: number;
	/** Ends the wait. */
	signal?: AbortSignal | undefined;
	/** Whether it goes before all that take turns: logins and credential tests. */
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
 * A request counts until a minute after its answer, so that the service never counts more than the number that is set. A
 * {@link Gate} says whether anything may be sent, a {@link Capacity} how much. Of those that wait, the queue with the
 * fewest places goes first. A queue that needs more than there is takes a third of the number at once and the rest at a
 * pace, so that places come free all the time, and whoever comes later waits for seconds, not for a minute.
 */
export class Budget {
	/** The requests of other nodes, which take turns as one. */
	readonly others = new Queue();

	private setting = Infinity;

	private readonly window = new Window();

	private readonly gate = new Gate();

	private readonly capacity = new Capacity();

	/** Those that go before all others. */
	private readonly urgent: Waiter[] = [];

	/** The queues in which requests wait. */
	private readonly queues = new Set<Queue>();

	/** Those under way whose answers nobody reports, the one sent first first. */
	private readonly unseen: Place[] = [];

	private isTimerRunning = false;

	constructor(private readonly clock: Clock = processClock) {}

	/** How many requests a minute may be sent from now on, also by those that wait; Infinity for no limit. */
	set requestsPerMinute(setting: number) {
		if (setting === this.setting) return;
		this.setting = setting;
		for (const queue of this.queues) queue.nextAt = undefined;
		this.advance();
	}

	/** How many requests a minute may be sent at the moment. */
	get requestsPerMinute(): number {
		return this.capacity.limit(this.setting, this.clock.now());
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
		const hasPlace = isUrgent
			? this.hasRoomForUrgent(now)
			: this.hasRoom(now) && this.hasShare(queue, now);
		return hasPlace && !this.isWaiting
			? this.admit({ queue, isUnseen }, now)
			: await this.wait(entry, now);
	}

	/** The service has answered a request, and not with 429. */
	accept(place: Place): void {
		this.end(place, this.refresh(), true);
		this.advance();
	}

	/** The service has answered with 429, and asks to wait this long, in milliseconds, where it does. */
	refuse(place: Place, askedMs?: number): void {
		const now = this.refresh();
		const { accepted } = this.window;
		this.end(place, now);
		if (this.gate.refuse(place, askedMs, now)) {
			this.capacity.lower(accepted, now, this.gate.stoppedUntil);
		}
		this.advance();
		this.dismissLate(this.waiters());
	}

	/** There will be no answer. */
	fail(place: Place): void {
		this.end(place, this.refresh());
		this.gate.fail(place);
		this.advance();
	}

	/** The request has not been sent after all. */
	giveBack(place: Place): void {
		this.window.remove(place);
		this.gate.fail(place);
		this.advance();
	}

	/** What keeps the account from sending more. */
	cause(): Cause {
		const now = this.clock.now();
		if (this.gate.isRefused(now)) return 'stopped';
		return this.capacity.isLowered(now) ? 'lowered' : 'number';
	}

	/** How long the requests of a queue have waited so far, in milliseconds. */
	waitedMs(queue: Queue): number {
		return queue.waitedMs(this.clock.now());
	}

	/** How long until somebody who comes now may send a request, in milliseconds. */
	delayMs({ isPoll } = { isPoll: false }): number {
		const now = this.refresh();
		const { gate, window, requestsPerMinute } = this;
		if (gate.isStopped(now)) return gate.stoppedUntil - now;
		const ahead = this.urgent.length + [...this.queues].filter(({ held }) => held === 0).length;
		const freeAt = (ended: readonly Place[], surplus: number) =>
			surplus < 0 ? now : (ended[surplus]?.endsAt ?? now + MINUTE_MS);
		const ofAll = freeAt(window.ended, window.count + ahead + this.reserved - requestsPerMinute);
		if (!isPoll) return ofAll - now;
		const polls = window.ended.filter(({ queue }) => queue.isPoll);
		return Math.max(ofAll, freeAt(polls, window.polls - half(requestsPerMinute))) - now;
	}

	/**
	 * How long it would take to send so many requests, in milliseconds, if nobody else came: after those that count now,
	 * beside those that wait, at the pace of the account, with two seconds for an answer.
	 */
	planMs(requests: number): number {
		const now = this.refresh();
		const { gate, window } = this;
		const sendsAt = Math.max(now, gate.stoppedUntil);
		const limit = this.capacity.limit(this.setting, sendsAt);
		const held = window.countAt(sendsAt);
		if (requests <= limit - held) return sendsAt - now;
		const others = [...this.queues].reduce(
			(sum, { demand }) => sum + Math.min(demand, requests),
			0,
		);
		const minutes = (held + others + requests) / this.sustained(limit);
		return sendsAt - now + minutes * (MINUTE_MS + UNSEEN_ANSWER_MS);
	}

	/** Whether nothing would be lost if the account were forgotten. */
	isIdle(): boolean {
		const now = this.refresh();
		const isQuiet = !this.isWaiting && this.window.count === 0;
		return isQuiet && !this.gate.isRefused(now) && !this.capacity.isLowered(now);
	}

	/** Removes what counts no more, and assumes the answers that nobody reports. */
	private refresh(): number {
		const now = this.clock.now();
		const { unseen, window } = this;
		for (let [first] = unseen; first && first.sentAt + UNSEEN_ANSWER_MS <= now; [first] = unseen) {
			unseen.shift();
			this.end(first, first.sentAt + UNSEEN_ANSWER_MS, true);
		}
		window.refresh(now);
		return now;
	}

	private end(place: Place, at: number, isAccepted = false): void {
		if (!this.window.end(place, at, isAccepted) || !isAccepted) return;
		this.gate.accept(place, at);
		if (place.isTry) this.capacity.prove(this.setting);
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
		if (queue.waiting.includes(waiter)) this.noteObstacle(queue);
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

	/** Takes a request out of the queue that it waits in. */
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

	/** Admits all that may be sent, each in its turn. */
	private advance(): void {
		if (!this.isWaiting) return;
		const now = this.refresh();
		for (let waiter = this.next(now); waiter; waiter = this.next(now)) {
			this.dequeue(waiter);
			waiter.settle(this.admit(waiter, now));
		}
	}

	/** The request whose turn it is; undefined where none may be sent. */
	private next(now: number): Waiter | undefined {
		const [urgent] = this.urgent;
		if (urgent) return this.hasRoomForUrgent(now) ? urgent : undefined;
		if (!this.hasRoom(now)) return undefined;
		let first: Queue | undefined;
		for (const queue of this.queues) {
			if ((!first || queue.held < first.held) && this.hasShare(queue, now)) first = queue;
		}
		return first?.waiting[0];
	}

	/** Whether a login or a credential test may be sent: what is more than is proven is tried at once. */
	private hasRoomForUrgent(now: number): boolean {
		const { gate, window, setting } = this;
		if (!gate.isOpen(now) || window.count >= setting) return false;
		return window.underWaySince(now - LONGEST_HOLD_MS).length < tenth(setting);
	}

	/** Whether the account may send one more request. */
	private hasRoom(now: number): boolean {
		const { gate, window, capacity, requestsPerMinute } = this;
		if (!gate.isOpen(now) || window.count >= requestsPerMinute - this.reserved) return false;
		const isTry = capacity.isTry(window.count, now);
		if (requestsPerMinute === Infinity && !isTry) return true;
		const underWay = window.underWaySince(now - LONGEST_HOLD_MS);
		if (underWay.length >= tenth(requestsPerMinute)) return false;
		if (isTry) return underWay.filter((place) => place.isTry).length < capacity.concurrentTries;
		// No more than were accepted before: others may have used up the minute but for a few.
		return window.underWaySince(now - LONGEST_PROBE_MS).length <= window.accepted;
	}

	/** How many places are kept for logins and credential tests where a queue is paced, since then all others are in use. */
	private get reserved(): number {
		const isPaced = [...this.queues].some(({ nextAt }) => nextAt !== undefined);
		return isPaced && !this.isLowered ? urgentShare(this.setting) : 0;
	}

	/** Whether one of the places that there are is for a queue. */
	private hasShare(queue: Queue, now: number): boolean {
		const { window, requestsPerMinute } = this;
		if (queue.isPoll) return window.polls < half(requestsPerMinute);
		if (this.fits(queue)) return true;
		return window.count < this.sustained() && (queue.nextAt === undefined || queue.nextAt <= now);
	}

	/** Whether there are places for all that a queue needs; a third of the number at most where nobody knows how many that are. */
	private fits({ demand, isOpenEnded, held }: Queue): boolean {
		const { window, requestsPerMinute } = this;
		if (isOpenEnded && held + demand > third(requestsPerMinute)) return false;
		return demand <= requestsPerMinute - window.count;
	}

	/**
	 * How many requests a minute may be sent where more are needed than there is. The rest is for those who come meanwhile;
	 * after a refusal, all of it is needed to find out how much the service takes.
	 */
	private sustained(limit = this.requestsPerMinute): number {
		if (this.isLowered || limit === Infinity) return limit;
		return limit - Math.floor(limit / 20) - urgentShare(limit);
	}

	private get isLowered(): boolean {
		return this.capacity.isLowered(this.clock.now());
	}

	private admit({ queue, isUnseen }: Pick<Waiter, 'queue' | 'isUnseen'>, sentAt: number): Place {
		const { window, capacity, gate } = this;
		const isTry = capacity.isTry(window.count, sentAt);
		const isPaced = queue.nextAt !== undefined;
		const fits = queue.isPoll || this.fits(queue);
		const place = { queue, sentAt, isUnseen, isTry, isPaced, endsAt: Infinity, isAccepted: false };
		window.add(place);
		gate.send(place, sentAt);
		if (isUnseen) this.unseen.push(place);
		if (!fits) this.pace(queue, sentAt);
		return place;
	}

	/** Says when the next request of a queue that needs more places than there are is due. */
	private pace(queue: Queue, now: number): void {
		const { requestsPerMinute } = this;
		if (queue.nextAt === undefined && queue.heldAtOnce < third(requestsPerMinute)) return;
		const rest = Math.max(1, this.sustained() - queue.heldAtOnce);
		queue.nextAt = Math.max(queue.nextAt ?? now, now - LONGEST_LAG_MS) + MINUTE_MS / rest;
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

	/** Remembers why a queue waits. */
	private noteObstacle(queue: Queue): void {
		const now = this.clock.now();
		const { gate, capacity, window, requestsPerMinute } = this;
		if (gate.isRefused(now) || capacity.isTry(window.count, now)) {
			queue.obstacles.add('refusal');
		} else if (window.count >= requestsPerMinute - this.reserved || !this.hasShare(queue, now)) {
			queue.obstacles.add(window.count > queue.held ? 'others' : 'number');
		}
	}

	/** Ends the waits that are over, or will be before the account may send again. */
	private dismissLate(waiters: readonly Waiter[]): void {
		const earliest = Math.max(this.clock.now(), this.gate.stoppedUntil);
		for (const waiter of waiters) {
			if (waiter.endsAt <= earliest) this.dismiss(waiter);
		}
	}

	/** How long until something may change by itself, in milliseconds. */
	private pauseMs(): number {
		const now = this.clock.now();
		const { window, gate, capacity, unseen } = this;
		const [oldest] = window.underWay;
		const times = [
			now + LONGEST_SLEEP_MS,
			gate.stoppedUntil,
			gate.triedUntil,
			capacity.nextTryAt,
			...(oldest ? [oldest.sentAt + LONGEST_HOLD_MS] : []),
			...unseen.slice(0, 1).map(({ sentAt }) => sentAt + UNSEEN_ANSWER_MS),
			...window.ended.slice(0, 1).map(({ endsAt }) => endsAt),
			...[...this.queues].map(({ nextAt = Infinity }) => nextAt),
		];
		return Math.max(1, Math.ceil(Math.min(...times.filter((time) => time > now)) - now));
	}

	private get isWaiting(): boolean {
		return this.urgent.length > 0 || this.queues.size > 0;
	}

	private waiters(): Waiter[] {
		return [...this.urgent, ...[...this.queues].flatMap(({ waiting }) => waiting)];
	}
}

/** What a queue takes at once where it needs more than there is. */
function third(requestsPerMinute: number): number {
	return Math.max(1, Math.floor(requestsPerMinute / 3));
}

/** What is kept for logins and credential tests. */
function urgentShare(requestsPerMinute: number): number {
	return requestsPerMinute === Infinity ? 0 : Math.floor(requestsPerMinute / 50);
}

/** What triggers may hold. */
function half(requestsPerMinute: number): number {
	return Math.max(1, Math.floor(requestsPerMinute / 2));
}

/** How many requests may be under way at once: that is what a refusal can cost. */
function tenth(requestsPerMinute: number): number {
	return Math.max(1, Math.floor(requestsPerMinute / 10));
}
