import { processClock, type Clock } from './clock';
import { MINUTE_MS, SECOND_MS } from '../../texts/duration';
import { Queue, type Obstacle, type Place, type Waiter } from './queue';
import { Admission } from './admission';

/** n8n's sleep cannot be cancelled, so the timer sleeps in short steps. */
const LONGEST_SLEEP_MS = SECOND_MS;
/** How far behind its pace a queue may be and still catch up. */
const LONGEST_LAG_MS = SECOND_MS;
/** The same for polls: they hold half at most, and each ends soon, so that it takes a quarter at once. */
const LONGEST_LAG_OF_POLLS_MS = MINUTE_MS / 2;
/** A queue that could not send for so long goes first: many small runs would hold up a long one for hours. */
const LONGEST_STARVATION_MS = 5 * SECOND_MS;

/** What waits for a place. */
export interface Entry {
	queue: Queue;
	/** Until when it may wait, by the budget's clock; its queue may say so too. */
	endsAt?: number;
	/** Ends the wait. */
	signal?: AbortSignal | undefined;
	/** Whether nobody will report its answer. */
	isUnseen?: boolean;
}

/**
 * The requests that an account may send, in this process: logins, sites, polls and HTTP Request nodes together.
 * {@link Admission} says whether anything may be sent. Here waits what may not be sent yet, and takes turns:
 *
 * - Logins and credential tests go first. Of the other queues, one that could not send for five seconds, then the one that
 *   holds the fewest places.
 * - Pace: a queue that needs more than a quarter of the number, and more than is free, sends evenly over the minute and
 *   leaves a few places to newcomers, so that places come free all the time and whoever comes later waits for seconds.
 * - All polls together hold half of the number at most.
 */
export class Budget {
	/** The logins and credential tests. */
	readonly logins = new Queue({ kind: 'login' });

	/** The requests of HTTP Request nodes, which take turns as one. */
	readonly others = new Queue();

	readonly admission = new Admission();

	/** The queues in which requests wait. */
	readonly queues = new Set<Queue>();

	private isTimerRunning = false;

	constructor(readonly clock: Clock = processClock) {}

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

	/** How many of them all triggers together may send. */
	get pollsPerMinute(): number {
		return half(this.requestsPerMinute);
	}

	/**
	 * Waits until a request may be sent.
	 *
	 * @returns undefined if there is no place in time, or if the wait was ended.
	 */
	async enter(entry: Entry): Promise<Place | undefined> {
		const { queue, signal, isUnseen = false } = entry;
		if (signal?.aborted) return undefined;
		const now = this.refresh();
		const isFree = this.queues.size === 0 && this.allows(queue, now);
		return isFree ? this.send(queue, isUnseen, now) : await this.wait(entry, now);
	}

	/** The service has answered a request, and not with 429. */
	accept(place: Place): void {
		this.admission.accept(place, this.refresh());
		this.advance();
	}

	/** The service has answered with 429, and asks to wait this long, in milliseconds, if it does. */
	refuse(place: Place, askedMs?: number): void {
		this.admission.refuse(place, askedMs, this.refresh());
		this.advance();
		this.dismissLate();
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

	/** How long the account has let a queue wait so far, in milliseconds. */
	waitedMs(queue: Queue): number {
		return queue.waitedMs(this.clock.now());
	}

	/** Whether nothing would be lost if the account were forgotten. */
	isIdle(): boolean {
		const now = this.refresh();
		const isUsual = !this.admission.isRefused(now) && !this.admission.isLowered(now);
		return isUsual && this.queues.size === 0 && this.admission.count === 0;
	}

	/** @returns now. */
	refresh(): number {
		const now = this.clock.now();
		this.admission.refresh(now);
		return now;
	}

	private send(queue: Queue, isUnseen: boolean, now: number): Place {
		const isPaced = this.isPaced(queue, now);
		const place = this.admission.send(queue, isUnseen, now);
		queue.nextAt = isPaced ? this.nextAt(queue, now) : undefined;
		return place;
	}

	/** Whether a request of a queue may be sent. */
	private allows(queue: Queue, now: number): boolean {
		return this.admission.allows(queue.kind === 'login', now) && this.hasPlace(queue, now);
	}

	/** Whether there is a place for a queue, if the account may send anything. */
	private hasPlace(queue: Queue, now: number): boolean {
		if (queue.kind === 'login') return true;
		const { admission } = this;
		const limit = admission.limit(now);
		if (queue.isPoll && admission.polls >= half(limit)) return false;
		if (!this.isPaced(queue, now))
			return admission.count < limit - (queue.isPoll ? reserved(limit) : 0);
		if (isStarved(queue, now)) return admission.count < limit - reserved(limit);
		const isDue = queue.nextAt === undefined || queue.nextAt <= now;
		return (
			isDue &&
			admission.count < (queue.isPoll ? limit - reserved(limit) : this.sustained(limit, now))
		);
	}

	/** Whether a queue sends evenly: it needs more than a quarter of the number, and more than is free, or did before. */
	private isPaced({ kind, demand, held, isOpenEnded, nextAt }: Queue, now: number): boolean {
		if (kind === 'login' || kind === 'attendedPoll') return false;
		const limit = this.admission.limit(now);
		// Nobody knows how many are to come.
		if (isOpenEnded) return held + demand > quarter(limit);
		return (
			demand > limit - this.admission.count && (nextAt !== undefined || demand > quarter(limit))
		);
	}

	/** When the next request of a paced queue is due, if one is sent now. */
	private nextAt({ isPoll, nextAt = -Infinity }: Queue, now: number): number {
		const limit = this.admission.limit(now);
		const earliest = now - (isPoll ? LONGEST_LAG_OF_POLLS_MS : LONGEST_LAG_MS);
		return (
			Math.max(nextAt, earliest) + MINUTE_MS / (isPoll ? half(limit) : this.sustained(limit, now))
		);
	}

	/**
	 * How many requests a minute may be sent if more are needed than there is. The rest is for those who come meanwhile,
	 * and for logins; after a refusal, all of it is needed to find out how much the service takes.
	 */
	sustained(limit: number, now: number): number {
		if (this.admission.isLowered(now) || limit === Infinity) return limit;
		return limit - Math.floor(limit / 20) - reserved(limit);
	}

	private async wait(entry: Entry, now: number): Promise<Place | undefined> {
		const { queue, signal, endsAt = Infinity, isUnseen = false } = entry;
		let settle: Waiter['settle'] = () => {};
		const place = new Promise<Place | undefined>((resolve) => {
			settle = resolve;
		});
		const waiter: Waiter = { queue, endsAt, isUnseen, settle };
		const abort = () => this.dismiss(waiter);
		signal?.addEventListener('abort', abort);
		queue.enqueue(waiter, now);
		this.queues.add(queue);
		this.advance();
		this.dismissIfLate(waiter);
		void this.runTimer();
		try {
			return await place;
		} finally {
			signal?.removeEventListener('abort', abort);
		}
	}

	/** @returns whether it was waiting. */
	private dequeue(waiter: Waiter): boolean {
		const { queue } = waiter;
		const hasWaited = queue.dequeue(waiter);
		// It comes last from now on.
		this.queues.delete(queue);
		if (queue.waiting.length > 0) this.queues.add(queue);
		return hasWaited;
	}

	/** Ends a wait without a place. */
	private dismiss(waiter: Waiter): void {
		if (this.dequeue(waiter)) waiter.settle();
		waiter.queue.note(this.obstacleOf(waiter.queue), this.clock.now());
	}

	/** Ends the waits that are over, or will be before the account may send again. */
	private dismissLate(): void {
		const waiters = [...this.queues].flatMap(({ waiting }) => waiting);
		for (const waiter of waiters) this.dismissIfLate(waiter);
	}

	private dismissIfLate(waiter: Waiter): void {
		const now = this.clock.now();
		const endsAt = Math.min(waiter.endsAt, waiter.queue.endsAt(now));
		if (endsAt <= Math.max(now, this.admission.stoppedUntil)) this.dismiss(waiter);
	}

	/** Sends all that may be sent, each in its turn. */
	private advance(): void {
		if (this.queues.size === 0) return;
		const now = this.refresh();
		for (let waiter = this.next(now); waiter; waiter = this.next(now)) {
			this.dequeue(waiter);
			waiter.settle(this.send(waiter.queue, waiter.isUnseen, now));
			waiter.queue.note(this.obstacleOf(waiter.queue), now);
		}
		for (const queue of this.queues) queue.note(this.obstacleOf(queue), now);
	}

	/** The request whose turn it is; undefined if none may be sent. */
	private next(now: number): Waiter | undefined {
		const isLogin = this.queues.has(this.logins);
		if (!this.admission.allows(isLogin, now)) return undefined;
		if (isLogin) return this.logins.waiting[0];
		let first: Queue | undefined;
		for (const queue of this.queues) {
			if ((!first || isBefore(queue, first, now)) && this.hasPlace(queue, now)) first = queue;
		}
		return first?.waiting[0];
	}

	/** While something waits, wakes up when a request may be sent or a wait ends. */
	private async runTimer(): Promise<void> {
		if (this.isTimerRunning) return;
		this.isTimerRunning = true;
		while (this.queues.size > 0) {
			await this.clock.sleep(this.pauseMs());
			this.advance();
			this.dismissLate();
		}
		this.isTimerRunning = false;
	}

	/** How long until something may change by itself, in milliseconds. */
	private pauseMs(): number {
		const now = this.clock.now();
		const times = [
			now + LONGEST_SLEEP_MS,
			...this.admission.nextTimes,
			...[...this.queues].flatMap((queue) => [
				queue.nextAt ?? Infinity,
				queue.waitsSince + LONGEST_STARVATION_MS,
				queue.endsAt(now),
			]),
		];
		return Math.max(1, Math.ceil(Math.min(...times.filter((time) => time > now)) - now));
	}

	/** Why the account lets a queue wait; undefined if it waits only for an answer. */
	private obstacleOf(queue: Queue): Obstacle | undefined {
		const { admission } = this;
		const now = this.clock.now();
		if (admission.isRefused(now) || admission.isTrial(now)) return 'refusal';
		if (admission.count < admission.limit(now) && this.hasPlace(queue, now)) return undefined;
		return admission.count > queue.held ? 'others' : 'number';
	}
}

/** Whether a queue goes before another one. */
function isBefore(queue: Queue, other: Queue, now: number): boolean {
	const [isFirst, isSecond] = [isStarved(queue, now), isStarved(other, now)];
	return isFirst === isSecond ? queue.held < other.held : isFirst;
}

function isStarved({ kind, waitsSince }: Queue, now: number): boolean {
	return kind === 'execution' && now - waitsSince >= LONGEST_STARVATION_MS;
}

/** What the polls of all triggers may hold. */
function half(requestsPerMinute: number): number {
	return Math.max(1, Math.floor(requestsPerMinute / 2));
}

/** Who needs more than this, and more than is free, is paced. */
function quarter(requestsPerMinute: number): number {
	return Math.max(1, Math.floor(requestsPerMinute / 4));
}

/** What polls and paced executions leave to logins and credential tests: two of 100. */
function reserved(requestsPerMinute: number): number {
	return requestsPerMinute === Infinity ? 0 : Math.floor(requestsPerMinute / 50);
}
