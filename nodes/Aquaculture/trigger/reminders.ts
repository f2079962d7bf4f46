import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../utils/clock';
import { HOUR_MS, MINUTE_MS } from '../utils/time';
import { startFailedExecution } from '../polling/failedExecution';

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

	/** Reports failures together, if one of them was not reported within the hour. */
	report(context: IPollFunctions, failures: readonly FailureKey[], error: Error): void {
		const now = systemClock.now();
		const isDue = ({ key }: FailureKey) =>
			now - (this.reported.get(key)?.at ?? -Infinity) >= REMINDER_MS;
		if (!failures.some(isDue)) return;
		for (const each of failures) this.reported.set(each.key, { ...each, at: now });
		startFailedExecution(context, error);
	}

	/**
	 * Forgets the failures that have ended, so that they are reported if they come back.
	 *
	 * @param current the failures of a poll.
	 * @param unfinished the IDs of the sites that it had no time for: nobody knows whether their failures have ended.
	 */
	forgetEnded(current: readonly FailureKey[], unfinished: ReadonlySet<number>): void {
		const continuing = new Set(current.map(({ key }) => key));
		for (const { key, siteId } of this.reported.values()) {
			const isKnown = siteId === undefined ? unfinished.size === 0 : !unfinished.has(siteId);
			if (isKnown && !continuing.has(key)) this.reported.delete(key);
		}
	}
}
