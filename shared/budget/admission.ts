import { MINUTE_MS, SECOND_MS } from '../duration';
import { Capacity } from './capacity';
import { Gate, LONGEST_PROBE_MS } from './gate';
import type { Obstacle, Queue } from './queue';
import { Window, type Place } from './window';

/** Where no answer is seen, it is assumed to have come after this time. */
export const UNSEEN_ANSWER_MS = 2 * SECOND_MS;
/** A request without an answer for so long holds nobody up. */
const LONGEST_HOLD_MS = 10 * SECOND_MS;
/** How far behind its pace a queue may be and still catch up. */
const LONGEST_LAG_MS = SECOND_MS;

/**
 * The requests that an account has sent, and whether it may send one more. A {@link Gate} says whether anything may be
 * sent, a {@link Capacity} how much.
 *
 * A queue that needs more places than there are is paced, so that places come free all the time, and whoever comes later
 * waits for seconds, not for a minute. Times are in milliseconds, by the budget's clock.
 */
export class Admission {
	/** How many requests a minute the credential allows; Infinity for no limit. */
	setting = Infinity;

	readonly window = new Window();

	readonly gate = new Gate();

	readonly capacity = new Capacity();

	/** Those under way whose answers nobody reports, the one sent first first. */
	private readonly unseen: Place[] = [];

	/** How many requests a minute may be sent. */
	limit(now: number): number {
		return this.capacity.limit(this.setting, now);
	}

	/** Forgets what counts no more, and assumes the answers that nobody reports. */
	refresh(now: number): void {
		const { unseen, window } = this;
		for (let [first] = unseen; first && first.sentAt + UNSEEN_ANSWER_MS <= now; [first] = unseen) {
			unseen.shift();
			this.accept(first, first.sentAt + UNSEEN_ANSWER_MS);
		}
		window.refresh(now);
	}

	/** Whether a login or a credential test may be sent: what is more than is proven is tried at once. */
	allowsUrgent(now: number): boolean {
		const { gate, window, setting } = this;
		if (!gate.isOpen(now) || window.count >= setting) return false;
		return window.underWaySince(now - LONGEST_HOLD_MS).length < tenth(setting);
	}

	/** Whether any queue may send a request. */
	hasRoom(now: number): boolean {
		const { gate, window, capacity } = this;
		const limit = this.limit(now);
		if (!gate.isOpen(now) || window.count >= limit) return false;
		const isTrial = capacity.isTrial(window.count, now);
		if (limit === Infinity && !isTrial) return true;
		const underWay = window.underWaySince(now - LONGEST_HOLD_MS);
		if (underWay.length >= tenth(limit)) return false;
		if (isTrial)
			return underWay.filter((place) => place.isTrial).length < capacity.concurrentTrials;
		// No more than were accepted before: others may have used up the minute but for a few.
		return window.underWaySince(now - LONGEST_PROBE_MS).length <= window.accepted;
	}

	/** Whether one of the places that there are is for a queue. */
	allows(queue: Queue, now: number): boolean {
		const { window } = this;
		const limit = this.limit(now);
		const isDue = queue.nextAt === undefined || queue.nextAt <= now;
		if (queue.isPoll) {
			const isFree = window.count < limit - fiftieth(limit);
			return isDue && isFree && window.polls < half(limit);
		}
		return this.fits(queue, now) || (isDue && window.count < this.sustained(limit, now));
	}

	/** A request of a queue is sent. */
	send(queue: Queue, now: number, isUnseen: boolean): Place {
		const { window, capacity, gate } = this;
		const isTrial = capacity.isTrial(window.count, now);
		const isPaced = queue.nextAt !== undefined;
		const fits = this.fits(queue, now);
		const place = {
			...{ queue, sentAt: now, isUnseen, isTrial, isPaced },
			...{ endsAt: Infinity, isAccepted: false },
		};
		window.add(place);
		gate.send(place, now);
		if (isUnseen) this.unseen.push(place);
		if (!fits) this.pace(queue, now);
		return place;
	}

	/** The service has answered a request, and not with 429. */
	accept(place: Place, now: number): void {
		if (!this.window.end(place, now, true)) return;
		this.gate.accept(place, now);
		if (place.isTrial) this.capacity.prove(this.setting);
	}

	/** The service has answered with 429, and asks to wait this long, in milliseconds, where it does. */
	refuse(place: Place, askedMs: number | undefined, now: number): void {
		const { accepted } = this.window;
		this.window.end(place, now, false);
		if (this.gate.refuse(place, askedMs, now)) {
			this.capacity.lower(accepted, now, this.gate.stoppedUntil);
		}
	}

	/** There will be no answer. */
	fail(place: Place, now: number): void {
		this.window.end(place, now, false);
		this.gate.fail(place);
	}

	/** The request has not been sent after all. */
	giveBack(place: Place): void {
		this.window.remove(place);
		this.gate.fail(place);
	}

	/** Why a queue has to wait, unless only for an answer. */
	obstacleOf(queue: Queue, now: number): Obstacle | undefined {
		const { gate, capacity, window } = this;
		if (gate.isRefused(now) || capacity.isTrial(window.count, now)) return 'refusal';
		if (window.count < this.limit(now) && this.allows(queue, now)) return undefined;
		return window.count > queue.held ? 'others' : 'number';
	}

	/** The times at which more may be allowed, if nothing happens until then. */
	get nextTimes(): number[] {
		const { window, gate, capacity, unseen } = this;
		const [oldest] = window.underWay;
		return [
			gate.stoppedUntil,
			gate.triedUntil,
			capacity.nextTrialAt,
			...(oldest ? [oldest.sentAt + LONGEST_HOLD_MS] : []),
			...unseen.slice(0, 1).map(({ sentAt }) => sentAt + UNSEEN_ANSWER_MS),
			...window.ended.slice(0, 1).map(({ endsAt }) => endsAt),
		];
	}

	/**
	 * How many requests a minute may be sent where more are needed than there is. The rest is for those who come meanwhile,
	 * and for logins; after a refusal, all of it is needed to find out how much the service takes.
	 */
	sustained(limit: number, now: number): number {
		if (this.capacity.isLowered(now) || limit === Infinity) return limit;
		return limit - Math.floor(limit / 20) - fiftieth(limit);
	}

	/** Whether there are places for all that a queue needs; a third of the number at most where nobody knows how many that is. */
	private fits({ kind, demand, isOpenEnded, held }: Queue, now: number): boolean {
		if (kind !== 'execution') return kind === 'watchedPoll';
		const limit = this.limit(now);
		if (isOpenEnded && held + demand > third(limit)) return false;
		return demand <= limit - this.window.count;
	}

	/** Says when the next request of a queue is due, once it has taken what it may take at once. */
	private pace(queue: Queue, now: number): void {
		const { isPoll, heldAtOnce, nextAt } = queue;
		const limit = this.limit(now);
		const atOnce = isPoll ? Math.ceil(half(limit) / 2) : third(limit);
		if (nextAt === undefined && heldAtOnce < atOnce) return;
		const rest = Math.max(1, this.sustained(limit, now) - heldAtOnce);
		// Polls together cannot hold more than half, so each may catch up.
		const earliest = isPoll ? -Infinity : now - LONGEST_LAG_MS;
		queue.nextAt = Math.max(nextAt ?? now, earliest) + MINUTE_MS / (isPoll ? half(limit) : rest);
	}
}

/** What the polls of all triggers may hold. */
export function half(requestsPerMinute: number): number {
	return Math.max(1, Math.floor(requestsPerMinute / 2));
}

/** What an execution takes at once where it needs more than there is. */
function third(requestsPerMinute: number): number {
	return Math.max(1, Math.floor(requestsPerMinute / 3));
}

/** How many requests may be under way at once: that is what a refusal can cost. */
export function tenth(requestsPerMinute: number): number {
	return Math.max(1, Math.floor(requestsPerMinute / 10));
}

/** What polls and paced executions leave to logins and credential tests. */
function fiftieth(requestsPerMinute: number): number {
	return requestsPerMinute === Infinity ? 0 : Math.floor(requestsPerMinute / 50);
}
