import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../utils/clock';
import { HOUR_MS, MINUTE_MS } from '../utils/time';
import { startFailedExecution } from '../polling/failedExecution';

/** Report a continuing failure once an hour. The poll of the next hour may come a little early. */
const REMINDER_MS = HOUR_MS - MINUTE_MS;

/** Remembers which failures of a trigger were reported: otherwise each poll would start a failed execution. */
export class Reminders {
	/** By the key that identifies a failure while it continues. */
	private reportedAt = new Map<string, number>();

	/** Reports failures together, if one of them was not reported within the hour. */
	report(context: IPollFunctions, keys: readonly string[], error: Error): void {
		const now = systemClock.now();
		const isDue = (key: string) => now - (this.reportedAt.get(key) ?? -Infinity) >= REMINDER_MS;
		if (!keys.some(isDue)) return;
		for (const key of keys) this.reportedAt.set(key, now);
		startFailedExecution(context, error);
	}

	/** Forgets all but the current failures, so that the others are reported if they come back. */
	forgetEnded(current: readonly string[]): void {
		const continuing = [...this.reportedAt].filter(([key]) => current.includes(key));
		this.reportedAt = new Map(continuing);
	}
}
