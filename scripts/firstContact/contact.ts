import axios, { type AxiosRequestConfig } from 'axios';
import { parseToken } from '../../nodes/Aquaculture/service/token';
import { probesOf, type Probe, type Target } from './assumptions';

/** What the service answered, secrets and data included: nothing of it may be printed as it is. */
export interface Answer {
	probe: Probe;
	/** 0 if there is no whole answer. */
	status: number;
	/** By lower-case name. */
	headers: object;
	/** The JSON value of the body; undefined if it is none. */
	json?: unknown;
}

export interface Contact {
	answers: Answer[];
	/** Why no further request was sent, as a sentence; empty if all were. */
	end: string;
}

export const isAccepted = ({ status }: Answer) => status >= 200 && status < 300;

/**
 * Sends the requests of {@link probesOf} one after the other, as far as the service answers them. Who goes on after a
 * refusal may be banned (docs/service-interface.md, "Rate Limits"), or have the account locked.
 *
 * @param pause before each request, the first one included: the account's limit is shared.
 */
export async function makeContact(
	target: Target,
	pause: (next: Probe) => Promise<void>,
): Promise<Contact> {
	const answers: Answer[] = [];
	const tokens: string[] = [];
	let hasRead = false;
	for (const probe of probesOf(target)) {
		await pause(probe);
		const answer = { probe, ...(await send(probe.request(tokens))) };
		const { status } = answer;
		answers.push(answer);
		if (status === 429) {
			const end =
				'The service refused a request because there were too many (status 429). Wait a few minutes before anything else uses the account.';
			return { answers, end };
		}
		if (probe.isLogin) {
			const token = isAccepted(answer) ? parseToken(answer.json) : undefined;
			if (!token) return { answers, end: 'The login returned no token that can be used.' };
			tokens.push(token.access_token);
		} else {
			hasRead ||= isAccepted(answer);
			if (!hasRead && status >= 400 && status < 500) {
				return { answers, end: 'The service does not let this account read the site.' };
			}
		}
	}
	return { answers, end: '' };
}

/** Sends one request once: no retry, no redirect. */
async function send(request: AxiosRequestConfig): Promise<Omit<Answer, 'probe'>> {
	try {
		const { status, headers, data } = await axios.request<string>({
			...request,
			signal: AbortSignal.timeout(30_000),
			responseType: 'text',
			transformResponse: (body: string) => body,
			maxContentLength: 2 ** 24,
			maxRedirects: 0,
			validateStatus: () => true,
		});
		return { status, headers: { ...headers }, json: parsed(data) };
	} catch {
		return { status: 0, headers: {} };
	}
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
