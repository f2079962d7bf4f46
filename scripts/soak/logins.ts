import type { ReceivedRequest } from '../../emulator/journal';

/** A token request, and what came of it. */
export interface Login {
	at: number;
	password: string;
	/** The token, where n8n has received it. */
	token?: string;
	/** The failure that n8n must see. */
	failure?: LoginFailure;
}

interface LoginFailure {
	message: string;
	/** Whether n8n tries again by itself, four times in all. */
	isPassing: boolean;
	/** How long it is remembered, in milliseconds. */
	pauseMs: number;
}

const REFUSED_MS = 30_000;
const FAILED_MS = 5_000;

/** What a token request was for, and what n8n must make of its answer. */
export function loginOf(request: ReceivedRequest): Login {
	const { password } = JSON.parse(request.body) as { password: string };
	const failure = failureOf(request);
	const { at, issued } = request;
	return { at, password, ...(failure ? { failure } : issued !== undefined && { token: issued }) };
}

function failureOf({ fault, status = 0 }: ReceivedRequest): LoginFailure | undefined {
	const passing = (message: string, pauseMs = FAILED_MS) => ({ message, isPassing: true, pauseMs });
	const final = (message: string, pauseMs = FAILED_MS) => ({ message, isPassing: false, pauseMs });
	if (fault?.kind === 'reset' || (fault?.kind === 'truncated' && status === 200)) {
		return passing('The connection to the service broke off');
	}
	if (fault?.kind === 'body') return final('The answer to the login contains no usable token');
	if (status === 200) return undefined;
	if (status === 401) return final('The service refused the username and password', REFUSED_MS);
	return passing(`The service could not answer the login (status ${status})`);
}
