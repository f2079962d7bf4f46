import type { IPollFunctions } from 'n8n-workflow';
import { describeNoPlace } from '../../../account/limit/plan';
import type { Site } from '../../../service/siteAnswer';
import { sampleSummary } from '../../../texts/changeSummary';
import { requestError } from '../requests/nodeErrors';
import { newId } from './changeIds';
import { toItem, type ChangeItem, type SeenSite } from './changeItem';
import { compareSites } from './compareSites';
import { testEventError } from './failureReport';
import { readingFailures } from './failures';
import { loadMemory } from './memory';
import { SHORT_POLL_MS } from './pollTimes';
import { readWatched } from './readWatched';
import { recordsAfter } from './record';
import { setUp } from './setUp';
import { comingOrGoing, valuesOf, type SiteChange } from './compareSite';
import { ANY_CHANGE, type Watch } from './watch';

/**
 * The changes since the last poll, or else a sample. Nothing is remembered of it.
 *
 * @throws NodeOperationError for unusable settings, before any request; NodeApiError if a site cannot be read.
 */
export async function fetchTestEvent(context: IPollFunctions): Promise<ChangeItem[]> {
	const node = context.getNode();
	const memory = loadMemory(context.getWorkflowStaticData('node'));
	const time = { endsAt: performance.now() + SHORT_POLL_MS };
	const setup = await setUp(context, { queueKind: 'attendedPoll', memory, time });
	if ('failure' in setup) throw testEventError(node, [setup]);
	const { transport, remembered } = setup;
	const settings = { ...setup.settings, emitsCurrentState: false };
	const reading = await readWatched(transport, settings, settings.siteIds, time);
	const { seen } = reading;
	const comparison = compareSites(settings, seen, remembered, context.getWorkflow().id);

	const known = recordsAfter(new Map(), settings.siteIds, reading);
	const failures = [
		...readingFailures(setup, reading, known),
		...comparison.failures.filter(({ subject }) => subject !== 'memory'),
	];
	if (failures.length > 0) throw testEventError(node, failures);
	const [site] = seen.values();
	if (!site) throw requestError(node, describeNoPlace(transport.account.budget));
	return comparison.items.length > 0 ? comparison.items : [sampleOf(site, settings.watch)];
}

/**
 * An item as it may come when the site changes, with the current value as the old and as the new one. Its summary says
 * that it is a sample.
 */
function sampleOf(seenSite: SeenSite, watch: Watch): ChangeItem {
	const item = toItem(seenSite, { ...sampleChange(seenSite.site, watch), id: newId() });
	return { ...item, summary: sampleSummary(item.summary) };
}

function sampleChange(site: Site, watch: Watch): SiteChange {
	const value = valuesOf(site, watch).find(({ field }) => field !== null);
	if (value) return { ...value, oldValue: value.newValue };
	const kinds = watch.kinds.filter((kind) => kind !== ANY_CHANGE);
	const unitKind = kinds.find((kind) => kind === 'unitAdded' || kind === 'unitRemoved');
	if (unitKind) return comingOrGoing(unitKind, site.units?.[0] ?? {});
	return { kind: kinds[0] ?? 'siteRenamed', field: null, oldValue: null, newValue: null };
}
