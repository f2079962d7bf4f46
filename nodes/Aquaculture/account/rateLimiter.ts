import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../messages/duration';
import type { LimitText } from '../messages/messages';
import { systemClock, type Clock } from './clock';

/** How often a waiting request is looked at. */
const TICK_MS = 100;
/** Nobody sees the answers to HTTP Request nodes: they are taken to arrive, and to be good, after this time. */
const UNSEEN_MS = 2 * SECOND_MS;
/** A request without an answer for so long holds nobody up. */
const HANGS_MS = 3 * SECOND_MS;
/** Who could not send for so long goes first: many small runs would hold up a long one for hours. */
const STARVED_MS = 5 * SECOND_MS;
/** Shortest stop, even if the service asks for none, and the longest one to which stops grow by themselves. */
const STOP_MS = { shortest: SECOND_MS, longest: 15 * MINUTE_MS };
/** How long after a stop more is tried than was accepted before it. It doubles with each refusal within an hour. */
const PAUSE_MS = { first: 4 * SECOND_MS, longest: 17 * MINUTE_MS };
/** How many requests are remembered if there is no limit: each decision looks at all of them. */
const KEPT_WITHOUT_NUMBER = 100;
/** What is kept for logins and tests, and what long runs leave besides to those who come meanwhile. */
const FOR_LOGINS = 0.02;
const FOR_NEWCOMERS = 0.05;

/** A request that was sent. It counts until a minute after its answer. */
export interface Place {
	readonly queue: Queue;
	readonly sentAt: number;
	/** Infinity as long as it is under way; in the future if nobody will report the answer. */
	answeredAt: number;
	/** Whether the answer was not a refusal. */
	isAccepted: boolean;
}

/** An attended poll is one that a person waits for: it takes what is free, and ends soon. */
export type QueueKind = 'execution' | 'poll' | 'attendedPoll' | 'login';

/** What takes turns with others: an execution, a poll, the HTTP Request nodes of a credential, or a login. */
export class Queue {
	readonly waiting: Waiter[] = [];
	/** How many requests are to come, if that is known. */
	planned = 0;
	/** How long the account has let it wait, without the time in which it only waited for answers, and may in all. */
	waitedMs = 0;
	maxWaitMs = Infinity;

	/**
	 * @param requestsPerMinute that of its credential; Infinity for no limit.
	 * @param credential what its credential is called, if that is known.
	 */
	constructor(
		readonly kind: QueueKind,
		readonly requestsPerMinute: number,
		readonly credential?: string,
	) {}

	get demand(): number {
		return Math.max(1, this.planned, this.waiting.length);
	}
}

/** What waits for a place. */
export interface Entry {
	queue: Queue;
	/** Until when it may wait, by the clock of the account. */
	endsAt?: number | undefined;
	/** Ends the wait. */
	signal?: AbortSignal | undefined;
	/** Whether nobody will report its answer. */
	isUnseen?: boolean;
}

type Waiter = Entry & { since: number; settle(place?: Place): void };

/** What the last refusal has led to. */
interface Stop {
	readonly at: number;
	/** Until when nothing is sent. */
	until: number;
	readonly lengthMs: number;
	/** How many requests a minute are allowed after it, and for how long before more are tried. */
	readonly level: number;
	readonly pauseMs: number;
	/** Whether a request was accepted after it. */
	isOver: boolean;
}

const NEVER_STOPPED: Stop = {
	at: -Infinity,
	until: -Infinity,
	lengthMs: 0,
	level: Infinity,
	pauseMs: 0,
	isOver: true,
};

/** How the account stands at a time. */
interface Standing {
	now: number;
	/** How many requests may be sent in a minute, and how many of them nobody has sent. */
	number: number;
	free: number;
	/** How many are under way and do not hang, were accepted in the last minute, and are those of polls. */
	moving: number;
	accepted: number;
	polls: number;
	/** The queue with the smallest 'Requests per Minute' of those that wait or are under way. */
	smallest: Queue | undefined;
}

/**
 * The requests that an account may send, in this process: logins, sites, polls and HTTP Request nodes together.
 *
 * 1. Number: no 60 seconds hold more than 'Requests per Minute' allows. Of several credentials of the account, the smallest
 *    number counts of those whose requests wait or are under way.
 * 2. Slow start: if there is a number, at most one request more is under way than were accepted in the last minute, and at
 *    most a tenth of the number. So after a pause one goes alone, and a minute that others have used up costs one refusal.
 * 3. Stop: after a refusal nothing is sent for as long as the service asks, else for a minute; refused again, for twice as
 *    long. Then nine tenths of what was accepted before are allowed, and more after a pause that grows with each refusal.
 * 4. Turns: logins go first, then executions that could not send for five seconds, then who holds the fewest places; a poll
 *    counts as if it held a tenth of the number more. A queue that needs more than a quarter, and more than is free, sends
 *    evenly and leaves a few places. All polls together hold half at most.
 */
export class Limit {
	private stop = NEVER_STOPPED;
	/** The requests that count, in the order in which they were sent. */
	private places: Place[] = [];
	/** Those in which something waits; among equals, the first one is next. */
	private readonly queues = new Set<Queue>();
	/** HTTP Request nodes, by the number of their credential. */
	private readonly others = new Map<number, Queue>();
	private isTicking = false;

	constructor(private readonly clock: Clock = systemClock) {}

	/** The queue of the HTTP Request nodes whose credential has this number. */
	queueOfOthers(requestsPerMinute: number): Queue {
		const queue = this.others.get(requestsPerMinute) ?? new Queue('execution', requestsPerMinute);
		this.others.set(requestsPerMinute, queue);
		return queue;
	}

	/**
	 * Waits until a request may be sent.
	 *
	 * @returns undefined if there is no place in time, or if the wait was ended.
	 */
	async enter(entry: Entry): Promise<Place | undefined> {
		const { queue, signal } = entry;
		if (signal?.aborted) return undefined;
		return await new Promise((resolve) => {
			const end = () => this.dismiss(waiter);
			const waiter: Waiter = {
				...entry,
				since: this.clock.now(),
				settle(place) {
					signal?.removeEventListener('abort', end);
					resolve(place);
				},
			};
			signal?.addEventListener('abort', end);
			queue.waiting.push(waiter);
			this.queues.add(queue);
			this.advance();
			if (this.isLate(waiter)) this.dismiss(waiter);
			void this.tick();
		});
	}

	/** The service has answered a request, and not with 429. */
	accept(place: Place): void {
		this.end(place, true);
		if (place.sentAt > this.stop.at) this.stop.isOver = true;
		this.advance();
	}

	/** The service has answered with 429, and asks to wait this long, in milliseconds, if it does. */
	refuse(place: Place, askedMs = MINUTE_MS): void {
		const { now, accepted } = this.look();
		const { stop } = this;
		this.end(place, false);
		if (place.sentAt > stop.at) {
			const grownMs = stop.isOver ? STOP_MS.shortest : 2 * stop.lengthMs;
			const lengthMs = Math.max(askedMs, Math.min(STOP_MS.longest, grownMs));
			this.stop = {
				at: now,
				until: now + lengthMs,
				lengthMs,
				isOver: false,
				...this.levelAfter(now, accepted),
			};
		} else {
			// It was under way before the stop, so it says nothing new.
			stop.until = Math.max(stop.until, now + Math.max(askedMs, stop.lengthMs));
		}
		this.dismissLate();
	}

	/** There will be no answer. */
	fail(place: Place): void {
		this.end(place, false);
		this.advance();
	}

	/** The request has not been sent after all. */
	giveBack(place: Place): void {
		const index = this.places.indexOf(place);
		if (index < 0) return;
		this.places.splice(index, 1);
		place.queue.planned += 1;
		this.advance();
	}

	/** Whether hardly anything would be lost if the account were forgotten. */
	get isIdle(): boolean {
		const { now } = this.look();
		const isQuiet = this.queues.size === 0 && this.places.length === 0;
		return isQuiet && now > Math.max(this.stop.at, this.stop.until) + HOUR_MS;
	}

	/** How many requests may be sent if this queue sends some, and what keeps the account from sending more. */
	textFor(queue: Queue): LimitText {
		const { now, number: requestsPerMinute, smallest = queue } = this.look(queue);
		const isStopped = now < this.stop.until || !this.stop.isOver;
		const isLowered = requestsPerMinute < smallest.requestsPerMinute;
		const cause = isStopped ? 'stopped' : isLowered ? 'lowered' : 'number';
		return { requestsPerMinute, credential: smallest.credential, cause };
	}

	/** How long until so many requests need not wait for the number, in milliseconds; Infinity if they are too many. */
	delayMs(queue: Queue, requests = 1): number {
		const { now, number, free } = this.look(queue);
		const surplus = requests + shareOf(number, FOR_LOGINS) - free;
		if (surplus > this.places.length) return Infinity;
		const ends = this.places.map(({ answeredAt }) => Math.min(answeredAt, now) + MINUTE_MS);
		const freeAt = surplus <= 0 ? now : ends.sort((one, other) => one - other)[surplus - 1];
		return Math.max(freeAt ?? now, this.stop.until) - now;
	}

	/**
	 * How long it would take a queue to send so many requests, in milliseconds, if nobody else came. Those that count now
	 * come before them, and as many of each queue that waits. Two seconds are counted for an answer.
	 */
	plannedMs(queue: Queue, requests: number): number {
		const { now, number } = this.look(queue);
		const beginsAt = Math.max(now, this.stop.until);
		const held = this.places.filter(({ answeredAt }) => answeredAt + MINUTE_MS > beginsAt).length;
		const left = shareOf(number, requests > number / 4 ? FOR_NEWCOMERS : FOR_LOGINS);
		if (requests <= number - left - held) return beginsAt - now;
		const others = [...this.queues].map(({ demand }) => Math.min(demand, requests));
		const before = others.reduce((sum, each) => sum + each, held);
		const minutes = (before + requests) / sustained(number);
		return beginsAt - now + minutes * (MINUTE_MS + UNSEEN_MS);
	}

	/** @param asking a queue that may send something, beside those that wait. */
	private look(asking?: Queue): Standing {
		const now = this.clock.now();
		this.places = this.places.filter(({ answeredAt }) => answeredAt + MINUTE_MS > now);
		let [moving, accepted, polls, smallest] = [0, 0, 0, asking];
		const compare = (queue: Queue) => {
			if (!smallest || queue.requestsPerMinute < smallest.requestsPerMinute) smallest = queue;
		};
		for (const { queue, sentAt, answeredAt, isAccepted } of this.places) {
			const isUnderWay = answeredAt > now;
			if (isUnderWay) compare(queue);
			if (isUnderWay && now - sentAt < HANGS_MS) moving += 1;
			if (!isUnderWay && isAccepted) accepted += 1;
			if (queue.kind === 'poll') polls += 1;
		}
		this.queues.forEach(compare);
		const number = Math.min(smallest?.requestsPerMinute ?? Infinity, this.level(now));
		const free = number - this.places.length;
		// Without a number, they only tell a stop what was accepted before it.
		if (smallest && number === Infinity) this.places = this.places.slice(-KEPT_WITHOUT_NUMBER);
		return { now, number, free, moving, accepted, polls, smallest };
	}

	/** How many requests a minute the service took before it refused some, and after a pause more and more. */
	private level(now: number): number {
		const { until, level, pauseMs } = this.stop;
		const triedMs = now - until - pauseMs;
		if (triedMs < 0) return level;
		const raises = 1 + Math.floor(triedMs / Math.max(SECOND_MS, pauseMs / 10));
		return level + (2 ** raises - 1) * Math.max(1, Math.floor(level / 10));
	}

	/** What is allowed after a refusal: less than was accepted in the minute before it. */
	private levelAfter(now: number, accepted: number): Pick<Stop, 'level' | 'pauseMs'> {
		const { at, pauseMs } = this.stop;
		const isRepeated = now - at <= HOUR_MS;
		return {
			level: accepted > 0 ? Math.max(1, Math.floor(0.9 * accepted)) : this.level(now),
			pauseMs: isRepeated ? Math.min(PAUSE_MS.longest, 2 * pauseMs) : PAUSE_MS.first,
		};
	}

	private end(place: Place, isAccepted: boolean): void {
		const now = this.clock.now();
		if (place.answeredAt > now) Object.assign(place, { answeredAt: now, isAccepted });
	}

	/** Sends all that may be sent, each in its turn. */
	private advance(): void {
		for (let queue = this.next(); queue; queue = this.next()) {
			const { isUnseen = false, settle } = queue.waiting.shift() as Waiter;
			queue.planned -= 1;
			// It comes last among its equals.
			this.queues.delete(queue);
			if (queue.waiting.length > 0) this.queues.add(queue);
			const sentAt = this.clock.now();
			const answeredAt = isUnseen ? sentAt + UNSEEN_MS : Infinity;
			const place = { queue, sentAt, answeredAt, isAccepted: isUnseen };
			this.places.push(place);
			settle(place);
		}
	}

	/** The queue whose turn it is, if anything may be sent. */
	private next(): Queue | undefined {
		if (this.queues.size === 0) return undefined;
		const standing = this.look();
		const { now, free, moving } = standing;
		const mayMove = moving < this.mostMoving(standing);
		if (now < this.stop.until || free <= 0 || !mayMove) return undefined;
		let first: { queue: Queue; rank: number } | undefined;
		for (const queue of this.queues) {
			const rank = this.rank(queue, standing);
			if ((!first || rank < first.rank) && this.hasPlace(queue, standing)) first = { queue, rank };
		}
		return first?.queue;
	}

	/** How many requests may be under way at the same time. */
	private mostMoving({ number, accepted }: Standing): number {
		// After a stop one goes alone.
		if (!this.stop.isOver) return 1;
		if (number === Infinity) return Infinity;
		return Math.min(accepted + 1, Math.max(1, Math.floor(number / 10)));
	}

	/** Who goes first has the lowest rank. */
	private rank(queue: Queue, { now, number }: Standing): number {
		if (queue.kind === 'login') return -2;
		if (this.isStarved(queue, now)) return -1;
		return this.placesOf(queue).length + (queue.kind === 'poll' ? number / 10 : 0);
	}

	/** Whether there is a place for a queue that waits, if the account may send anything. */
	private hasPlace(queue: Queue, standing: Standing): boolean {
		const { number, free, polls } = standing;
		if (queue.kind === 'login') return free > 0;
		if (queue.kind === 'poll' && polls >= half(number)) return false;
		const forLogins = shareOf(number, FOR_LOGINS);
		return this.isLong(queue, standing)
			? free > forLogins + leftBy(queue, number) && this.isDue(queue, standing)
			: free > forLogins;
	}

	/** Whether a queue needs more than a quarter, and more than is free beside what it leaves. Then it sends evenly. */
	private isLong(queue: Queue, { now, number, free }: Standing): boolean {
		if (queue.kind === 'attendedPoll' || this.isStarved(queue, now)) return false;
		const held = this.placesOf(queue).length;
		// Only one that has been long leaves some.
		const left = held > number / 4 ? leftBy(queue, number) : 0;
		return queue.demand + held > number / 4 && queue.demand > free - left;
	}

	/** Whether a long queue may send its next request: two in the time of two, or a quarter if it is a poll, which ends soon. */
	private isDue(queue: Queue, { now, number }: Standing): boolean {
		const isPoll = queue.kind === 'poll';
		const burst = isPoll ? Math.max(1, Math.floor(number / 4)) : 2;
		const paceMs = MINUTE_MS / (isPoll ? half(number) : sustained(number));
		const own = this.placesOf(queue);
		const sinceMs = (place?: Place) => now - (place?.sentAt ?? -Infinity);
		return sinceMs(own.at(-burst)) >= burst * paceMs && sinceMs(own.at(-1)) >= paceMs / 2;
	}

	private isStarved(queue: Queue, now: number): boolean {
		const waitsSince = queue.waiting[0]?.since ?? now;
		const lastAt = this.placesOf(queue).at(-1)?.sentAt ?? -Infinity;
		return queue.kind === 'execution' && now - Math.max(waitsSince, lastAt) >= STARVED_MS;
	}

	private placesOf(queue: Queue): Place[] {
		return this.places.filter((place) => place.queue === queue);
	}

	private dismiss(waiter: Waiter): void {
		const { waiting } = waiter.queue;
		const index = waiting.indexOf(waiter);
		if (index >= 0) waiting.splice(index, 1);
		if (waiting.length === 0) this.queues.delete(waiter.queue);
		waiter.settle();
	}

	/** Whether a wait is over, or will be before the account may send again. */
	private isLate({ queue, endsAt = Infinity }: Waiter): boolean {
		const now = this.clock.now();
		const lastAt = Math.min(endsAt, now + queue.maxWaitMs - queue.waitedMs);
		return lastAt <= Math.max(now, this.stop.until);
	}

	private dismissLate(): void {
		for (const { waiting } of this.queues) {
			for (const waiter of waiting.filter((each) => this.isLate(each))) this.dismiss(waiter);
		}
	}

	/** While something waits, looks whether it may go, or has waited for too long. */
	private async tick(): Promise<void> {
		if (this.isTicking) return;
		this.isTicking = true;
		for (let before = this.clock.now(); this.queues.size > 0; ) {
			await this.clock.sleep(TICK_MS);
			this.advance();
			const standing = this.look();
			const { now } = standing;
			for (const queue of this.queues) {
				const isHeldUp = now < this.stop.until || !this.hasPlace(queue, standing);
				if (isHeldUp) queue.waitedMs += now - before;
			}
			before = now;
			this.dismissLate();
		}
		this.isTicking = false;
	}
}

/** What the polls of all triggers may hold. */
function half(number: number): number {
	return Math.max(1, Math.floor(number / 2));
}

/** How many places a long queue leaves to those who come meanwhile. */
function leftBy({ kind }: Queue, number: number): number {
	return kind === 'poll' ? 0 : shareOf(number, FOR_NEWCOMERS);
}

/** How many requests a minute a long queue sends. */
function sustained(number: number): number {
	return Math.max(1, number - shareOf(number, FOR_LOGINS + FOR_NEWCOMERS));
}

function shareOf(number: number, share: number): number {
	return number === Infinity ? 0 : Math.floor(share * number);
}
