import type { IPollFunctions } from 'n8n-workflow';
import { TRIGGER_MESSAGES } from '../messages/trigger';
import { formatLocalTime } from '../messages/phrases';
import { DAY_MS } from '../utils/time';
import { shortHash, type ChangeItem } from './changeItem';
import { listFailures } from './failedExecutions';
import type { PollSetup } from './pollSetup';
import type { SiteRecords } from './siteRecords';
import type { TriggerSettings } from './triggerSettings';

/* When is a status report due, and what does it say? */

/** The hour from which a report is due. */
const DUE_HOUR = 6;

/**
 * Returns the day or week whose report is due by now, as its interval and the date of the day or of its Monday:
 * `daily 2026-03-09`.
 *
 * @returns undefined without status reports.
 */
export function getReportPeriod(
	interval: TriggerSettings['statusReport'],
	timeZone: string,
): string | undefined {
	if (interval === 'off') return undefined;
	const numbers = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const;
	const format = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', ...numbers });
	const parts = new Map(format.formatToParts().map(({ type, value }) => [type, Number(value)]));
	const get = (type: keyof typeof numbers) => parts.get(type) ?? 0;
	// Calculated as if the clock on the wall showed UTC: a day may have 23 or 25 hours.
	const day = new Date(Date.UTC(get('year'), get('month') - 1, get('day'), get('hour') - DUE_HOUR));
	const daysSinceMonday = (day.getUTCDay() + 6) % 7;
	const first = interval === 'weekly' ? day.getTime() - daysSinceMonday * DAY_MS : day.getTime();
	return `${interval} ${new Date(first).toISOString().slice(0, 10)}`;
}

/**
 * Returns whether the report of a period is due. A new trigger, or one with another interval, has no earlier report, so its first one
 * comes when the current day or week is over.
 *
 * @param lastPeriod the last one whose report was returned, or needed none.
 */
export function isReportDue(lastPeriod: string | undefined, period: string): boolean {
	const getInterval = (of: string | undefined) => of?.split(' ')[0];
	return period !== lastPeriod && getInterval(period) === getInterval(lastPeriod);
}

/** What status reports count, from the activation of the trigger on. */
export class ReportState {
	readonly startedAt = new Date();
	/** When the last report was returned; undefined before the first one. */
	reportedAt: Date | undefined;
	/** How many changes were found since then, or else since the start. */
	changes = 0;

	/** Begins to count anew, after a report. */
	reset(): void {
		this.reportedAt = new Date();
		this.changes = 0;
	}
}

/**
 * Creates the item that tells people that the trigger works, or what does not. Its `changeId` depends only on the trigger and
 * the period.
 *
 * @param period see {@link getReportPeriod}.
 */
export function createStatusReport(
	context: IPollFunctions,
	state: ReportState,
	period: string,
	setup: PollSetup,
	records: SiteRecords,
): ChangeItem {
	return {
		summary: buildSummary(state, setup, records, context.getTimezone()),
		siteName: null,
		unitName: null,
		fieldName: 'Status report',
		oldValue: null,
		newValue: null,
		seenAt: new Date().toISOString(),
		siteId: null,
		unitId: null,
		change: 'statusReport',
		field: null,
		changeId: shortHash([setup.triggerKey, 'statusReport', period].join(' ')),
	};
}

function buildSummary(
	{ startedAt, reportedAt, changes }: ReportState,
	setup: PollSetup,
	records: SiteRecords,
	timeZone: string,
): string {
	const [today] = formatLocalTime(new Date(), timeZone).split(' ');
	const format = (time: Date) => formatLocalTime(time, timeZone).replace(`${today} `, '');
	const times = records.all.flatMap(({ lastReadAt }) => lastReadAt ?? []);
	times.sort((one, other) => one.getTime() - other.getTime());
	const failures = listFailures(setup, records);
	const unread = records.listUnread(reportedAt ?? startedAt);
	const others = unread.filter((record) => !failures.some((each) => each.record === record));
	return TRIGGER_MESSAGES.status({
		sites: records.all.length,
		readTimes: times.map(format),
		since: reportedAt ? format(reportedAt) : `the trigger started (${format(startedAt)})`,
		failures: failures.map(({ failure: { message }, record }) => ({
			message,
			lastReadAt: record?.lastReadAt && format(record.lastReadAt),
		})),
		unread: others.length,
		changes,
	});
}
