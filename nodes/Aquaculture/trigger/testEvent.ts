import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../utils/time';
import { toItems, type ChangeItem } from './changeItem';
import { listFailures, toError } from './failureList';
import { fetchSites, type FetchedSite } from './fetchSites';
import { findChanges, listSamples } from './findChanges';
import type { TriggerMemory } from './memory';
import { INTERACTIVE_POLL_MS, type ActivePoll } from './pollLock';
import { createPollSetup } from './pollSetup';
import { SiteRecords } from './siteRecords';
import { createStatusReport, getReportPeriod, ReportCounts } from './statusReport';
import { CHANGE_KINDS, type ChangeKind } from './triggerSettings';

/**
 * Returns what 'Fetch Test Event' shows: the changes since the last poll, or else a sample; then a sample of the status report, if
 * it is on. It remembers nothing, and does not affect the active trigger.
 *
 * @throws NodeOperationError for unusable settings, NodeApiError if no site can be fetched.
 */
export async function fetchTestEvent(
	context: IPollFunctions,
	memory: TriggerMemory,
): Promise<ChangeItem[]> {
	const beganAt = systemClock.now();
	const poll: ActivePoll = {
		kind: 'testEvent',
		beganAt,
		endsAt: beganAt + INTERACTIVE_POLL_MS,
		signal: new AbortController().signal,
	};
	const counts = new ReportCounts();
	const setup = await createPollSetup(context, poll, memory);
	const result = await fetchSites(setup, setup.sites);
	const records = new SiteRecords();
	records.watch(setup.sites, setup.remembered, beganAt);
	records.recordResults(result, beganAt);
	const failures = listFailures(setup, records);
	if (result.fetched.size === 0 && failures.length > 0) {
		throw toError(context.getNode(), failures);
	}
	const { changed } = findChanges(setup, result.fetched);
	const { triggerKey } = setup;
	const changes = changed.flatMap((each) => toItems(triggerKey, each));
	const { changeKinds, statusReport } = setup.settings;
	const items = changes.length > 0 ? changes : buildSample(triggerKey, result.fetched, changeKinds);
	const period = getReportPeriod(statusReport, context.getTimezone());
	if (period === undefined) return items;
	const report = createStatusReport(context, counts, period, setup, records);
	return [...items, markAsSample(report)];
}

/** Returns a sample: of a chosen kind if a site has such a value, otherwise of any. */
function buildSample(
	triggerKey: string,
	fetchedSites: ReadonlyMap<number, FetchedSite>,
	changeKinds: ReadonlySet<ChangeKind>,
): ChangeItem[] {
	for (const kinds of [changeKinds, new Set(CHANGE_KINDS)]) {
		for (const fetched of fetchedSites.values()) {
			const changes = listSamples(fetched.site)
				.filter(({ kind }) => kinds.has(kind))
				.slice(0, 1);
			const [item] = toItems(triggerKey, { fetched, changes, baselineAt: fetched.seenAt });
			if (item) return [markAsSample(item)];
		}
	}
	return [];
}

/** Marks each text that people put into an email. Numbers stay numbers, for the steps that calculate with them. */
function markAsSample(item: ChangeItem): ChangeItem {
	const { summary, siteName, unitName, fieldName, oldValue, newValue, changeId } = item;
	const texts = Object.entries({ summary, siteName, unitName, fieldName, oldValue, newValue });
	const marked = texts.map(([column, value]) => [
		column,
		typeof value === 'string' ? `Sample: ${value}` : value,
	]);
	return { ...item, ...Object.fromEntries(marked), changeId: `sample-${String(changeId)}` };
}
