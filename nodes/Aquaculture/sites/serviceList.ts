import { siteListDocument, type SiteList } from '../../../service/siteListAnswer';
import { Queue } from '../../../account/limit/queue';
import type { Connection } from '../../../account/connection';
import { digest } from '../../../account/digest';
import { MINUTE_MS, SECOND_MS } from '../../../texts/duration';
import { LruCache } from '../../../account/lruCache';
import { MESSAGES } from '../../../texts/messages';
import { unlessAborted } from '../../../service/unlessAborted';
import type { Answer } from '../requests/answer';
import { causeOf, type Failure } from '../requests/failure';
import type { Outcome } from '../requests/outcome';
import { RetryingReader, type RequestLimits } from '../requests/retryingReader';
import type { Transport } from '../requests/transport';

/** For how long a list is used without asking for it again. */
const CURRENT_MS = 10 * MINUTE_MS;
/** A list younger than this is not asked for again, even if it lacks a name that somebody uses. */
const FRESH_MS = MINUTE_MS;
/** For how long a caller waits for the request of another one. */
const LONGEST_WAIT_FOR_OTHERS_MS = 2 * SECOND_MS;

const MAX_LISTS = 20;

/** The service's list of sites, as this process keeps it for all executions. Each caller reads it with limits of its own. */
export class ServiceList {
	private kept: { answer: Answer<SiteList>; readAt: number } | undefined;

	/** The request that was begun last. */
	private underWay: Promise<Outcome<Answer<SiteList>>> | undefined;

	/** The list as it was read last, however long ago. */
	get last(): SiteList | undefined {
		return this.kept && listOf(this.kept.answer);
	}

	/** Whether it can be used as it is. */
	get isCurrent(): boolean {
		return this.ageMs < CURRENT_MS;
	}

	/** Whether it was read so recently that reading it again is not worth a request. */
	get isFresh(): boolean {
		return this.ageMs < FRESH_MS;
	}

	private get ageMs(): number {
		return this.kept ? performance.now() - this.kept.readAt : Infinity;
	}

	/** Reads the list. It takes a request like a site, unless another caller has read it meanwhile. */
	async read(transport: Transport, limits: RequestLimits): Promise<Outcome<SiteList, ListFailure>> {
		const beganAt = performance.now();
		const others = this.underWay && (await this.answerOf(this.underWay, transport, limits));
		const { value, failure } = others ?? (await this.request(transport, limits, beganAt));
		return value ? { value: listOf(value) } : { failure: listFailure(failure) };
	}

	/** What another caller's request brings, if it concerns everybody: a list, or an answer that would be the same again. */
	private async answerOf(
		request: Promise<Outcome<Answer<SiteList>>>,
		{ cancellation }: Transport,
		{ timeoutMs, waitEndsAt = Infinity }: RequestLimits,
	): Promise<Outcome<Answer<SiteList>> | undefined> {
		const leftMs = waitEndsAt - performance.now();
		const scope = cancellation.begin();
		scope.abortAfter(Math.min(LONGEST_WAIT_FOR_OTHERS_MS, timeoutMs, leftMs));
		try {
			const outcome = await unlessAborted(request, scope.signal);
			const { statusCode, retryable = false } = outcome?.failure ?? {};
			const isFinal = statusCode !== undefined && !retryable;
			return outcome?.value || isFinal ? outcome : undefined;
		} finally {
			scope.close();
		}
	}

	private async request(
		transport: Transport,
		limits: RequestLimits,
		beganAt: number,
	): Promise<Outcome<Answer<SiteList>>> {
		const { account, queueKind } = transport;
		const { maxWaitMs, waitEndsAt } = limits;
		const queue = new Queue({
			kind: queueKind,
			planned: 1,
			maxWaitMs,
			...(waitEndsAt !== undefined && { endsAt: waitEndsAt }),
		});
		const document = {
			...siteListDocument(account.connection.siteListPath ?? ''),
			readMeanwhile: () => (this.kept && this.kept.readAt > beganAt ? this.kept.answer : undefined),
		};
		const request = new RetryingReader(transport, queue, limits).read(document);
		this.underWay = request;
		try {
			const outcome = await request;
			if (outcome.value && outcome.value !== this.kept?.answer) {
				this.kept = { answer: outcome.value, readAt: performance.now() };
			}
			return outcome;
		} finally {
			if (this.underWay === request) this.underWay = undefined;
		}
	}
}

const lists = new LruCache(MAX_LISTS, () => new ServiceList());

/** The list of a connection, for everybody who logs in and asks in the same way. */
export function serviceListOf({
	baseUrl,
	username,
	password,
	versionHeader,
	dataVersion,
	siteListPath,
}: Connection): ServiceList {
	return lists.get(
		digest([baseUrl, username, password, versionHeader, dataVersion, siteListPath ?? '']),
	);
}

function listOf({ json, headers }: Answer<SiteList>): SiteList {
	return { ...json, isWhole: json.isWhole && !linksToNext(headers.link) };
}

/** Whether a `Link` header names a next page (RFC 8288). */
function linksToNext(link: unknown): boolean {
	return /;\s*rel\s*=\s*("[^"]*\bnext\b|next\b)/i.test(String(link));
}

/** Statuses that say nothing of the address. */
const ABOUT_OTHERS: ReadonlyArray<number | undefined> = [undefined, 401, 403, 429];

/** Why the list could not be read. */
export interface ListFailure extends Failure {
	/** In a few words: the panel has no room for more. */
	reason: string;
}

/** It is no site: leaving out sites that the service does not know does not concern it. */
function listFailure({ unknown, ...failure }: Failure): ListFailure {
	if (failure.cancelled) return { ...failure, reason: failure.message };
	const { siteList } = MESSAGES;
	const isCorrectable = !failure.retryable && !ABOUT_OTHERS.includes(failure.statusCode);
	const text = unknown ? siteList.unknown() : siteList.unread(failure, isCorrectable);
	const reason = unknown ? text.message : failure.message;
	return { ...failure, ...text, reason, cause: `siteList ${causeOf(failure)}` };
}
