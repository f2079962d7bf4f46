import type { Fault } from '../../emulator/faults';
import type { ReceivedRequest } from '../../emulator/journal';
import { TIMEOUT_SECONDS } from './faultPlans';

/* Expected results, independent of the package's own code, so that its errors are found. */

/** Messages for a site. … matches anything, | separates alternatives. */
const SITE_SENTENCES: Record<string, string> = {
	400: '…did not accept…{site}',
	401: '…rejected the request for {site} (status 401)',
	403: '…account may not read {site}',
	404: '…does not know {site}',
	408: '…could not answer…{site}…408…',
	422: '…could not carry out…{site}',
	500: '…could not answer…{site}…500…',
	502: '…could not answer…{site}…502…',
	503: '…could not answer…{site}…503…',
	504: '…could not answer…{site}…504…',
	broken: '…connection…broke off…{site}…',
	late: '…{site}…{timeout} seconds',
	page: '…{site} is a web page',
	malformed: '…{site} cannot be read',
};

/** Messages for a login. */
const LOGIN_SENTENCES: Record<string, string> = {
	400: '…refused the login…400…',
	401: '…refused the username and password',
	403: '…does not let this account log in',
	500: '…could not answer the login…500…',
	502: '…could not answer the login…502…',
	503: '…could not answer the login…503…',
	broken: '…connection…broke off',
	page: '…login is a web page',
	malformed: '…login contains no usable token',
};

/** The message for input that is not a site ID: of one item, or of several with "Stop Workflow". */
export const NO_SITE_ID = pattern("…'Site'…unknown site…|…input items cannot be used…", '', 0);

const MAX_TRIES = 5;
const MAX_SECONDS_OF_ALL_TRIES = 45;
const MAX_PAUSE_SECONDS = 8;
const MIN_TRY_SECONDS = 1;

/** A response of the emulator, as the node should treat it. */
export interface Reply {
	request: ReceivedRequest;
	kind:
		| 'good'
		/** Needs another token. */
		| 'rejected'
		/** Needs to wait for the rate limit. */
		| 'refused'
		| 'retryable'
		| 'final';
	/** The expected message if there is no further try. */
	sentence?: RegExp;
	/** From Retry-After. */
	waitSeconds: number;
}

export interface Expectation {
	kind: 'good' | 'failed' | 'unfinished';
	/** The response that the error must report. */
	told?: Reply;
	tries: number;
}

export function getSiteId({ url }: Pick<ReceivedRequest, 'url'>): number {
	return Number(/\/meta\/sites\/(-?\d+)/.exec(url)?.[1]);
}

export function siteReply(request: ReceivedRequest, timeoutSeconds: number): Reply {
	return classify(request, SITE_SENTENCES, `site ${getSiteId(request)}`, timeoutSeconds);
}

export function loginReply(request: ReceivedRequest): Reply {
	return classify(request, LOGIN_SENTENCES, '', 0);
}

/**
 * Derives the expected result from the requests for a site. A try with a status takes precedence over an unanswered one.
 * A 401 or 429 followed by another request is not a try.
 */
export function getExpectation(replies: readonly Reply[]): Expectation {
	const [first, last] = [replies[0], replies.at(-1)];
	const tries = replies.filter(
		(reply) => reply === last || reply.kind === 'retryable' || reply.kind === 'final',
	);
	if (!first || !last || last.kind === 'refused') {
		return { kind: 'unfinished', tries: tries.length };
	}
	if (last.kind === 'good') return { kind: 'good', told: last, tries: tries.length };
	const told = hasStatus(last) ? last : (tries.filter(hasStatus).at(-1) ?? last);
	const { at, fault } = last.request;
	const lastSeconds = fault?.kind === 'hang' ? TIMEOUT_SECONDS : 0;
	const spentSeconds = (at - first.request.at) / 1000 + lastSeconds;
	const pauseSeconds = Math.max(last.waitSeconds, MAX_PAUSE_SECONDS);
	const mayBeOver = spentSeconds + pauseSeconds > MAX_SECONDS_OF_ALL_TRIES - MIN_TRY_SECONDS;
	const isOver = last.kind !== 'retryable' || tries.length >= MAX_TRIES || mayBeOver;
	return { kind: isOver ? 'failed' : 'unfinished', told, tries: tries.length };
}

/** Lists requests for a site that should not have been sent. */
export function findNeedlessRequests(replies: readonly Reply[]): string[] {
	const TOKENS_OF_A_TRY = 6;
	const faults: string[] = [];
	let tries = 0;
	let tokens = 0;
	for (const [index, { kind, request, waitSeconds }] of replies.entries()) {
		const next = replies[index + 1]?.request;
		tokens = kind === 'rejected' ? tokens + 1 : 0;
		if (kind === 'retryable') tries += 1;
		if (!next) break;
		const fault = (text: string) => faults.push(`${text}: site ${getSiteId(request)}`);
		if (kind === 'good' || kind === 'final') fault('asked again after an answer for good');
		if (tries >= MAX_TRIES) fault('more tries than allowed');
		if (tokens >= TOKENS_OF_A_TRY) fault('more tokens than allowed');
		const isSameToken = next.headers.authorization === request.headers.authorization;
		if (kind === 'rejected' && isSameToken) fault('asked again with a rejected token');
		if (next.at - request.at < waitSeconds * 1000) fault('asked again before Retry-After');
	}
	return faults;
}

function classify(
	request: ReceivedRequest,
	sentences: Record<string, string>,
	site: string,
	timeoutSeconds: number,
): Reply {
	const { fault, status = 0, wasAborted } = request;
	const reply = (kind: Reply['kind'], sentence: number | string): Reply => ({
		request,
		kind,
		sentence: pattern(sentences[sentence] ?? `no sentence for ${sentence}`, site, timeoutSeconds),
		waitSeconds: getRetryAfter(fault),
	});
	if (fault?.kind === 'reset') return reply('retryable', 'broken');
	if (fault?.kind === 'hang') return reply('retryable', 'late');
	if (fault?.kind === 'body') {
		return reply('final', fault.contentType === 'text/html' ? 'page' : 'malformed');
	}
	if (status === 429) return { request, kind: 'refused', waitSeconds: getRetryAfter(fault) };
	if (status === 200) {
		if (fault?.kind === 'truncated') return reply('retryable', 'broken');
		if (wasAborted) return reply('retryable', 'late');
		return { request, kind: 'good', waitSeconds: 0 };
	}
	if (status === 401) return reply('rejected', status);
	return reply([408, 500, 502, 503, 504].includes(status) ? 'retryable' : 'final', status);
}

function getRetryAfter(fault: Fault | undefined): number {
	return fault?.kind === 'status' ? Number(fault.headers?.['retry-after'] ?? 0) : 0;
}

function hasStatus({ request: { status = 0, fault }, kind }: Reply): boolean {
	const isUnanswered = status === 200 && kind === 'retryable';
	return status !== 0 && fault?.kind !== 'reset' && fault?.kind !== 'hang' && !isUnanswered;
}

function pattern(sentence: string, site: string, timeoutSeconds: number): RegExp {
	const source = sentence
		.split('…')
		.map((part) => part.replaceAll(/[()?.]/g, '\\$&'))
		.join('.*')
		.replaceAll('{site}', `\\b${site}\\b`)
		.replace('{timeout}', `\\b${timeoutSeconds}`);
	return new RegExp(`^(?:${source})$`, 'i');
}
