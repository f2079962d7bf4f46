import { MESSAGES } from '../../../texts/messages';
import { unprocessed, type Outcome } from '../requests/outcome';
import { counted, identified, newIdSource } from './changeIds';
import { toItem, type ChangeItem, type SeenSite } from './changeItem';
import type { PollFailure } from './failureReport';
import type { RememberedSite, RememberedSites } from './memory';
import type { Settings } from './settings';
import { compareSite, UNKNOWN_SITE, valuesOf, type SiteChange } from './compareSite';
import { isWatching, type Watch } from './watch';

/** How the watched sites differ from what is remembered of them. */
export interface SitesComparison {
	items: ChangeItem[];
	/** The sites whose answers could not be processed, or whose memory could not be read. */
	failures: PollFailure[];
	/** What to remember of each from now on. */
	sites: Map<number, RememberedSite>;
	/** Whether the memory has something new that no item reports. */
	hasLearned: boolean;
}

/**
 * Compares the sites that were read, in the order in which they are listed.
 *
 * @param workflowId that of the trigger: the memory of a copied workflow gives other IDs.
 */
export function compareSites(
	settings: Pick<Settings, 'siteIds' | 'watch' | 'emitsCurrentState'>,
	seen: ReadonlyMap<number, SeenSite>,
	remembered: RememberedSites,
	workflowId: string | undefined,
): SitesComparison {
	const items: ChangeItem[][] = [];
	const failures: PollFailure[] = [];
	const sites = new Map<number, RememberedSite>();
	const forgotten: number[] = [];
	let hasLearned = false;
	for (const siteId of settings.siteIds) {
		const seenSite = seen.get(siteId);
		if (!seenSite) continue;
		const before = remembered.get(siteId);
		const { value: comparison, failure } = compareOne(settings, seenSite, before, workflowId);
		if (failure) {
			failures.push({ subject: siteId, failure });
			continue;
		}
		if (before === null) forgotten.push(siteId);
		sites.set(siteId, comparison.memory);
		items.push(comparison.items);
		if (comparison.hasLearned) hasLearned = true;
	}
	if (forgotten.length > 0) {
		failures.unshift({ subject: 'memory', failure: MESSAGES.trigger.forgotten(forgotten) });
	}
	return { items: items.flat(), failures, sites, hasLearned };
}

function compareOne(
	{ watch, emitsCurrentState }: Pick<Settings, 'watch' | 'emitsCurrentState'>,
	seenSite: SeenSite,
	before: RememberedSite | undefined | null,
	workflowId: string | undefined,
): Outcome<{ items: ChangeItem[]; memory: RememberedSite; hasLearned: boolean }> {
	try {
		const { changes, now, hasLearned } = compareSite(before ?? UNKNOWN_SITE, seenSite.site, watch);
		const source = before?.ids ?? newIdSource();
		const name = before === undefined && emitsCurrentState ? 'currentState' : undefined;
		const found = name ? currentState(seenSite, watch) : changes;
		const items = identified(found, source, [workflowId, name]).map((change) =>
			toItem(seenSite, change, name),
		);
		const memory = { ...now, ids: counted(changes, source) };
		return { value: { items, memory, hasLearned: !before || hasLearned } };
	} catch (error) {
		return unprocessed(`site ${seenSite.siteId}`, error);
	}
}

/** The values of a site, with the names of its units if it is watched which there are. */
function currentState({ site }: SeenSite, watch: Watch): SiteChange[] {
	const isNaming = isWatching(watch, 'unitAdded', 'unitRemoved');
	return valuesOf(site, isNaming ? { ...watch, kinds: [...watch.kinds, 'unitRenamed'] } : watch);
}
