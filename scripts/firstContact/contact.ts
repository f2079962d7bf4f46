import axios, { type AxiosRequestConfig } from 'axios';
import type { Settings } from '../../account/settings';
import { readToken } from '../../service/token';
import { TOKEN_PATH } from '../../service/values';
import { PROBES, type Probe } from './assumptions';

/** Where requests go. */
export interface Target {
	settings: Settings;
	siteId: number;
}

/** What the service answered, secrets and data included: nothing of it may be printed as it is. */
export interface Answer {
	probe: Probe;
	/** Missing if there is no whole answer. */
	status?: number;
	/** By lower-case name. */
	headers: object;
	/** The JSON value of the body; undefined if it is none. */
	json?: unknown;
}

export interface Contact {
	answers: Answer[];
	/** Why no further request was sent, as a sentence; undefined if all were. */
	end?: string;
}

/**
 * Sends the requests of {@link PROBES} one after the other, as far as the service answers them.
 *
 * @param pause before each request, the first one included: the account's limit is shared.
 */
export async function makeContact(
	target: Target,
	pause: (next: Probe) => Promise<void>,
	signal: AbortSignal,
): Promise<Contact> {
	const answers: Answer[] = [];
	const tokens: string[] = [];
	for (const probe of PROBES) {
		await pause(probe);
		const answer = { probe, ...(await send(requestFor(probe, target, tokens), signal)) };
		answers.push(answer);
		const end = endAfter(answer, answers);
		if (end !== undefined) return { answers, end };
		if (probe.isLogin) tokens.push(readToken(answer.json)?.access_token ?? '');
	}
	return { answers };
}

/** Who goes on after a refusal may be banned (docs/service-interface.md, "Rate Limits"), or have the account locked. */
function endAfter(answer: Answer, answers: readonly Answer[]): string | undefined {
	const { probe, status } = answer;
	if (status === 429) {
		return 'The service refused a request because there were too many (status 429). Wait a few minutes before anything else uses the account.';
	}
	if (probe.isLogin) {
		const isGood = isAccepted(answer) && readToken(answer.json);
		return isGood ? undefined : 'The login returned no token that can be used.';
	}
	if (status === undefined || status < 400 || status >= 500) return undefined;
	const hasRead = answers.some((other) => !other.probe.isLogin && isAccepted(other));
	return hasRead ? undefined : 'The service does not let this account read the site.';
}

export const isAccepted = ({ status = 0 }: Answer) => status >= 200 && status < 300;

function requestFor(
	{ isLogin, isUnknownSite, query = '', version, token }: Probe,
	{ settings, siteId }: Target,
	tokens: readonly string[],
): AxiosRequestConfig {
	const { baseUrl, versionHeader, tokenVersion, dataVersion, username, password } = settings;
	if (isLogin) {
		return {
			method: 'POST',
			url: baseUrl + TOKEN_PATH,
			headers: { [versionHeader]: tokenVersion },
			data: { username, password },
		};
	}
	const last = tokens.at(-1) ?? '';
	const sent = { first: tokens[0], wrong: altered(last), last }[token ?? 'last'];
	// Small enough for 32 bits.
	const id = isUnknownSite ? 999_999_999 : siteId;
	return {
		url: `${baseUrl}/meta/sites/${id}${query}`,
		headers: { Authorization: `Bearer ${sent}`, [versionHeader]: version ?? dataVersion },
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
	try {
		const { status, headers, data } = await axios.request<string>({
			...request,
			signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
			responseType: 'text',
			transformResponse: (body: string) => body,
			maxContentLength: 2 ** 24,
			maxRedirects: 0,
			validateStatus: () => true,
		});
		return { status, headers: { ...headers }, json: parsed(data) };
	} catch {
		signal.throwIfAborted();
		return { headers: {} };
	}
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
