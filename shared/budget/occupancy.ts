/** What a request occupies of its account's budget. */
export interface Occupant {
	/** Until when it counts, by the clock of the budget; Infinity while the request is under way. */
	endsAt: number;
	/** Whether the service has answered it, and not refused it. */
	isAccepted: boolean;
}

/** The requests of an account that count at the moment. */
export class Occupancy<T extends Occupant> {
	/** Those that have not been answered. */
	readonly underWay = new Set<T>();

	/** Those whose end is known, the earliest first. */
	private readonly ending: T[] = [];

	/** How many count. */
	get count(): number {
		return this.underWay.size + this.ending.length;
	}

	/** How many of them the service has accepted. */
	get accepted(): number {
		return this.ending.filter(({ isAccepted }) => isAccepted).length;
	}

	/** When fewer than `limit` requests count, if no other is added; undefined where that depends on an answer. */
	freeAt(limit: number): number | undefined {
		return this.ending[this.count - limit]?.endsAt;
	}

	add(occupant: T): void {
		this.underWay.add(occupant);
	}

	/** The request counts until this time, whatever has been known before. */
	end(occupant: T, endsAt: number): void {
		this.remove(occupant);
		occupant.endsAt = endsAt;
		const later = this.ending.findLastIndex((other) => other.endsAt <= endsAt) + 1;
		this.ending.splice(later, 0, occupant);
	}

	/** The request has not been sent, and does not count. */
	remove(occupant: T): void {
		if (this.underWay.delete(occupant)) return;
		const index = this.ending.lastIndexOf(occupant);
		if (index >= 0) this.ending.splice(index, 1);
	}

	/** Removes those that no longer count. */
	release(now: number): void {
		const first = this.ending.findIndex(({ endsAt }) => endsAt > now);
		this.ending.splice(0, first === -1 ? this.ending.length : first);
	}
}
