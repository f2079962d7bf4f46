import axios, { type AxiosRequestConfig } from 'axios';
import { MAX_BODY_BYTES } from '../../nodes/Aquaculture/n8n/receiveAnswer';
import { parseBody } from '../../nodes/Aquaculture/service/body';
import { parseToken } from '../../nodes/Aquaculture/service/token';
import { buildProbes, type Probe, type Target } from './assumptions';

/** Contains secrets and data: print none of it as it is. */
export interface ProbeResult {
	probe: Probe;
	/** 0 without a complete answer. */
	status: number;
	/** By lower-case name. */
	headers: object;
	/** Undefined if the body is not JSON. */
	json?: unknown;
}

export interface Contact {
	answers: ProbeResult[];
	/** Why it stopped early, as a sentence; or empty. */
	end: string;
}

export const isAccepted = ({ status }: ProbeResult) => status >= 200 && status < 300;

/**
 * Sends the requests of {@link buildProbes} one after the other. Stops after a refusal, because the service may ban the
 * account (docs/service-interface.md, "Rate Limits") or lock it.
 *
 * @param pause called before each request: n8n shares the limit of the account.
 */
export async function makeContact(
	target: Target,
	pause: (next: Probe) => Promise<void>,
): Promise<Contact> {
	const answers: ProbeResult[] = [];
	const tokens: string[] = [];
	let hasRead = false;
	for (const probe of buildProbes(target)) {
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
			const token = parseToken(answer.json);
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

/** Sends a request without retries or redirects. */
async function send(request: AxiosRequestConfig): Promise<Omit<ProbeResult, 'probe'>> {
	try {
		const { status, headers, data } = await axios.request<Buffer>({
			...request,
			signal: AbortSignal.timeout(30_000),
			responseType: 'arraybuffer',
			maxContentLength: MAX_BODY_BYTES,
			maxRedirects: 0,
			validateStatus: () => true,
		});
		return { status, headers: { ...headers }, json: parseBody(data).json };
	} catch {
		return { status: 0, headers: {} };
	}
}
