import type { Readable } from 'node:stream';
import axios from 'axios';
import { siteDocument } from '../../api/siteAnswer';
import { tokenUrl } from '../../api/tokenEndpoint';
import { BodyTooLargeError, readBody, type Body } from '../../http/body';
import type { Clock } from '../../account/limit/clock';
import type { Connection } from '../../account/connection';

/** The account's limit is shared with whoever else uses it. */
export const MAX_REQUESTS = 15;

/** Before each request, the first one included: there is time to change one's mind. */
export const PAUSE_MS = 5000;

/** One request, and how a report names it. */
interface Probe {
	title: string;
	isLogin?: boolean;
	/** Of the site's address, as it is on the wire. */
	query?: string;
	isUnknownSite?: boolean;
	/** In place of the version for data. */
	version?: string;
	/** In place of the token of the last login. */
	token?: 'first' | 'wrong';
}

/** What is asked, in this order. A login with a wrong password is not among it: it may lock the account. */
export const PROBES = {
	login: { title: 'Login', isLogin: true },
	both: { title: 'Site with `$include=units,info`', query: '?$include=units,info' },
	none: { title: 'Site without `$include`' },
	info: { title: 'Site with `$include=info`', query: '?$include=info' },
	units: { title: 'Site with `$include=units`', query: '?$include=units' },
	encodedDollar: { title: 'Site with `%24include=units,info`', query: '?%24include=units,info' },
	encodedComma: { title: 'Site with `$include=units%2Cinfo`', query: '?$include=units%2Cinfo' },
	otherName: { title: 'Site with `include=units,info`', query: '?include=units,info' },
	unknownSite: { title: 'Unknown site', isUnknownSite: true },
	badVersion: { title: 'Site with the version 1900-01-01', version: '1900-01-01' },
	secondLogin: { title: 'Second login', isLogin: true },
	firstToken: { title: 'Site with the token of the first login', token: 'first' },
	wrongToken: { title: 'Site with a wrong token', token: 'wrong' },
} satisfies Record<string, Probe>;

export type ProbeName = keyof typeof PROBES;

export const probeOf = (name: ProbeName): Probe => PROBES[name];

/** Where requests go. */
export interface Target {
	connection: Connection;
	siteId: number;
}

/** What the service answered, secrets and data included: nothing of it may be printed as it is. */
export interface Answer {
	probe: ProbeName;
	/** How long the whole answer took. */
	ms: number;
	status?: number;
	/** By lower-case name. */
	headers: Record<string, unknown>;
	body?: Body;
	/** Why there is no answer, or no whole one: a code of Node.js, OpenSSL or axios, or one of these. */
	failure?: 'TIMEOUT' | 'TOO_LARGE' | (string & {});
}

export interface Contact {
	answers: Answer[];
	/** Those that were issued, the oldest first. */
	tokens: string[];
	/** Why no further request was sent, as a sentence; undefined if all were. */
	end?: string;
}

interface ContactSettings {
	clock: Clock;
	/** Ends it; what was seen so far is returned. */
	signal: AbortSignal;
	/** For a whole answer. */
	timeoutMs?: number;
	probes?: readonly ProbeName[];
	/** Called before each pause. */
	onProbe?: (name: ProbeName) => void;
}

/** Sends the probes one after the other, as far as the service answers them, and at most {@link MAX_REQUESTS}. */
export async function makeContact(target: Target, settings: ContactSettings): Promise<Contact> {
	const { clock, signal, timeoutMs = 30_000, onProbe } = settings;
	const { probes = Object.keys(PROBES) as ProbeName[] } = settings;
	const contact: Contact = { answers: [], tokens: [] };
	for (const probe of probes.slice(0, MAX_REQUESTS)) {
		onProbe?.(probe);
		try {
			await clock.sleep(PAUSE_MS);
			signal.throwIfAborted();
			const begin = clock.now();
			const sent = await send(requestFor(probe, target, contact.tokens), timeoutMs, signal);
			contact.answers.push({ probe, ms: Math.round(clock.now() - begin), ...sent });
		} catch (error) {
			if (!signal.aborted) throw error;
			return { ...contact, end: 'It was interrupted.' };
		}
		const answer = contact.answers.at(-1) as Answer;
		const end = endAfter(answer);
		if (end !== undefined) return { ...contact, end };
		if (probeOf(probe).isLogin) contact.tokens.push(tokenIn(answer) as string);
	}
	return contact;
}

/** Who goes on after a refusal may be banned (docs/service-interface.md, "Rate Limits"), or have the account locked. */
function endAfter(answer: Answer): string | undefined {
	const { probe, status = 0 } = answer;
	if (status === 429) {
		return 'The service refused a request because there were too many (status 429). Wait a few minutes before anything else uses the account.';
	}
	if (probeOf(probe).isLogin) {
		if ([400, 401, 403, 422].includes(status)) return 'The service refused the login.';
		return tokenIn(answer) === undefined ? 'The login returned no token.' : undefined;
	}
	// The documented request: if it is not answered with the site, the others show nothing of it either.
	if (probe !== 'both' || ![401, 403, 404].includes(status)) return undefined;
	return 'The service did not let this account read the site, or does not know it.';
}

/** The token of a login; undefined if it has none. */
export function tokenIn({ status = 0, body }: Answer): string | undefined {
	const { access_token: token } = (body?.json ?? {}) as Record<string, unknown>;
	return status < 300 && typeof token === 'string' && token !== '' ? token : undefined;
}

interface Request {
	method: 'GET' | 'POST';
	url: string;
	headers: Record<string, string>;
	data?: object;
}

function requestFor(
	name: ProbeName,
	{ connection, siteId }: Target,
	tokens: readonly string[],
): Request {
	const { baseUrl, versionHeader, tokenVersion, dataVersion, username, password } = connection;
	const { isLogin, isUnknownSite, query = '', version = dataVersion, token } = probeOf(name);
	const headers = { Accept: 'application/json' };
	if (isLogin) {
		return {
			method: 'POST',
			url: tokenUrl(baseUrl),
			headers: { ...headers, 'Content-Type': 'application/json', [versionHeader]: tokenVersion },
			data: { username, password },
		};
	}
	const last = tokens.at(-1) ?? '';
	const sent = { first: tokens[0], wrong: altered(last), last }[token ?? 'last'];
	// IDs that no site is expected to have, small enough for 32 bits.
	const unknown = siteId === 999_999_999 ? 999_999_998 : 999_999_999;
	return {
		method: 'GET',
		url: `${baseUrl}${siteDocument(isUnknownSite ? unknown : siteId, []).path}${query}`,
		headers: { ...headers, Authorization: `Bearer ${sent}`, [versionHeader]: version },
	};
}

/** A token of the same form, with another signature if it is a JWT. */
function altered(token: string): string {
	const place = Math.max(0, token.length - 10);
	return token.slice(0, place) + (token[place] === 'A' ? 'B' : 'A') + token.slice(place + 1);
}

/**
 * Sends one request once: no retry, no redirect.
 *
 * @throws whatever the request fails with when the signal aborts it. Any other failure is an answer.
 */
async function send(
	request: Request,
	timeoutMs: number,
	signal: AbortSignal,
): Promise<Pick<Answer, 'status' | 'headers' | 'body' | 'failure'>> {
	const timeout = AbortSignal.timeout(timeoutMs);
	let answer: Pick<Answer, 'status' | 'headers'> = { headers: {} };
	try {
		const response = await axios.request<Readable>({
			...request,
			signal: AbortSignal.any([signal, timeout]),
			responseType: 'stream',
			maxRedirects: 0,
			validateStatus: () => true,
		});
		answer = { status: response.status, headers: { ...response.headers } };
		return { ...answer, body: await readBody(response.data) };
	} catch (error) {
		if (signal.aborted) throw error;
		if (timeout.aborted) return { ...answer, failure: 'TIMEOUT' };
		if (error instanceof BodyTooLargeError) return { ...answer, failure: 'TOO_LARGE' };
		return { ...answer, failure: String((error as { code?: unknown }).code) };
	}
}
