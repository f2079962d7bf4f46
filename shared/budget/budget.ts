import { processClock, type Clock } from '../clock';
import { MINUTE_MS } from '../duration';
import { Lane } from './lane';
import { Occupancy, type Occupant } from './occupancy';
import { Refusals } from './refusals';

/** Where no answer is seen, it is assumed to have come after this time. */
const UNSEEN_ANSWER_MS = 2_000;
/** n8n's sleep cannot be cancelled, so the timer sleeps in short steps. */
const LONGEST_SLEEP_MS = 1_000;

/** A request that is to be sent. */
export interface Entry {
	lane: Lane;
	/** How many requests a minute its credential allows; Infinity for no limit. */
	requestsPerMinute: number;
	/** How long it may wait, in milliseconds. */
	maxWaitMs: number;
	/** Ends the wait. */
	signal?: AbortSignal | undefined;
	/** Whether it goes before all that take turns: logins and credential tests. */
	isUrgent?: boolean;
	/** Whether it goes before the others of its lane, because it has waited before and then needed a login. */
	hadItsTurn?: boolean;
	/** Whether its answer will not be reported. */
	isUnseen?: boolean;
}

interface Waiter extends Entry {
	expiresAt: number;
	/** Ends the wait, with a place where the request may be sent. */
	settle(place?: Place): void;
}

/** A request that may be sent now, and that counts until a minute after its answer. */
export class Place implements Occupant {
	endsAt = Infinity;

	isAccepted = false;

	constructor(
		private readonly budget: Budget,
		readonly requestsPerMinute: number,
		readonly sentAt: number,
		readonly isPoll: boolean,
		readonly isUnseen: boolean,
	) {}

	/** The service has answered, and not with 429. */
	accept(): void {
		this.isAccepted = true;
		this.budget.end(this);
	}

	/** The service has answered with 429, and asks to wait this long, in milliseconds, where it does. */
	refuse(retryAfterMs?: number): void {
		this.budget.end(this, { retryAfterMs });
	}

	/** There will be no answer. */
	fail(): void {
		this.budget.end(this);
	}

	/** The request has not been sent after all. */
	giveBack(): void {
		this.budget.remove(this);
	}
}

/**
 * The requests that an account may send, in this process: logins, sites, polls and HTTP Request nodes together.
 *
 * A request counts until a minute after its answer, so that the service never counts more than the limit in a minute. A
 * request that fits is sent at once. Any other waits, and takes turns by {@link Lane}.
 */
export class Budget {
	/** The requests of other nodes, which take turns as one. */
	readonly others = new Lane();

	private readonly all = new Occupancy<Place>();

	private readonly polls = new Occupancy<Place>();

	private readonly refusals = new Refusals();

	/** After a refusal, the one request that is under way. */
	private probe: Place | undefined;

	/** When each setting of 'Requests per Minute' was used last: credentials of one account may differ. */
	private readonly settings = new Map<number, number>();

	private readonly urgent: Waiter[] = [];

	/** The queues of the lanes, the next one first. */
	private readonly turns = new Map<Lane, Waiter[]>();

	private isTimerRunning = false;

	constructor(private readonly clock: Clock = processClock) {}

	/**
	 * Waits until a request may be sent.
	 *
	 * @returns undefined where that would take longer than it may wait, or where the wait was ended.
	 */
	async enter(entry: Entry): Promise<Place | undefined> {
		if (entry.signal?.aborted) return undefined;
		this.settings.set(entry.requestsPerMinute, this.clock.now());
		const now = this.refresh();
		if (!this.isWaiting && this.delayMs(entry.lane, now) === 0) return this.admit(entry, now);
		return await this.wait(entry, now);
	}

	/** For how long no request of a lane can be sent, in milliseconds; 0 where that is not known. */
	closedMs(lane: Lane): number {
		const now = this.refresh();
		return this.delayMs(lane, now) ?? 0;
	}

	/**
	 * How many requests a minute the account may send at the moment; for the lane of a poll, how many all polls may.
	 *
	 * @param setting the number of a credential that may not have been used yet.
	 */
	requestsPerMinute(lane?: Lane, setting = Infinity): number {
		const limit = Math.min(setting, this.limit(this.refresh()));
		return lane?.isPoll ? shareOfPolls(limit) : limit;
	}

	/** For how long the service has asked not to send anything, in milliseconds. */
	stoppedMs(): number {
		return Math.max(0, this.refusals.stoppedUntil - this.clock.now());
	}

	/** Whether the service refused requests, and has not yet taken the one that was sent after it. */
	get isRefused(): boolean {
		return this.stoppedMs() > 0 || this.refusals.isProbing;
	}

	/** How long the requests of a lane have waited so far, in milliseconds. */
	waitedMs(lane: Lane): number {
		return lane.waitedMs(this.clock.now());
	}

	/** Whether nothing would be lost if the account were forgotten. */
	isIdle(): boolean {
		this.refresh();
		return !this.isWaiting && this.all.count === 0 && !this.refusals.isCautious;
	}

	/** Records how a request has ended. */
	end(place: Place, refusal?: { retryAfterMs: number | undefined }): void {
		const now = this.refresh();
		this.settings.set(place.requestsPerMinute, now);
		if (place === this.probe) this.probe = undefined;
		for (const occupancy of this.occupanciesOf(place)) occupancy.end(place, now + MINUTE_MS);
		if (refusal) {
			const refused = { sentAt: place.sentAt, accepted: this.all.accepted, ...refusal };
			this.refusals.refuse(refused, this.smallestSetting, now);
		} else if (place.isAccepted) {
			this.noteAccepted(place);
		}
		this.advance(now);
	}

	/** Removes a place that was not used. */
	remove(place: Place): void {
		const now = this.refresh();
		if (place === this.probe) this.probe = undefined;
		for (const occupancy of this.occupanciesOf(place)) occupancy.remove(place);
		this.advance(now);
	}

	/** Removes what has expired: requests, settings, refusals, and the wait for a probe's unseen answer. */
	private refresh(): number {
		const now = this.clock.now();
		this.all.release(now);
		this.polls.release(now);
		for (const [setting, usedAt] of this.settings) {
			const isOld = now - usedAt > UNSEEN_ANSWER_MS + MINUTE_MS;
			if (isOld && this.settings.size > 1 && !this.isInUse(setting)) this.settings.delete(setting);
		}
		this.refusals.forget(this.smallestSetting, now);
		const { probe } = this;
		if (probe?.isUnseen && now >= probe.sentAt + UNSEEN_ANSWER_MS) {
			this.probe = undefined;
			probe.isAccepted = true;
			this.noteAccepted(probe);
		}
		return now;
	}

	/** Whether a request that waits or is under way has this setting. */
	private isInUse(setting: number): boolean {
		return [...this.waiters(), ...this.all.underWay].some(
			({ requestsPerMinute }) => requestsPerMinute === setting,
		);
	}

	private noteAccepted({ sentAt }: Place): void {
		if (!this.refusals.isCautious) return;
		this.refusals.accept(sentAt, this.all.accepted, this.smallestSetting);
	}

	private async wait(entry: Entry, now: number): Promise<Place | undefined> {
		const { lane, signal, maxWaitMs } = entry;
		let settle: Waiter['settle'] = () => {};
		const place = new Promise<Place | undefined>((resolve) => {
			settle = resolve;
		});
		const waiter: Waiter = { ...entry, expiresAt: now + maxWaitMs, settle };
		const abort = () => this.dismiss(waiter);
		signal?.addEventListener('abort', abort);
		lane.beginWait(now);
		this.enqueue(waiter);
		this.admitReady(now);
		this.dismissExpired([waiter], now);
		void this.runTimer();
		try {
			return await place;
		} finally {
			signal?.removeEventListener('abort', abort);
			lane.endWait(this.clock.now());
		}
	}

	private enqueue(waiter: Waiter): void {
		const queue = this.queueOf(waiter);
		if (!waiter.isUrgent) this.turns.set(waiter.lane, queue);
		const next = waiter.hadItsTurn ? queue.findIndex(({ hadItsTurn }) => !hadItsTurn) : -1;
		queue.splice(next === -1 ? queue.length : next, 0, waiter);
	}

	/** Ends a wait without a place. */
	private dismiss(waiter: Waiter): void {
		const queue = this.queueOf(waiter);
		const index = queue.indexOf(waiter);
		if (index === -1) return;
		queue.splice(index, 1);
		if (!waiter.isUrgent && queue.length === 0) this.turns.delete(waiter.lane);
		waiter.settle();
	}

	private queueOf({ isUrgent, lane }: Waiter): Waiter[] {
		return isUrgent ? this.urgent : (this.turns.get(lane) ?? []);
	}

	private advance(now: number): void {
		if (!this.isWaiting) return;
		this.admitReady(now);
		this.dismissExpired(this.waiters(), now);
	}

	/** Admits all waiters that may be sent, each in its turn. */
	private admitReady(now: number): void {
		for (let waiter = this.next(now); waiter; waiter = this.next(now)) {
			waiter.settle(this.admit(waiter, now));
		}
	}

	/** Ends the waits that cannot lead to a place before they expire. */
	private dismissExpired(waiters: readonly Waiter[], now: number): void {
		const delayOf = this.delays(now);
		for (const waiter of waiters) {
			if (now + (delayOf(waiter.lane) ?? 0) >= waiter.expiresAt) this.dismiss(waiter);
		}
	}

	/** Takes the waiter whose turn it is from its queue; undefined where none may be sent. */
	private next(now: number): Waiter | undefined {
		const delayOf = this.delays(now);
		const urgent = this.urgent.findIndex(({ lane }) => delayOf(lane) === 0);
		if (urgent >= 0) return this.urgent.splice(urgent, 1)[0];

		const ready = [...this.turns].filter(([lane]) => delayOf(lane) === 0);
		// An unseen answer does not show whether the service accepts requests again.
		const { isProbing } = this.refusals;
		const [lane, queue] =
			ready.find(([, [first]]) => !isProbing || !first?.isUnseen) ?? ready[0] ?? [];
		if (!lane || !queue) return undefined;
		const waiter = queue.shift();
		// The lane comes last from now on.
		this.turns.delete(lane);
		if (queue.length > 0) this.turns.set(lane, queue);
		return waiter;
	}

	private admit({ lane, requestsPerMinute, isUnseen = false }: Entry, now: number): Place {
		this.settings.set(requestsPerMinute, now);
		const place = new Place(this, requestsPerMinute, now, lane.isPoll, isUnseen);
		if (this.refusals.isCautious) this.probe = place;
		for (const occupancy of this.occupanciesOf(place)) {
			occupancy.add(place);
			if (isUnseen) occupancy.end(place, now + UNSEEN_ANSWER_MS + MINUTE_MS);
		}
		return place;
	}

	private occupanciesOf({ isPoll }: Place): Array<Occupancy<Place>> {
		return isPoll ? [this.all, this.polls] : [this.all];
	}

	/** Milliseconds until a request of this lane can be sent at the earliest; undefined where that depends on an answer. */
	private delayMs({ isPoll }: Pick<Lane, 'isPoll'>, now: number): number | undefined {
		const { refusals, all, polls, probe } = this;
		if (now < refusals.stoppedUntil) return refusals.stoppedUntil - now;

		const limit = this.limit(now);
		if (all.count >= limit) return this.delayUntil(all.freeAt(limit), now);
		if (probe && refusals.isCautious) {
			// Only the answer to the request under way ends this, even if the limit grows meanwhile.
			return probe.isUnseen ? probe.sentAt + UNSEEN_ANSWER_MS - now : undefined;
		}
		const share = shareOfPolls(limit);
		if (isPoll && polls.count >= share) return this.delayUntil(polls.freeAt(share), now);
		return 0;
	}

	/** The same, computed once for all lanes: it differs only between polls and others. */
	private delays(now: number): (lane: Lane) => number | undefined {
		const ofOthers = this.delayMs({ isPoll: false }, now);
		const ofPolls = this.delayMs({ isPoll: true }, now);
		return ({ isPoll }) => (isPoll ? ofPolls : ofOthers);
	}

	/** @param freeAt when a place is free, unless the limit grows before. */
	private delayUntil(freeAt: number | undefined, now: number): number | undefined {
		const times = [freeAt, this.refusals.growsAt(this.smallestSetting, now)].filter(
			(time) => time !== undefined,
		);
		return times.length === 0 ? undefined : Math.min(...times) - now;
	}

	private limit(now: number): number {
		return this.refusals.allowed(this.smallestSetting, now);
	}

	/** Where credentials of the account differ, the smallest setting applies. */
	private get smallestSetting(): number {
		return Math.min(...this.settings.keys());
	}

	/** While something waits, wakes up when a request may be sent or a wait expires. */
	private async runTimer(): Promise<void> {
		if (this.isTimerRunning) return;
		this.isTimerRunning = true;
		while (this.isWaiting) {
			await this.clock.sleep(this.pauseMs());
			this.advance(this.refresh());
		}
		this.isTimerRunning = false;
	}

	private pauseMs(): number {
		const now = this.clock.now();
		const delayOf = this.delays(now);
		let pauseMs = LONGEST_SLEEP_MS;
		for (const waiter of this.waiters()) {
			const delayMs = delayOf(waiter.lane) ?? LONGEST_SLEEP_MS;
			pauseMs = Math.min(pauseMs, delayMs, waiter.expiresAt - now);
		}
		return Math.max(1, Math.ceil(pauseMs));
	}

	private get isWaiting(): boolean {
		return this.urgent.length > 0 || this.turns.size > 0;
	}

	private waiters(): Waiter[] {
		return [...this.urgent, ...[...this.turns.values()].flat()];
	}
}

function shareOfPolls(limit: number): number {
	return Math.max(1, Math.floor(limit / 2));
}
