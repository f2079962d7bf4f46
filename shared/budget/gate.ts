import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../duration';
import type { Place } from './window';

/** How long an unsure account waits for the answer to the one request that it sends. */
export const LONGEST_PROBE_MS = 3 * SECOND_MS;
/** Longest time to which the stops grow by themselves. The service may ask for a longer one. */
const LONGEST_STOP_MS = 15 * MINUTE_MS;

/**
 * Whether an account may send at all.
 *
 *              accepted, or no answer for three seconds
 *   unsure ─────────────────────────────────────────────▶ open
 *    ▲  ▲ │ refused: a longer stop                          │ │
 *    │  │ └──────────────▶ stopped ◀────────────────────────┘ │
 *    │  └───────────────────┘ time is over       refused      │
 *    └────────────────────────────────────────────────────────┘ nothing accepted for a minute
 *
 * An unsure account sends one request, alone: if others have used up its minute, that costs one refusal. The operator asks
 * to wait as long as `Retry-After` says, else a minute and then exponentially longer, and may ban who goes on
 * (docs/service-interface.md, "Rate Limits").
 */
export class Gate {
	stoppedUntil = -Infinity;

	private stoppedAt = -Infinity;

	private openUntil = -Infinity;

	/** The request that was sent to find out. */
	private probe: Place | undefined;

	private stopMs = 0;

	isStopped(now: number): boolean {
		return now < this.stoppedUntil;
	}

	/** Whether the service has refused requests, and accepted none since. After an hour that is forgotten. */
	isRefused(now: number): boolean {
		if (now - this.stoppedUntil >= HOUR_MS) this.stopMs = 0;
		return this.stopMs > 0;
	}

	/** Whether a request may be sent. */
	isOpen(now: number): boolean {
		if (this.isStopped(now)) return false;
		return now < this.openUntil || now >= this.triedUntil;
	}

	/** Until when it waits for the answer to the request that was sent to find out. */
	get triedUntil(): number {
		return (this.probe?.sentAt ?? -Infinity) + LONGEST_PROBE_MS;
	}

	/** A request is sent. */
	send(place: Place, now: number): void {
		if (now < this.openUntil) return;
		// The last one has had no answer for so long that this one is not alone any more.
		if (this.probe) this.open(now);
		else this.probe = place;
	}

	/** The service has answered a request, and not refused it. */
	accept({ sentAt }: Place, now: number): void {
		if (sentAt <= this.stoppedAt) return;
		this.stopMs = 0;
		this.open(now);
	}

	/** A request has ended without an answer. */
	fail(place: Place): void {
		if (place === this.probe) this.probe = undefined;
	}

	/**
	 * The service has refused a request.
	 *
	 * @param askedMs how long it asks to wait, in milliseconds, where it does.
	 * @returns whether that says something about how many requests it takes: it does not where no other had been accepted, or
	 *   where the request was under way when another one was refused.
	 */
	refuse(place: Place, askedMs: number | undefined, now: number): boolean {
		const leastMs = askedMs === undefined ? MINUTE_MS : Math.max(SECOND_MS, askedMs);
		if (place.sentAt <= this.stoppedAt) {
			this.stoppedUntil = Math.max(this.stoppedUntil, now + leastMs);
			this.openUntil = -Infinity;
			return false;
		}
		const wasOpen = now < this.openUntil;
		const longerMs = this.isRefused(now) ? 2 * this.stopMs : 0;
		this.stopMs = Math.max(leastMs, Math.min(LONGEST_STOP_MS, longerMs));
		this.stoppedAt = now;
		this.stoppedUntil = now + this.stopMs;
		this.openUntil = -Infinity;
		this.probe = undefined;
		return wasOpen;
	}

	private open(now: number): void {
		this.openUntil = now + MINUTE_MS;
		this.probe = undefined;
	}
}
