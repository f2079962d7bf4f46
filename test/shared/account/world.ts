import type { ExchangeOutcome } from '../../../shared/account/tokenCache';
import type { IssuedToken } from '../../../shared/account/issuedToken';
import { TokenCache } from '../../../shared/account/tokenCache';

/** Which requests the service rejects although their token is good: those for these documents, or some of all. */
type Rejects = readonly number[] | 'all' | 'every third';

/** What happens, one after the other; requests go on while the next things happen. */
export type Happening =
	/** An execution of the node, in one of the processes. */
	| {
			kind: 'requests';
			documents: number;
			/** How long the answers take, in the order in which the requests are sent; again from the first after the last. */
			answersMs: readonly number[];
			/** How many are under way at once; all where it is left out. */
			concurrency?: number;
			process?: number;
	  }
	/** Requests of HTTP Request nodes, which n8n sends once more if a token is given for that. */
	| { kind: 'others'; count: number; answerMs: number; outcome: 'succeed' | 'fail' }
	| { kind: 'wait'; ms: number }
	/** The service forgets its tokens. */
	| { kind: 'revoke' }
	/** The service forgets its tokens right after each of the next logins. */
	| { kind: 'forget'; logins: number }
	/** A credential test: an exchange, and then n8n's own login. */
	| { kind: 'test' }
	/** What the service rejects from now on. */
	| { kind: 'rejects'; what: Rejects }
	| { kind: 'logins'; outcome: 'succeed' | 'are refused' | 'fail' };

interface Exchange {
	at: number;
	process: number;
	cause: 'needed' | 'replaced' | 'test';
	hasSucceeded: boolean;
	/** Whether the service would have accepted the token that was known already. */
	wasNeedless: boolean;
	/** How many exchanges of the process were under way when it began. */
	others: number;
}

/** What came of it all. */
export interface History {
	exchanges: Exchange[];
	/** When exchanges were refused. */
	refusals: number[];
	requests: Array<'read' | 'rejected' | 'no token'>;
	others: Array<'read' | 'failed' | 'no token'>;
	/** How many exchanges there had been before each test, and after it; -1 where one was under way. */
	tests: Array<{ exchangesBefore: number; exchangesAfter: number }>;
	/** The most tokens with which one document was asked for at once. */
	mostTokens: number;
}

interface Service {
	/** Whether each login of an account ends its session before. */
	keepsOneSession?: boolean;
	processes?: number;
}

const EXCHANGE_MS = 40;
/** What n8n takes to store a token. */
const STORE_MS = 15;
/** With how many tokens the node asks for a document in one try. */
const MAX_TOKENS = 4;

/**
 * Plays happenings to the caches of some processes in a world with a clock of its own: a service, n8n's database, and
 * requests that go the way on which the node, the HTTP Request node and the credential test send them.
 */
export async function play(
	happenings: readonly Happening[],
	{ keepsOneSession = false, processes = 1 }: Service = {},
): Promise<History> {
	const history: History = {
		exchanges: [],
		refusals: [],
		requests: [],
		others: [],
		tests: [],
		mostTokens: 0,
	};
	const sleepers: Array<{ at: number; wake: () => void }> = [];
	let now = 1_000_000;
	let issued = 0;
	let received = 0;
	let forgotten = 0;
	let accepted = new Set<string>();
	let rejects: Rejects = [];
	let logins: 'succeed' | 'are refused' | 'fail' = 'succeed';
	/** The token in n8n's database. */
	let stored: IssuedToken | undefined;
	const caches = Array.from({ length: processes }, () => {
		const clock = () => now;
		return { cache: new TokenCache(clock, clock), newest: '', underWay: 0 };
	});

	const sleep = async (ms: number) =>
		await new Promise<void>((wake) => sleepers.push({ at: now + ms, wake }));

	const logIn = async (): Promise<ExchangeOutcome> => {
		await sleep(EXCHANGE_MS / 2);
		const isRefused = logins === 'are refused';
		const outcome: ExchangeOutcome =
			logins === 'succeed'
				? { token: { value: `token-${++issued}`, issuedAt: now } }
				: { failure: { message: logins, description: '', refused: isRefused } };
		if (outcome.token) {
			if (keepsOneSession) accepted.clear();
			accepted.add(outcome.token.value);
			if (forgotten-- > 0) accepted.clear();
		}
		await sleep(EXCHANGE_MS / 2);
		return outcome;
	};

	const exchangeIn = (process: number, cause: Exchange['cause']) => async () => {
		const state = stateOf(process);
		const exchange: Exchange = {
			at: now,
			process,
			cause,
			hasSucceeded: false,
			wasNeedless: accepted.has(state.newest),
			others: state.underWay,
		};
		history.exchanges.push(exchange);
		state.underWay += 1;
		const outcome = await logIn();
		state.underWay -= 1;
		if (outcome.failure?.refused) history.refusals.push(now);
		if (outcome.token) {
			exchange.hasSucceeded = true;
			state.newest = outcome.token.value;
		}
		return outcome;
	};

	const stateOf = (process: number) => {
		const state = caches[process];
		if (!state) throw new Error(`There is no process ${process}`);
		return state;
	};

	const isAccepted = async (token: IssuedToken, document: number | undefined, answerMs: number) => {
		await sleep(answerMs / 2);
		received += 1;
		const isRejected =
			document !== undefined &&
			(rejects === 'all' ||
				(rejects === 'every third' ? received % 3 === 0 : rejects.includes(document)));
		const isGood = accepted.has(token.value) && !isRejected;
		await sleep(answerMs / 2);
		return isGood;
	};

	/** The token that a request is signed with, as signing.ts chooses it, and n8n stores the one that was obtained. */
	const tokenFor = async (process: number, known: IssuedToken | undefined) => {
		const { cache } = stateOf(process);
		const chosen = cache.choose(known);
		if (chosen) return chosen;
		let isObtained = false;
		const { token } = await cache.renew(false, async () => {
			isObtained = true;
			return await exchangeIn(process, 'needed')();
		});
		if (!token) return undefined;
		if (isObtained) {
			stored = token;
			await sleep(STORE_MS);
		}
		return cache.choose(token) ?? token;
	};

	const execute = async (happening: Extract<Happening, { kind: 'requests' }>) => {
		const { documents, answersMs, concurrency = documents, process = 0 } = happening;
		const { cache } = stateOf(process);
		let known = stored;
		let sent = 0;
		const read = async (document: number) => {
			for (let tokens = 1; ; tokens++) {
				history.mostTokens = Math.max(history.mostTokens, tokens);
				const token = await tokenFor(process, known);
				if (!token) return 'no token';
				known = token;
				if (await isAccepted(token, document, answersMs[sent++ % answersMs.length] ?? 0)) {
					cache.accept(token, `site ${document}`);
					return 'read';
				}
				if (!cache.reject(token, `site ${document}`) || tokens === MAX_TOKENS) return 'rejected';
			}
		};
		const queue = Array.from({ length: documents }, (_, index) => index).values();
		const work = async () => {
			for (const document of queue) history.requests.push(await read(document));
		};
		await Promise.all(Array.from({ length: concurrency }, work));
	};

	const requestOfAnother = async ({
		answerMs,
		outcome,
	}: Extract<Happening, { kind: 'others' }>) => {
		const { cache } = stateOf(0);
		const isRead = async (token: IssuedToken) =>
			(await isAccepted(token, undefined, answerMs)) && outcome === 'succeed';
		const first = await tokenFor(0, stored);
		if (!first) return 'no token';
		if (await isRead(first)) return 'read';
		const replacement = await cache.replace(first, exchangeIn(0, 'replaced'));
		if (!replacement) return 'failed';
		if (!replacement.token) return 'no token';
		if (replacement.token.value === first.value) throw new Error('That is the same token');
		stored = replacement.token;
		return (await isRead(cache.choose(stored) ?? stored)) ? 'read' : 'failed';
	};

	const testCredential = async () => {
		const { cache, underWay } = stateOf(0);
		const exchangesBefore = underWay > 0 ? -1 : history.exchanges.length;
		const { token } = await cache.renew(true, exchangeIn(0, 'test'));
		if (token) {
			stored = token;
			cache.noteCredentialTest();
			await logIn();
		}
		history.tests.push({ exchangesBefore, exchangesAfter: history.exchanges.length });
	};

	const settle = async (until: number) => {
		for (;;) {
			await new Promise((resolve) => setImmediate(resolve));
			sleepers.sort((a, b) => a.at - b.at);
			const next = sleepers[0];
			if (!next || next.at > until) break;
			sleepers.shift();
			now = next.at;
			next.wake();
		}
		if (Number.isFinite(until)) now = until;
	};

	const running: Array<Promise<void>> = [];
	for (const happening of happenings) {
		switch (happening.kind) {
			case 'requests':
				running.push(execute(happening));
				break;
			case 'others':
				for (let index = 0; index < happening.count; index++) {
					running.push(
						requestOfAnother(happening).then((outcome) => {
							history.others.push(outcome);
						}),
					);
				}
				break;
			case 'wait':
				await settle(now + happening.ms);
				break;
			case 'revoke':
				accepted = new Set();
				break;
			case 'forget':
				forgotten = happening.logins;
				break;
			case 'rejects':
				rejects = happening.what;
				break;
			case 'logins':
				logins = happening.outcome;
				break;
			case 'test':
				running.push(testCredential());
				break;
		}
		await settle(now);
	}
	await settle(Infinity);
	await Promise.all(running);
	return history;
}
