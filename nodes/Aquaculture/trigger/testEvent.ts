import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../utils/clock';
import { toItems, type ChangeItem } from './changeItem';
import { findChanges, listWatchedValues } from './findChanges';
import type { ActivePoll } from './pollLock';
import { readSites, type SeenSite } from './readSites';
import { ReadingOrder } from './readingOrder';
import { createReportError, listFailures } from './report';
import { setUp } from './setUp';
import { getTriggerName } from './state';
import { INTERACTIVE_POLL_MS } from './timeLimits';
import { CHANGE_KINDS, type ChangeKind } from './triggerSettings';

/**
 * Returns what 'Fetch Test Event' shows: the changes since the last poll, or else a sample. It remembers nothing, and does not
 * affect the active trigger.
 *
 * @throws NodeOperationError for unusable settings, NodeApiError if no site can be read.
 */
export async function fetchTestEvent(context: IPollFunctions): Promise<ChangeItem[]> {
	const beganAt = systemClock.now();
	const poll: ActivePoll = {
		isInteractive: true,
		beganAt,
		endsAt: beganAt + INTERACTIVE_POLL_MS,
		signal: new AbortController().signal,
	};
	const setup = await setUp(context, poll);
	const reading = await readSites(setup, setup.sites, poll.endsAt);
	const failures = listFailures(poll, setup, reading, new ReadingOrder());
	if (reading.seen.size === 0 && failures.length > 0) {
		throw createReportError(context.getNode(), failures);
	}
	const trigger = getTriggerName(context);
	const settings = { ...setup.settings, emitsCurrentState: false };
	const findings = findChanges({ ...setup, settings }, reading.seen);
	const items = findings.flatMap((finding) => toItems(trigger, finding));
	return items.length > 0 ? items : buildSample(trigger, reading.seen, settings.watched);
}

/** Returns a current value as a sample: a watched one if a site has one, otherwise any. */
function buildSample(
	trigger: string,
	seenSites: ReadonlyMap<number, SeenSite>,
	watched: ReadonlySet<ChangeKind>,
): ChangeItem[] {
	for (const kinds of [watched, new Set(CHANGE_KINDS)]) {
		for (const seen of seenSites.values()) {
			const changes = listWatchedValues(seen, kinds).slice(0, 1);
			const [item] = toItems(trigger, { seen, isNew: true, changes, comparedWith: seen.seenAt });
			if (item) return [markAsSample(item)];
		}
	}
	return [];
}

/** Marks each text that people put into an email. Numbers stay numbers, for the steps that calculate with them. */
function markAsSample(item: ChangeItem): ChangeItem {
	const { summary, siteName, unitName, fieldName, newValue, changeId } = item;
	const texts = Object.entries({ summary, siteName, unitName, fieldName, newValue });
	const marked = texts.map(([column, value]) => [
		column,
		typeof value === 'string' ? `Sample: ${value}` : value,
	]);
	return { ...item, ...Object.fromEntries(marked), changeId: `sample-${String(changeId)}` };
}
