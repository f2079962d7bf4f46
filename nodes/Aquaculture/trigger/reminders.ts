import { systemClock } from '../utils/clock';
import { HOUR_MS, MINUTE_MS } from '../utils/time';

/** Report a continuing failure once an hour. The poll of the next hour may come a little early. */
const REMINDER_MS = HOUR_MS - MINUTE_MS;

/** Identifies a failure while it continues. */
export interface FailureKey {
	key: string;
	/** Absent if the failure is not that of one site. */
	siteId?: number;
}

/** Remembers which failures of a trigger were reported: otherwise each poll would start a failed execution. */
export class Reminders {
	private readonly reported = new Map<string, FailureKey & { at: number }>();

	/** Returns whether one of the failures was not reported within the hour. Then all of them count as reported. */
	shouldReport(failures: readonly FailureKey[]): boolean {
		const now = systemClock.now();
		const isDue = ({ key }: FailureKey) =>
			now - (this.reported.get(key)?.at ?? -Infinity) >= REMINDER_MS;
		if (!failures.some(isDue)) return false;
		for (const each of failures) this.reported.set(each.key, { ...each, at: now });
		return true;
	}

	/** Forgets the failures that have ended, so that they are reported if they come back. */
	forgetEnded(current: readonly FailureKey[], hasEnded: (failure: FailureKey) => boolean): void {
		const continuing = new Set(current.map(({ key }) => key));
		for (const each of this.reported.values()) {
			if (!continuing.has(each.key) && hasEnded(each)) this.reported.delete(each.key);
		}
	}
}
