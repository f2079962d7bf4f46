import { MESSAGES } from '../../../texts/messages';
import { NEAR_MS } from './failures';
import type { WatchedSites } from './readWatched';
import type { SiteRecord, TriggerRecord } from './record';

/** A line of n8n's log. */
export interface Note {
	level: 'warn' | 'info';
	text: string;
}

/**
 * That the service does not send what is watched, once for each site and part.
 *
 * @param before what was known of the sites before the poll.
 * @param after and after it.
 */
export function absenceNotes(
	seen: ReadonlyMap<number, unknown>,
	before: TriggerRecord['sites'],
	after: ReadonlyMap<number, SiteRecord>,
): Note[] {
	const absent = new Map<string, number[]>();
	for (const siteId of seen.keys()) {
		for (const part of after.get(siteId)?.absentParts ?? []) {
			absent.set(part, [...(absent.get(part) ?? []), siteId]);
		}
	}
	return [...absent]
		.filter(([part, siteIds]) =>
			siteIds.some((siteId) => !before.get(siteId)?.absentParts.includes(part)),
		)
		.map(([part, siteIds]) => {
			return { level: 'warn', text: MESSAGES.log.absent(part, siteIds.length, seen.size) };
		});
}

/** Whether polls that come soon after each other do not read all sites. */
export function leavesOut(
	{ isActivation, nextInMs }: { isActivation: boolean; nextInMs: number },
	{ unread }: Pick<WatchedSites, 'unread'>,
	before: boolean,
): boolean {
	return unread.length > 0 && (before || (!isActivation && nextInMs <= NEAR_MS));
}

export function unreadNotes({ asked, unread }: Pick<WatchedSites, 'asked' | 'unread'>): Note[] {
	const text = MESSAGES.log.unread(unread.length, asked.length + unread.length);
	return [{ level: 'info', text }];
}
