import { siteListDocument, type SiteList } from '../../../api/siteList';
import { Queue } from '../../../account/limit/queue';
import { MESSAGES } from '../../../shared/messages';
import type { Answer } from '../transport/answer';
import { CANCELLED, causeOf, type Failure } from '../transport/failure';
import type { Outcome } from '../transport/outcome';
import { RetryingReader, type RequestLimits } from '../transport/retryingReader';
import type { Transport } from '../transport/transport';
import type { KeptSiteList } from './keptSiteList';

/**
 * Reads the service's list of sites, or waits for whoever is reading it. It takes a request like a site.
 *
 * @param limits how it is read.
 * @param kept is given what was read.
 */
export async function readSiteList(
	transport: Transport,
	limits: RequestLimits,
	kept: KeptSiteList,
): Promise<Outcome<SiteList>> {
	for (;;) {
		const isOwn = !kept.isBeingRead;
		const request = kept.refresh(async () => await requestSiteList(transport, limits));
		const outcome = await transport.cancellation.unlessCancelled(request);
		if (!outcome) return { failure: CANCELLED };
		// What has ended the request of another execution says nothing of this one.
		if (isOwn || !(outcome.failure?.cancelled || outcome.failure?.noPlace)) return outcome;
	}
}

async function requestSiteList(
	transport: Transport,
	limits: RequestLimits,
): Promise<Outcome<SiteList>> {
	const { connection, kind } = transport;
	const { maxWaitMs, waitEndsAt } = limits;
	const queue = new Queue({
		...{ kind, planned: 1, maxWaitMs },
		...(waitEndsAt !== undefined && { endsAt: waitEndsAt }),
	});
	const list = siteListDocument(connection.siteListPath ?? '');
	const { value: answer, failure } = await new RetryingReader(transport, queue, limits).read(list);
	return failure ? { failure: listFailure(failure) } : { value: listOf(answer) };
}

function listOf({ json, headers }: Answer<SiteList>): SiteList {
	return { ...json, isWhole: json.isWhole && !linksToNext(headers.link) };
}

/** Whether a `Link` header names a next page (RFC 8288). */
function linksToNext(link: unknown): boolean {
	return /;\s*rel\s*=\s*("[^"]*\bnext\b|next\b)/i.test(String(link));
}

/** It is no site: leaving out sites that the service does not know does not concern it. */
function listFailure({ unknown, ...failure }: Failure): Failure {
	if (failure.cancelled) return failure;
	const text = unknown ? MESSAGES.siteList.unknown() : MESSAGES.siteList.unread(failure);
	return { ...failure, ...text, cause: `siteList ${causeOf(failure)}` };
}
