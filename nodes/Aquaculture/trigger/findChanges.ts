import { toItem, type ChangeItem } from './changeItem';
import type { Change } from './compareFields';
import { compareSite, listValues } from './compareSite';
import { MESSAGES } from '../messages/messages';
import { nameSite, type NamedSite } from '../service/site';
import type { PollFailure, SeenSite } from './readSites';
import type { TriggerSettings } from './triggerSettings';
import type { PollSetup } from './setUp';

/**
 * Compares the sites that were read with the remembered ones.
 *
 * @param trigger the name of the trigger, which is part of the ID of a change.
 * @returns an item for each watched change, the sites to remember, whether one of them or a part of it is new, and the sites
 *   of which a part cannot be compared.
 */
export function findChanges(
	trigger: string,
	{ settings, sites, unusable, remembered }: PollSetup,
	seen: ReadonlyMap<number, SeenSite>,
) {
	// An unusable part of the list may be the name of a remembered site.
	const watchedIds = new Set(sites.map(({ siteId }) => siteId));
	const isKept = (siteId: number) => watchedIds.has(siteId) || unusable.length > 0;
	const toRemember = new Map([...remembered].filter(([siteId]) => isKept(siteId)));
	const items: ChangeItem[] = [];
	const failures: PollFailure[] = [];
	let hasNewSiteOrPart = false;
	for (const named of sites) {
		const { siteId } = named;
		const before = remembered.get(siteId);
		const now = seen.get(siteId);
		if (!now) continue;
		if (!before) {
			toRemember.set(siteId, { site: now.site, firstSeenAt: now.seenAt, changedAt: {} });
			const state = currentState(settings, now);
			items.push(...toItems(now, state, () => [trigger, now.seenAt], true));
			hasNewSiteOrPart = true;
			continue;
		}
		const { changes, site, hasNewPart, unusableParts } = compareSite(before.site, now.site);
		failures.push(...unusableParts.map((part) => toFailure(named, now, part)));
		const watched = changes.filter(({ kind }) => settings.watched.has(kind));
		const getLastChange = (change: Change) =>
			before.changedAt[fieldKey(change)] ?? before.firstSeenAt;
		items.push(...toItems(now, watched, (change) => [trigger, getLastChange(change)]));
		const changedNow = watched.map((change) => [fieldKey(change), now.seenAt]);
		const changedAt = { ...before.changedAt, ...Object.fromEntries(changedNow) };
		toRemember.set(siteId, { site, firstSeenAt: before.firstSeenAt, changedAt });
		hasNewSiteOrPart ||= hasNewPart;
	}
	return { items, sites: toRemember, hasNewSiteOrPart, failures };
}

function toFailure(site: NamedSite, { deviations }: SeenSite, part: string): PollFailure {
	const reason = deviations.find(({ field }) => field === part)?.reason ?? '';
	return { site, failure: MESSAGES.answer.unusable(nameSite(site), `'${part}' ${reason}`) };
}

/** Identifies a field of a site or of one of its units, or a unit as a whole. */
function fieldKey({ field, unit }: Change): string {
	return JSON.stringify([unit?.unitId ?? unit?.unitName ?? null, field]);
}

/** Creates an item of each change. Numbers equal changes, such as those of units that share a name. */
function toItems(
	seen: SeenSite,
	changes: readonly Change[],
	getOrigin: (change: Change) => readonly string[],
	isInitialValue = false,
): ChangeItem[] {
	const counts = new Map<unknown, number>();
	return changes.map((change) => {
		const origin = getOrigin(change);
		const item = toItem(seen, change, origin, isInitialValue);
		const count = counts.get(item.changeId) ?? 0;
		counts.set(item.changeId, count + 1);
		return count === 0 ? item : toItem(seen, change, [...origin, count], isInitialValue);
	});
}

/** Returns the watched values of a new site, if the trigger returns them; for added and removed units, the names of the units. */
function currentState(
	{ watched, emitsCurrentState }: TriggerSettings,
	{ site }: SeenSite,
): Change[] {
	if (!emitsCurrentState) return [];
	const wantsNames = watched.has('unitAdded') || watched.has('unitRemoved');
	return listValues(site).filter(
		({ kind }) => watched.has(kind) || (wantsNames && kind === 'unitRenamed'),
	);
}
