import { outcomeOf } from '../transport/outcome';
import { currentState } from './currentState';
import type { PollFailure } from './failures';
import type { Settings } from './fields';
import { toItem, type ChangeItem, type SiteReading } from './items';
import { compareSite, type SiteMemory } from './siteChanges';

/** How the watched sites differ from what is remembered of them. */
export interface SitesComparison {
	items: ChangeItem[];
	/** The sites whose answers could not be processed. */
	failures: PollFailure[];
	/** What to remember from now on. */
	sites: Map<number, SiteMemory>;
	/** Whether the memory has something new that no item reports. */
	hasLearned: boolean;
}

/** Compares the sites that were read, in the order in which they are listed; nothing changes for the others. */
export function compareSites(
	settings: Pick<Settings, 'siteIds' | 'watch' | 'emitsCurrentState'>,
	readings: ReadonlyMap<number, SiteReading>,
	remembered: ReadonlyMap<number, SiteMemory>,
): SitesComparison {
	const items: ChangeItem[][] = [];
	const failures: PollFailure[] = [];
	const sites = new Map<number, SiteMemory>();
	let hasLearned = false;
	for (const siteId of settings.siteIds) {
		const before = remembered.get(siteId);
		const reading = readings.get(siteId);
		const { value: comparison, failure } = reading
			? outcomeOf(`site ${siteId}`, () => compareOne(settings, reading, before))
			: {};
		if (failure) failures.push({ subject: siteId, failure });
		if (!comparison) {
			if (before) sites.set(siteId, before);
			continue;
		}
		sites.set(siteId, comparison.memory);
		items.push(comparison.items);
		if (comparison.hasLearned) hasLearned = true;
	}
	return { items: items.flat(), failures, sites, hasLearned };
}

function compareOne(
	{ watch, emitsCurrentState }: Pick<Settings, 'watch' | 'emitsCurrentState'>,
	reading: SiteReading,
	before: SiteMemory | undefined,
) {
	const isNew = before === undefined;
	const { changes, memory, hasLearned } = compareSite(before ?? {}, reading.site, watch);
	const items =
		isNew && emitsCurrentState
			? currentState(reading, watch)
			: changes.map((change) => toItem(reading, change));
	return { items, memory, hasLearned: isNew || hasLearned };
}
