import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../utils/clock';
import type { SentSite } from '../service/site';
import { toCell } from '../output/rows';
import { toItem, type ChangeItem } from './changeItem';
import type { Change } from './compareFields';
import { compareSite, listValues } from './compareSite';
import { findChanges } from './findChanges';
import { loadMemory } from './memory';
import { readSites, type SeenSite } from './readSites';
import { ReadingOrder } from './readingOrder';
import { createReportError, listFailures } from './report';
import type { ChangeKind } from './triggerSettings';
import { setUp } from './setUp';
import { INTERACTIVE_POLL_MS } from './timeLimits';
import type { ActivePoll } from './pollLock';
import { getTriggerName } from './identity';

/**
 * Returns what 'Fetch Test Event' shows: the changes since the last poll, or else a sample. It remembers nothing, and does not
 * affect the active trigger.
 *
 * @throws NodeOperationError for unusable settings, NodeApiError if no site can be read.
 */
export async function fetchTestEvent(context: IPollFunctions): Promise<ChangeItem[]> {
	const beganAt = systemClock.now();
	const { signal } = new AbortController();
	const poll: ActivePoll = {
		isInteractive: true,
		beganAt,
		endsAt: beganAt + INTERACTIVE_POLL_MS,
		signal,
	};
	const memory = loadMemory(context.getWorkflowStaticData('node'));
	const setup = await setUp(context, memory, poll);
	const reading = await readSites(setup, setup.sites, poll.endsAt);
	const failures = listFailures(poll, setup, reading, new ReadingOrder());
	if (reading.seen.size === 0 && failures.length > 0) {
		throw createReportError(context.getNode(), failures);
	}
	const settings = { ...setup.settings, emitsCurrentState: false };
	const { items } = findChanges(getTriggerName(context), { ...setup, settings }, reading.seen);
	return items.length > 0 ? items : buildSample([...reading.seen.values()], settings.watched);
}

/**
 * Builds a sample item from the current value of a site and a plausible old one.
 *
 * @returns no item if there are no sites.
 */
function buildSample(seen: readonly SeenSite[], watched: ReadonlySet<ChangeKind>): ChangeItem[] {
	const [kind = 'siteRenamed'] = watched;
	const nothing = { kind, field: null, oldValue: null, newValue: null };
	const findWatchedChange = ({ site }: SeenSite) =>
		possibleChanges(site).find((change) => watched.has(change.kind));
	const shown = seen.find(findWatchedChange) ?? seen[0];
	if (!shown) return [];
	const item = toItem(shown, findWatchedChange(shown) ?? nothing, [shown.seenAt]);
	const { summary, changeId } = item as { summary: string; changeId: string };
	return [{ ...item, summary: `Sample: ${summary}`, changeId: `sample-${changeId}` }];
}

function possibleChanges(site: SentSite): Change[] {
	const withoutUnits = { ...site, units: [] };
	return [
		...listValues(site).map((change) => ({
			...change,
			oldValue: makeDifferentValue(change.newValue),
		})),
		...compareSite(withoutUnits, site).changes,
		...compareSite(site, withoutUnits).changes,
	];
}

/** Returns a value of the same type: with another last digit, or marked as old. */
function makeDifferentValue(value: unknown): unknown {
	if (typeof value === 'boolean') return !value;
	const text = String(toCell(value));
	const another = text.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 9) % 10));
	if (typeof value === 'number') return Number(another);
	return another === text ? `${text} (old)` : another;
}
