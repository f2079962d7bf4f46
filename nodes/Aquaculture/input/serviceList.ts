import { systemClock } from '../account/clock';
import type { Failure } from '../service/failures';
import { abortedAfter, unlessAborted } from '../service/retry';
import { listFailure, siteListDocument, type SiteList } from '../service/siteList';
import { MINUTE_MS } from '../messages/duration';
import { MESSAGES } from '../messages/messages';
import type { Client } from '../requests/client';
import { readDocument, type TryLimits } from '../requests/request';
import type { Sites } from './sites';

/** For how long a list is used without asking for it again, unless it lacks a name that somebody uses. */
const CURRENT_MS = 10 * MINUTE_MS;

/**
 * Loads the service's list: as this process has read it a moment ago, or by a request, which waits in the client's queue
 * like that of a site. Who finds another one's request under way waits for it, but no longer than for an answer of its own.
 *
 * @param currentMs for how long a list is used.
 */
export async function loadList(
	client: Client,
	sites: Sites,
	limits: TryLimits,
	currentMs = CURRENT_MS,
): Promise<void> {
	const { siteListPath = '', dataVersion } = client.account.settings;
	const kept = client.account.lists.get(`${dataVersion} ${siteListPath}`);
	// One that lacks a name is read again, once it is not fresh.
	const isCurrent = () =>
		kept.readAt > sites.listReadAt && systemClock.now() - kept.readAt < currentMs;
	if (!isCurrent() && kept.underWay) {
		await unlessAborted(kept.underWay, client.signal, abortedAfter(limits.timeoutMs));
	}
	if (!isCurrent()) {
		const reading = readList(client, siteListPath, limits);
		kept.underWay = reading;
		const { list, failure } = await reading;
		if (kept.underWay === reading) kept.underWay = undefined;
		if (failure) {
			sites.failure = failure;
			return;
		}
		Object.assign(kept, { list, readAt: systemClock.now() });
	}
	if (kept.list) sites.use(kept.list, kept.readAt);
}

async function readList(
	client: Client,
	path: string,
	limits: TryLimits,
): Promise<{ list: SiteList; failure?: never } | { list?: never; failure: Failure }> {
	const { value, failure } = await readDocument(client, siteListDocument(path), limits);
	if (failure) return { failure: listFailure(failure) };
	const { json, headers } = value;
	return { list: { ...json, isWhole: json.isWhole && !linksToNext(headers.link) } };
}

/** Whether a `Link` header names a next page (RFC 8288). */
function linksToNext(link: unknown): boolean {
	return /;\s*rel\s*=\s*("[^"]*\bnext\b|next\b)/i.test(String(link));
}

/** What a list lacks, in the words of a notice. */
export function listHints({ unusable, isWhole }: SiteList): string[] {
	const { hints } = MESSAGES;
	return [
		...(unusable.length > 0 ? [hints.unusableEntries(unusable)] : []),
		...(isWhole ? [] : [hints.partialList()]),
	];
}
