import type { Fault } from '../../emulator/faults';
import type { ReceivedRequest } from '../../emulator/journal';
import { TIMEOUT_SECONDS } from './faultPlans';

/*
 * What must come of what the emulator has done, written down once more: nothing here is taken from the package, so that
 * a sentence or an item that is wrong there is found.
 */

/** The sentences for a site, by what happened to it; … is anything, and | separates two of which one must come. */
const SITE_SENTENCES: Record<string, string> = {
	400: '…did not accept…{site}',
	401: '…does not let this account read {site}',
	403: '…account has no right to read {site}',
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

/** The sentences for a login, which are those of each site that needs it. */
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

/** The sentence for input that is no site ID: of one item, or of several with "Stop Workflow". */
export const NO_SITE_ID = pattern("…'Site'…unknown site…|…input items cannot be used…", '', 0);

/** How often a site is asked for at most, and how long all its tries take, in seconds. */
const MAX_TRIES = 5;
const MAX_SECONDS_OF_ALL_TRIES = 45;
/** The longest pause that is not asked for, and the shortest time that is worth another try, in seconds. */
const MAX_PAUSE_SECONDS = 8;
const MIN_TRY_SECONDS = 1;

/** What an answer of the emulator means to the node. */
export interface Reply {
	request: ReceivedRequest;
	kind:
		| 'good'
		/** Not with this token. */
		| 'rejected'
		/** Not before the account may send again. */
		| 'refused'
		/** Worth another try. */
		| 'retryable'
		| 'final';
	/** What the user must read if it stays at this; undefined if the answer is good or a refusal. */
	sentence?: RegExp;
	/** How many seconds the emulator asked to wait. */
	waitSeconds: number;
}

/** What must come of the requests for a site. */
export interface Expectation {
	kind: 'good' | 'failed' | 'unfinished';
	/** The answer that the user must read about; undefined if there was none. */
	told?: Reply;
	tries: number;
}

/** The site that a request asks for. */
export function getSiteId({ url }: Pick<ReceivedRequest, 'url'>): number {
	return Number(/\/meta\/sites\/(-?\d+)/.exec(url)?.[1]);
}

/** What the answer to a request for a site means. */
export function siteReply(request: ReceivedRequest, timeoutSeconds: number): Reply {
	return classify(request, SITE_SENTENCES, `site ${getSiteId(request)}`, timeoutSeconds);
}

/** What the answer to a login means. */
export function loginReply(request: ReceivedRequest): Reply {
	return classify(request, LOGIN_SENTENCES, '', 0);
}

/**
 * What must come of the requests of an execution for a site. A try without an answer says less than one with a status
 * before it; rejections and refusals that were followed by another request are no tries.
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

/** What is wrong with the requests of an execution for a site: those that nothing explains. */
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
