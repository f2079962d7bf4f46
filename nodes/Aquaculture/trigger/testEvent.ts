import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../utils/time';
import { toItems, type ChangeItem } from './changeItem';
import { listFailures, toError } from './failedExecutions';
import { fetchSites, type FetchedSite } from './fetchSites';
import { findChanges, listSamples } from './findChanges';
import type { TriggerMemory } from './memory';
import { INTERACTIVE_POLL_MS, type ActivePoll } from './pollLock';
import { createPollSetup, type PollSetup } from './pollSetup';
import { SiteRecords } from './siteRecords';
import { createStatusReport, getReportPeriod, ReportState } from './statusReport';

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
	const poll = beginTestEvent();
	const reportState = new ReportState();
	const records = new SiteRecords();
	const setup = await createPollSetup(context, poll, memory);
	records.watch(setup.sites, poll.beganAt);
	const result = await fetchSites(setup, setup.sites);
	records.recordResults(result, poll.beganAt);
	const failures = listFailures(setup, records);
	if (result.fetched.size === 0 && failures.length > 0) {
		throw toError(context.getNode(), failures);
	}

	const { compared } = findChanges(setup, result.fetched);
	const changes = compared.flatMap((each) => toItems(setup.triggerKey, each));
	const items = changes.length > 0 ? changes : createSample(setup, result.fetched);

	const period = getReportPeriod(setup.settings.statusReport, context.getTimezone());
	if (period === undefined) return items;
	const report = createStatusReport(context, reportState, period, setup, records);
	return [...items, markAsSample(report)];
}

/** It needs no lock, because it does not change the memory. */
function beginTestEvent(): ActivePoll {
	const beganAt = systemClock.now();
	return {
		kind: 'testEvent',
		beganAt,
		endsAt: beganAt + INTERACTIVE_POLL_MS,
		signal: new AbortController().signal,
	};
}

/** Creates a sample of a change: of a chosen kind if any site has such a value. None if there is no value at all. */
function createSample(
	{ triggerKey, settings: { changeKinds } }: PollSetup,
	fetchedSites: ReadonlyMap<number, FetchedSite>,
): ChangeItem[] {
	const samples = [...fetchedSites.values()].flatMap((fetched) =>
		listSamples(fetched.site).map((change) => ({ fetched, change })),
	);
	const sample = samples.find(({ change }) => changeKinds.has(change.kind)) ?? samples[0];
	if (!sample) return [];
	const { fetched, change } = sample;
	const changes = { fetched, changes: [change], baselineAt: fetched.seenAt };
	return toItems(triggerKey, changes).map(markAsSample);
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
