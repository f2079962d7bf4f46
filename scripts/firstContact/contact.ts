import type { Clock } from '../../shared/clock';
import { SECOND_MS } from '../../shared/duration';
import { TOO_MANY_REQUESTS } from '../../shared/retry';
import { observe, type Seen } from './observe';
import { PROBE_NAMES, probeOf, requestFor, type ProbeName, type Target } from './probes';
import { send, type Answer } from './send';
import { tokenIn } from './token';

/** The account's limit is shared with whoever else uses it. */
export const MAX_REQUESTS = 15;

/** Before each request, the first one included: there is time to change one's mind. */
export const PAUSE_MS = 5 * SECOND_MS;

/** For a whole answer. */
const TIMEOUT_MS = 30 * SECOND_MS;

/** Why no further request was sent. */
export type End =
	| 'complete'
	| 'limited'
	| 'loginRefused'
	| 'noToken'
	| 'unreadable'
	| 'interrupted';

/** What was seen of the service, in the order of the requests. */
export interface Contact {
	seen: Seen[];
	end: End;
}

interface ContactSettings {
	clock: Clock;
	/** Ends it; what was seen so far is returned. */
	signal: AbortSignal;
	timeoutMs?: number;
	probes?: readonly ProbeName[];
	/** Called before each pause. */
	onProbe?: (name: ProbeName) => void;
}

/** Sends the probes one after the other, as far as the service answers them, and at most {@link MAX_REQUESTS}. */
export async function makeContact(
	target: Target,
	{
		clock,
		signal,
		timeoutMs = TIMEOUT_MS,
		probes = PROBE_NAMES,
		onProbe = () => undefined,
	}: ContactSettings,
): Promise<Contact> {
	const seen: Seen[] = [];
	const tokens: string[] = [];
	try {
		for (const name of probes.slice(0, MAX_REQUESTS)) {
			onProbe(name);
			await clock.sleep(PAUSE_MS);
			signal.throwIfAborted();
			const [sentAt, begin] = [Date.now(), clock.now()];
			const answer = await send(requestFor(probeOf(name), target, tokens), timeoutMs, signal);
			const times = { sentAt, ms: clock.now() - begin };
			seen.push(observe(name, answer, target, times, tokens));
			const end = endAfter(name, answer);
			if (end) return { seen, end };
			const token = probeOf(name).isLogin ? tokenIn(answer.body?.json) : undefined;
			if (token !== undefined) tokens.push(token);
		}
	} catch (error) {
		if (!signal.aborted) throw error;
		return { seen, end: 'interrupted' };
	}
	return { seen, end: 'complete' };
}

/** Who goes on after a refusal may be banned (docs/service-interface.md, "Rate Limits"), or have the account locked. */
function endAfter(name: ProbeName, { status = 0, body }: Answer): End | undefined {
	if (status === TOO_MANY_REQUESTS) return 'limited';
	if (probeOf(name).isLogin) {
		if (status >= 400 && status < 500 && status !== 404) return 'loginRefused';
		return status >= 200 && status < 300 && tokenIn(body?.json) !== undefined
			? undefined
			: 'noToken';
	}
	// The documented request: where it is not answered with the site, the others show nothing of it either.
	return name === 'both' && [401, 403, 404].includes(status) ? 'unreadable' : undefined;
}
