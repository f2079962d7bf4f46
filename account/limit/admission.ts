import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../texts/duration';
import type { Place, Queue } from './queue';

/** If no answer is seen, it is assumed to have come after this time. */
export const UNSEEN_ANSWER_MS = 2 * SECOND_MS;
/** A request without an answer for so long does not hold up the slow start. */
const LONGEST_PROBE_MS = 3 * SECOND_MS;
/** A request without an answer for so long holds nobody up. */
const LONGEST_HOLD_MS = 10 * SECOND_MS;

/** The operator asks to wait for a minute if a refusal names no time (docs/service-interface.md, "Rate Limits"). */
const STOP_MS = MINUTE_MS;
/** Longest time to which the stops grow by themselves. The service may ask for a longer one. */
const LONGEST_STOP_MS = 15 * MINUTE_MS;

/** What is proven by what was accepted in the minute before a refusal: a little less, since others may go on. */
const MOST_PROVEN = 0.92;
/** First and longest time for which a refused trial postpones the next ones. */
const POSTPONEMENT_MS = MINUTE_MS;
const LONGEST_POSTPONEMENT_MS = 20 * MINUTE_MS;
/** One more trial at once for so many that were accepted. */
const TRIALS_FOR_ONE_MORE = 4;

/**
 * The requests of an account's last minute, and whether one more may be sent.
 *
 * - No 60 seconds hold more than the number that is set.
 * - Slow start: at most one request more is under way than were accepted in the last minute, and at most a tenth of the
 *   number. So after a pause one goes alone, and a minute that others have used up costs one refusal.
 * - Stop: after a refusal nothing is sent for as long as the service asks, else for a minute; refused again, for twice as
 *   long, up to a quarter of an hour. Then one request goes alone.
 * - After a refusal, nine tenths of what was accepted in the minute before it are proven, and sent as usual. More than
 *   that are trials, a few at once. Each that is accepted is proven too. A refused one brings back what was proven before
 *   the trials, and postpones the next ones. When the whole number is proven, or after an hour without a refusal, all is as before.
 *
 * Simulated (`testbed/simulation/`): going back to what was proven before the trials costs 4 instead of 10 refusals an hour
 * beside others at a service that counts by full minutes. Times are in milliseconds, by the budget's clock.
 */
export class Admission {
	/** How many requests a minute the credential allows; Infinity for no limit. */
	setting = Infinity;

	/** The requests without an answer, in the order in which they were sent. */
	readonly underWay = new Set<Place>();

	/** Those with an answer that still count, in the order in which they end. */
	readonly ended: Place[] = [];

	/** How many are those of polls. */
	polls = 0;

	stoppedUntil = -Infinity;

	/** How many the service has accepted. */
	private accepted = 0;

	private stoppedAt = -Infinity;

	/** How long the last stop was; 0 once a request was accepted after it. */
	private stopMs = 0;

	private proven = Infinity;

	private provenBeforeTrials = 0;

	private triedFrom = 0;

	private postponementMs = 0;

	get count(): number {
		return this.underWay.size + this.ended.length;
	}

	/** How many of them still count at a time. */
	countAt(time: number): number {
		return this.underWay.size + this.ended.filter(({ endsAt }) => endsAt > time).length;
	}

	/** How many requests a minute may be sent; at least one. */
	limit(now: number): number {
		const { setting, proven } = this;
		return this.isLowered(now) && now < this.nextTrialAt ? Math.min(setting, proven) : setting;
	}

	/** Whether the service has refused requests, and accepted none since. After an hour that is forgotten. */
	isRefused(now: number): boolean {
		if (now - this.stoppedUntil >= HOUR_MS) this.stopMs = 0;
		return this.stopMs > 0;
	}

	/** Whether fewer requests than usual are proven. */
	isLowered(now: number): boolean {
		if (now - this.stoppedAt >= HOUR_MS) this.proven = Infinity;
		return this.proven !== Infinity;
	}

	/** Whether one more request would be a trial. */
	isTrial(now: number): boolean {
		return this.isLowered(now) && this.count >= this.proven;
	}

	/** Whether a request may be sent. A login is sent at once even if it is more than is proven. */
	allows(isLogin: boolean, now: number): boolean {
		const limit = isLogin ? this.setting : this.limit(now);
		if (now < this.stoppedUntil || this.count >= limit) return false;
		if (this.underWaySince(now - LONGEST_HOLD_MS).length >= tenth(limit)) return false;
		const mostUnderWay = this.isRefused(now) ? 0 : this.accepted;
		const isUnlimited = limit === Infinity && mostUnderWay > 0;
		const probes = this.underWaySince(now - LONGEST_PROBE_MS);
		if (!isUnlimited && probes.length > mostUnderWay) return false;
		if (isLogin || !this.isTrial(now)) return true;
		const trials = this.underWaySince(now - LONGEST_HOLD_MS).filter((place) => place.isTrial);
		const tried = Math.max(0, this.proven - this.triedFrom);
		return trials.length <= Math.floor(tried / TRIALS_FOR_ONE_MORE);
	}

	/** A request is sent. */
	send(queue: Queue, isUnseen: boolean, now: number): Place {
		const isTrial = this.isTrial(now);
		const place = { queue, sentAt: now, isUnseen, isTrial, endsAt: Infinity, isAccepted: false };
		this.underWay.add(place);
		queue.take(now);
		if (queue.isPoll) this.polls += 1;
		return place;
	}

	/** The service has answered a request, and not with 429. */
	accept(place: Place, now: number): void {
		if (!this.end(place, now, true)) return;
		if (place.sentAt > this.stoppedAt) this.stopMs = 0;
		if (place.isTrial) this.proven += 1;
		if (this.proven >= this.setting) this.proven = Infinity;
	}

	/** The service has answered with 429, and asks to wait this long, in milliseconds, if it does. */
	refuse(place: Place, askedMs: number | undefined, now: number): void {
		this.end(place, now, false);
		const leastMs = askedMs === undefined ? STOP_MS : Math.max(SECOND_MS, askedMs);
		// This request was under way when another one was refused.
		if (place.sentAt <= this.stoppedAt) {
			this.stoppedUntil = Math.max(this.stoppedUntil, now + leastMs);
			return;
		}
		const wasRefused = this.isRefused(now);
		this.stopMs = Math.max(leastMs, wasRefused ? Math.min(LONGEST_STOP_MS, 2 * this.stopMs) : 0);
		// A request that was sent alone says nothing about how many the service takes.
		if (!wasRefused && this.accepted > 0) this.lower(now);
		this.stoppedAt = now;
		this.stoppedUntil = now + this.stopMs;
	}

	/** There will be no answer. */
	fail(place: Place, now: number): void {
		this.end(place, now, false);
	}

	/** The request has not been sent after all. */
	giveBack(place: Place): void {
		if (!this.underWay.delete(place)) return;
		place.queue.giveBack();
		if (place.queue.isPoll) this.polls -= 1;
	}

	/** Forgets what counts no more, and assumes the answers that nobody reports. */
	refresh(now: number): void {
		for (const place of this.underWay) {
			const answeredAt = place.sentAt + UNSEEN_ANSWER_MS;
			if (place.isUnseen && answeredAt <= now) this.accept(place, answeredAt);
		}
		while (this.ended[0] && this.ended[0].endsAt <= now) this.release(this.ended.shift() as Place);
	}

	/** The times at which more may be allowed, if nothing happens until then. */
	get nextTimes(): number[] {
		const waits = [UNSEEN_ANSWER_MS, LONGEST_PROBE_MS, LONGEST_HOLD_MS];
		return [
			this.stoppedUntil,
			this.nextTrialAt,
			...this.ended.slice(0, 1).map(({ endsAt }) => endsAt),
			...[...this.underWay].flatMap(({ sentAt }) => waits.map((ms) => sentAt + ms)),
		];
	}

	private get nextTrialAt(): number {
		return this.stoppedUntil + this.postponementMs;
	}

	/** Those under way that were sent after this time. */
	private underWaySince(time: number): Place[] {
		return [...this.underWay].filter(({ sentAt }) => sentAt > time);
	}

	private lower(now: number): void {
		const proven = Math.max(1, Math.floor(MOST_PROVEN * this.accepted));
		if (this.isLowered(now)) {
			this.provenBeforeTrials = Math.min(proven, this.provenBeforeTrials + 1);
			const longerMs = Math.max(POSTPONEMENT_MS, 2 * this.postponementMs);
			this.postponementMs = Math.min(LONGEST_POSTPONEMENT_MS, longerMs);
			this.triedFrom = this.accepted;
		} else {
			this.provenBeforeTrials = proven;
			this.postponementMs = 0;
			this.triedFrom = proven;
		}
		this.proven = this.provenBeforeTrials;
	}

	/** @returns whether it was under way. */
	private end(place: Place, at: number, isAccepted: boolean): boolean {
		if (!this.underWay.delete(place)) return false;
		place.isAccepted = isAccepted;
		if (isAccepted) this.accepted += 1;
		place.endsAt = at + MINUTE_MS;
		const index = this.ended.findLastIndex(({ endsAt }) => endsAt <= place.endsAt) + 1;
		this.ended.splice(index, 0, place);
		return true;
	}

	private release({ queue, isAccepted }: Place): void {
		queue.release();
		if (isAccepted) this.accepted -= 1;
		if (queue.isPoll) this.polls -= 1;
	}
}

/** How many requests may be under way at once: that is what a refusal can cost. */
function tenth(requestsPerMinute: number): number {
	return Math.max(1, Math.floor(requestsPerMinute / 10));
}
