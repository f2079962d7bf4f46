import type { IPollFunctions } from 'n8n-workflow';
import { formatLocalTime } from '../messages/timeFormats';
import { MESSAGES } from '../messages/messages';
import { getTriggerKey } from '../polling/triggerKey';
import { DAY_MS, HOUR_MS } from '../utils/time';
import { shortHash, type ChangeItem } from './changeItem';
import type { PollResult } from './fetchSites';
import type { SiteChanges } from './findChanges';
import { listFailures, listLeftOut } from './listFailures';
import type { PollSetup } from './pollSetup';
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

/** What status reports say that this process alone knows, from the activation of the trigger on. */
export class StatusLog {
	/** When each site was read last. */
	readonly readAt = new Map<number, Date>();
	readonly startedAt = new Date();
	/** When the last report was returned; undefined before the first one. */
	reportedAt: Date | undefined;
	/** How many changes were found since then, or else since the start. */
	changes = 0;

	add(found: readonly SiteChanges[]): void {
		for (const { fetched, isNew, changes } of found) {
			this.readAt.set(fetched.siteId, new Date(fetched.seenAt));
			if (!isNew) this.changes += changes.length;
		}
	}

	/** Begins to count anew, after a report. */
	reset(): void {
		this.changes = 0;
		this.reportedAt = new Date();
	}
}

/**
 * Creates the item that tells people that the trigger works, or what does not. It has the same ID in each process.
 *
 * @param period see {@link getReportPeriod}.
 */
export function createStatusReport(
	context: IPollFunctions,
	log: StatusLog,
	period: string,
	setup: PollSetup,
	result: PollResult,
): ChangeItem {
	return {
		summary: buildSummary(log, setup, result, context.getTimezone()),
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
	{ readAt, startedAt, reportedAt, changes }: StatusLog,
	setup: PollSetup,
	result: PollResult,
	timeZone: string,
): string {
	const [today] = formatLocalTime(new Date(), timeZone).split(' ');
	const format = (time: Date) => formatLocalTime(time, timeZone).replace(`${today} `, '');
	const leftOut = new Set(listLeftOut(setup, result));
	const sites = setup.sites.filter((site) => !leftOut.has(site));
	const times = sites.flatMap(({ siteId }) => readAt.get(siteId) ?? []);
	times.sort((one, other) => one.getTime() - other.getTime());
	const { refused } = setup.client.account.limiter;
	return MESSAGES.trigger.status({
		sites: sites.length,
		readAt: times.map(format),
		startedAt: format(startedAt),
		failures: listFailures(setup, result).map(({ site, failure: { message } }) => {
			const lastRead = site && readAt.get(site.siteId);
			return { message, readAt: lastRead && format(lastRead) };
		}),
		changes: { count: changes, since: reportedAt ? format(reportedAt) : null },
		refused: { count: refused.requests, since: format(refused.since) },
	});
}
