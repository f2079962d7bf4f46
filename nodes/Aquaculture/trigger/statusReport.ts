import type { IPollFunctions } from 'n8n-workflow';
import { formatLocalTime } from '../messages/phrases';
import { TRIGGER_MESSAGES } from '../messages/trigger';
import { DAY_MS, HOUR_MS } from '../utils/time';
import { shortHash, type ChangeItem } from './changeItem';
import type { SiteChanges } from './findChanges';
import { getTriggerKey } from './n8nPolls';
import type { PollSetup } from './pollSetup';
import { listLastingFailures } from './reportFailures';
import type { SiteRecords } from './siteRecords';
import type { TriggerSettings } from './triggerSettings';

/** The time of day from which a report is due. */
const DUE_AT_MS = 6 * HOUR_MS;

/**
 * Returns the day or week whose report is due by now, as the date of the day or of its Monday: `2026-03-09`.
 *
 * @returns undefined without status reports.
 */
export function getReportPeriod(
	interval: TriggerSettings['statusReport'],
	timeZone: string,
): string | undefined {
	if (interval === 'off') return undefined;
	// Calculated as if the clock on the wall showed UTC: a day may have 23 or 25 hours.
	const wallClock = Date.parse(`${formatLocalTime(new Date(), timeZone).replace(' ', 'T')}Z`);
	const day = new Date(wallClock - DUE_AT_MS);
	const daysSinceMonday = (day.getUTCDay() + 6) % 7;
	const first = interval === 'weekly' ? day.getTime() - daysSinceMonday * DAY_MS : day.getTime();
	return new Date(first).toISOString().slice(0, 10);
}

/** What status reports count, from the activation of the trigger on. */
export class ReportCounts {
	readonly startedAt = new Date();
	/** When the last report was returned; undefined before the first one. */
	reportedAt: Date | undefined;
	/** How many changes were found since then, or else since the start. */
	changes = 0;
	/** How many requests of the account the service had refused by then. */
	refusedBefore = 0;

	add(found: readonly SiteChanges[]): void {
		for (const { changes } of found) this.changes += changes.length;
	}

	/** Begins to count anew, after a report. */
	reset(refused: number): void {
		this.reportedAt = new Date();
		this.changes = 0;
		this.refusedBefore = refused;
	}
}

/**
 * Creates the item that tells people that the trigger works, or what does not, and resets the counts. It has the same ID in each
 * process.
 *
 * @param period see {@link getReportPeriod}.
 */
export function createStatusReport(
	context: IPollFunctions,
	counts: ReportCounts,
	period: string,
	setup: PollSetup,
	records: SiteRecords,
): ChangeItem {
	const summary = buildSummary(counts, setup, records, context.getTimezone());
	counts.reset(setup.client.account.limiter.refused.requests);
	return {
		summary,
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
		changeId: shortHash([getTriggerKey(context), 'statusReport', period].join(' ')),
	};
}

function buildSummary(
	{ startedAt, reportedAt, changes, refusedBefore }: ReportCounts,
	setup: PollSetup,
	records: SiteRecords,
	timeZone: string,
): string {
	const [today] = formatLocalTime(new Date(), timeZone).split(' ');
	const format = (time: Date) => formatLocalTime(time, timeZone).replace(`${today} `, '');
	const times = records.all.flatMap(({ lastReadAt }) => lastReadAt ?? []);
	times.sort((one, other) => one.getTime() - other.getTime());
	const { refused } = setup.client.account.limiter;
	return TRIGGER_MESSAGES.status({
		sites: records.all.length,
		readAt: times.map(format),
		startedAt: format(startedAt),
		failures: listLastingFailures(setup, records).map(({ record, failure: { message } }) => {
			return { message, readAt: record?.lastReadAt && format(record.lastReadAt) };
		}),
		changes: { count: changes, since: reportedAt ? format(reportedAt) : null },
		refused: {
			count: refused.requests - refusedBefore,
			since: format(reportedAt ?? refused.since),
		},
	});
}
