import axios, { type AxiosRequestConfig } from 'axios';
import type { Settings } from '../../account/settings';
import { siteDocument } from '../../service/site';
import { TOKEN_PATH } from '../../service/values';
import { PROBES, type Probe } from './assumptions';
import { typeOf } from './redact';

/** Where requests go. */
export interface Target {
	connection: Settings;
	siteId: number;
}

/** What the service answered, secrets and data included: nothing of it may be printed as it is. */
export interface Answer {
	probe: Probe;
	/** How long the whole answer took. */
	ms: number;
	status?: number;
	/** By lower-case name. */
	headers: Record<string, unknown>;
	/** The JSON value of the body; undefined if it is none. */
	json?: unknown;
	/** Why there is no whole answer: `TIMEOUT`, or a code of Node.js, OpenSSL or axios. */
	failure?: string;
}

export interface Contact {
	answers: Answer[];
	/** Those that were issued, the oldest first. */
	tokens: string[];
	/** Why no further request was sent, as a sentence; undefined if all were. */
	end?: string;
}

interface ContactSettings {
	/** Waits before each request, the first one included: the account's limit is shared. */
	pause(next: Probe): Promise<void>;
	/** Ends it; what was seen so far is returned. */
	signal: AbortSignal;
	/** For a whole answer. */
	timeoutMs?: number;
}

/** Sends the requests of {@link PROBES} one after the other, as far as the service answers them. */
export async function makeContact(
	target: Target,
	{ pause, signal, timeoutMs = 30_000 }: ContactSettings,
): Promise<Contact> {
	const contact: Contact = { answers: [], tokens: [] };
	for (const probe of PROBES) {
		let answer: Answer;
		try {
			await pause(probe);
			signal.throwIfAborted();
			const limits = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
			answer = { probe, ...(await send(requestFor(probe, target, contact.tokens), limits)) };
			signal.throwIfAborted();
		} catch (error) {
			if (!signal.aborted) throw error;
			return { ...contact, end: 'It was interrupted.' };
		}
		contact.answers.push(answer);
		const end = endAfter(answer, contact.answers);
		if (end !== undefined) return { ...contact, end };
		if (probe.isLogin) contact.tokens.push(tokenIn(answer) as string);
	}
	return contact;
}

/** Who goes on after a refusal may be banned (docs/service-interface.md, "Rate Limits"), or have the account locked. */
function endAfter(answer: Answer, answers: readonly Answer[]): string | undefined {
	const { probe, status = 0 } = answer;
	if (status === 429) {
		return 'The service refused a request because there were too many (status 429). Wait a few minutes before anything else uses the account.';
	}
	if (probe.isLogin) {
		if ([400, 401, 403, 422].includes(status)) return 'The service refused the login.';
		return tokenIn(answer) === undefined ? 'The login returned no token.' : undefined;
	}
	if (![401, 403, 404].includes(status) || answers.some(isSite)) return undefined;
	return 'The service did not let this account read the site, or does not know it.';
}

/** Whether it is a site, as far as can be seen. */
export function isSite({ probe, status = 0, json }: Answer): boolean {
	return !probe.isLogin && status < 300 && typeOf(json) === 'object';
}

/** The token of a login; undefined if it has none. */
export function tokenIn({ status = 0, json }: Answer): string | undefined {
	const { access_token: token } = (json ?? {}) as Record<string, unknown>;
	return status < 300 && typeof token === 'string' && token !== '' ? token : undefined;
}

/** How a request is named. */
export function titleOf({ title = '', query }: Probe): string {
	return query === undefined ? title : `Site with \`${query}\``;
}

function requestFor(
	{ isLogin, isUnknownSite, query, version, token }: Probe,
	{ connection, siteId }: Target,
	tokens: readonly string[],
): AxiosRequestConfig {
	const { baseUrl, versionHeader, tokenVersion, dataVersion, username, password } = connection;
	if (isLogin) {
		return {
			method: 'POST',
			url: baseUrl + TOKEN_PATH,
			headers: { Accept: 'application/json', [versionHeader]: tokenVersion },
			data: { username, password },
		};
	}
	const last = tokens.at(-1) ?? '';
	const sent = { first: tokens[0], wrong: altered(last), last }[token ?? 'last'];
	// IDs that no site is expected to have, small enough for 32 bits.
	const unknown = siteId === 999_999_999 ? 999_999_998 : 999_999_999;
	const { path } = siteDocument({ siteId: isUnknownSite ? unknown : siteId, siteName: null }, []);
	return {
		url: `${baseUrl}${path}${query === undefined ? '' : `?${query}`}`,
		headers: {
			Accept: 'application/json',
			Authorization: `Bearer ${sent}`,
			[versionHeader]: version ?? dataVersion,
		},
	};
}

/** A token of the same form, with another signature if it is a JWT. */
function altered(token: string): string {
	const place = Math.max(0, token.length - 10);
	return token.slice(0, place) + (token[place] === 'A' ? 'B' : 'A') + token.slice(place + 1);
}

/** Sends one request once: no retry, no redirect. */
async function send(
	request: AxiosRequestConfig,
	signal: AbortSignal,
): Promise<Omit<Answer, 'probe'>> {
	const beganAt = performance.now();
	const tookMs = () => Math.round(performance.now() - beganAt);
	try {
		const { status, headers, data } = await axios.request<string>({
			...request,
			signal,
			responseType: 'text',
			transformResponse: (body: string) => body,
			maxContentLength: 2 ** 24,
			maxRedirects: 0,
			validateStatus: () => true,
		});
		return { ms: tookMs(), status, headers: { ...headers }, json: parsed(data) };
	} catch (error) {
		const failure = signal.aborted ? 'TIMEOUT' : String((error as { code?: unknown }).code);
		return { ms: tookMs(), headers: {}, failure };
	}
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
