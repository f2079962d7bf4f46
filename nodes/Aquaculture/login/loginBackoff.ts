import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../utils/time';
import { addNote, SENTENCES } from '../messages/messages';
import type { Failure } from '../service/failures';

/** Wait this long after a refused login, because repeating it could lock the account. Doubles each time. */
const REFUSED_MS = { min: 30 * SECOND_MS, max: HOUR_MS };
/** Wait this long after any other failed login; otherwise each item would log in again. Doubles each time. */
const FAILED_MS = { min: 5 * SECOND_MS, max: 5 * MINUTE_MS };

/** Decides when to log in again after a failed login. */
export class LoginBackoff {
	private last: { failure: Failure; retryAt: number } | undefined;
	private refusals = 0;
	private otherFailures = 0;

	/** Returns why the last login failed while it is too early for the next one. */
	failureAt(now: number): Failure | undefined {
		return this.last && now < this.last.retryAt ? this.last.failure : undefined;
	}

	reportSucceeded(): void {
		this.last = undefined;
		this.refusals = 0;
		this.otherFailures = 0;
	}

	reportFailed(failure: Failure, now: number): void {
		const isRefused = failure.kind === 'loginRefused';
		const { min, max } = isRefused ? REFUSED_MS : FAILED_MS;
		const failures = isRefused ? (this.refusals += 1) : (this.otherFailures += 1);
		const askedMs = isRefused ? 0 : (failure.waitMs ?? 0);
		const waitMs = Math.max(askedMs, Math.min(max, min * 2 ** (failures - 1)));
		// A credential test may have been refused in the meantime.
		if (this.last && this.last.retryAt > now + waitMs) return;
		// The whole wait, and not what is left of it: all requests then fail with the same words, which are shown once. The message of a
		// refusal says so already.
		const told = isRefused ? failure : addNote(failure, SENTENCES.nextLogin(waitMs));
		this.last = { failure: told, retryAt: now + waitMs };
	}
}
