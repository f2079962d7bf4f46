import { MINUTE_MS } from '../duration';

/** What holds a place: a queue. */
export interface Holder {
	readonly isPoll: boolean;
	/** It has got a place. */
	take(isPaced: boolean): void;
	/** A place of it counts no more. */
	release(wasPaced: boolean): void;
	/** It has not used a place. */
	giveBack(wasPaced: boolean): void;
}

/** A request that may be sent now, and that counts until a minute after its answer. */
export interface Place {
	readonly queue: Holder;
	/** By the budget's clock, in milliseconds. */
	readonly sentAt: number;
	/** Whether nobody reports its answer. */
	readonly isUnseen: boolean;
	/** Whether it goes beyond what is proven. */
	readonly isTrial: boolean;
	/** Whether its queue was paced. */
	readonly isPaced: boolean;
	/** Until when it counts; Infinity as long as it is under way. */
	endsAt: number;
	/** Whether the service has answered it, and not refused it. */
	isAccepted: boolean;
}

/** The requests of an account that count at the moment: those under way, and those of the last minute. */
export class Window {
	/** Those without an answer, the one sent first first. */
	readonly underWay = new Set<Place>();

	/** Those with one, the one that ends first first. */
	readonly ended: Place[] = [];

	/** How many are those of triggers. */
	polls = 0;

	/** How many the service has accepted. */
	accepted = 0;

	get count(): number {
		return this.underWay.size + this.ended.length;
	}

	/** How many of them still count at a time. */
	countAt(time: number): number {
		return this.underWay.size + this.ended.filter(({ endsAt }) => endsAt > time).length;
	}

	/** Those under way that were sent after this time. */
	underWaySince(time: number): Place[] {
		const all = [...this.underWay];
		const first = all.findIndex(({ sentAt }) => sentAt > time);
		return first === -1 ? [] : all.slice(first);
	}

	add(place: Place): void {
		this.underWay.add(place);
		place.queue.take(place.isPaced);
		if (place.queue.isPoll) this.polls += 1;
	}

	/**
	 * A request has ended, at this time.
	 *
	 * @returns whether it was under way.
	 */
	end(place: Place, at: number, isAccepted: boolean): boolean {
		if (!this.underWay.delete(place)) return false;
		place.isAccepted = isAccepted;
		if (isAccepted) this.accepted += 1;
		place.endsAt = at + MINUTE_MS;
		const later = this.ended.findLastIndex(({ endsAt }) => endsAt <= place.endsAt) + 1;
		this.ended.splice(later, 0, place);
		return true;
	}

	/** A request has not been sent after all. */
	remove(place: Place): void {
		if (!this.underWay.delete(place)) return;
		place.queue.giveBack(place.isPaced);
		if (place.queue.isPoll) this.polls -= 1;
	}

	/** Forgets those that count no more. */
	refresh(now: number): void {
		const first = this.ended.findIndex(({ endsAt }) => endsAt > now);
		const expired = this.ended.splice(0, first === -1 ? this.ended.length : first);
		for (const place of expired) this.release(place);
	}

	private release({ queue, isPaced, isAccepted }: Place): void {
		queue.release(isPaced);
		if (isAccepted) this.accepted -= 1;
		if (queue.isPoll) this.polls -= 1;
	}
}
