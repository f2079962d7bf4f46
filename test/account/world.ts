import { Readable } from 'node:stream';
import { siteDocument } from '../../api/site';
import { Cancellation } from '../../nodes/Aquaculture/transport/cancellation';
import { readDocuments } from '../../nodes/Aquaculture/transport/readDocuments';
import type { Transport } from '../../nodes/Aquaculture/transport/transport';
import type { Account } from '../../account/accounts';
import { announcementFor } from '../../account/announcement';
import type { IssuedToken } from '../../account/issuedToken';
import { toStoredFields } from '../../account/storedToken';
import { TokenCache, type ExchangeOutcome } from '../../account/tokenCache';
import { takeTurn, takeTurnAgain, type TurnRequest } from '../../account/turn';
import { Budget } from '../../account/limit/budget';
import type { Place } from '../../account/limit/queue';
import { checkConnection, type Connection } from '../../shared/connection';
import { HOUR_MS } from '../../shared/duration';
import { VirtualClock } from '../../testbed/simulation/virtualClock';
import { credentialFor } from '../credentials/token/credentialFor';

/** How the service behaves. */
export interface Service {
	/** Which requests it rejects although their token is good: those for these documents, or some of all. */
	rejects: readonly number[] | 'all' | 'every third';
	logins: 'succeed' | 'are refused' | 'fail';
	/** After how many of the next logins it forgets its tokens at once. */
	forgets: number;
}

/** What does not change while things happen. */
export interface Setting {
	/** Whether each login of an account ends its session before. */
	keepsOneSession?: boolean;
	/** The number of the account; Infinity for no limit. */
	requestsPerMinute?: number;
}

/** What happens, one after the other; requests go on while the next things happen. */
export type Happening =
	/** An execution of the node, in the first process or in the second. */
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
	/** A credential test: an exchange, and then n8n's own login. */
	| { kind: 'test' }
	/** How the service behaves from now on. */
	| ({ kind: 'service' } & Partial<Service>);

type Execution = Extract<Happening, { kind: 'requests' }>;
type OtherRequests = Extract<Happening, { kind: 'others' }>;

interface Exchange {
	at: number;
	process: number;
	isTest: boolean;
	hasSucceeded: boolean;
	/** Whether the service would have accepted the token that was known already. */
	wasNeedless: boolean;
	/** How many exchanges of the process were under way when it began. */
	others: number;
}

/** What has happened. */
export interface History {
	exchanges: Exchange[];
	/** When exchanges were refused. */
	refusals: number[];
	requests: Array<'read' | 'rejected' | 'session ended' | 'no token'>;
	others: Array<'read' | 'failed' | 'no token'>;
	/** Whether a test made an exchange of its own, or shared one that was under way. */
	tests: boolean[];
	/** The most tokens with which one document was asked for at once. */
	mostTokens: number;
}

const EXCHANGE_MS = 40;
/** What n8n takes to store a token. */
const STORE_MS = 15;
const LIMITS = { maxTries: 1, timeoutMs: HOUR_MS, maxTimeMs: HOUR_MS };

const CREDENTIAL = credentialFor('https://data.example.com', 'staff', 'Laks & ørret');
const CONNECTION = checkConnection(CREDENTIAL).value as Connection;

/**
 * Plays happenings to two processes in a world with a clock of its own: a service and n8n's database. The node reads with
 * its own reader; of an HTTP Request node and a credential test, the calls are those that n8n makes for them.
 */
export async function play(
	happenings: readonly Happening[],
	{ keepsOneSession = false, requestsPerMinute = Infinity }: Setting = {},
): Promise<History> {
	const history: History = {
		exchanges: [],
		refusals: [],
		requests: [],
		others: [],
		tests: [],
		mostTokens: 0,
	};
	const clock = new VirtualClock();
	const now = () => clock.now();
	const service: Service = { rejects: [], logins: 'succeed', forgets: 0 };
	const accepted = new Set<string>();
	let issued = 0;
	let received = 0;
	/** The credential in n8n's database. */
	let stored: object = { accessToken: '', tokenBinding: '' };
	const newAccount = (): Account => {
		const budget = new Budget(clock);
		budget.requestsPerMinute = requestsPerMinute;
		return { connection: CONNECTION, budget, tokens: new TokenCache(now, now) };
	};
	const newProcess = () => ({ account: newAccount(), newest: '', underWay: 0 });
	const processes = [newProcess(), newProcess()] as const;
	const processOf = (index: number) => processes[index === 0 ? 0 : 1];

	const logIn = async (): Promise<ExchangeOutcome> => {
		await clock.sleep(EXCHANGE_MS / 2);
		const { logins } = service;
		const outcome: ExchangeOutcome =
			logins === 'succeed'
				? { token: { value: `token-${++issued}`, issuedAt: now() } }
				: { failure: { message: logins, description: '', loginRefused: logins === 'are refused' } };
		if (outcome.token) {
			if (keepsOneSession) accepted.clear();
			accepted.add(outcome.token.value);
			if (service.forgets-- > 0) accepted.clear();
		}
		await clock.sleep(EXCHANGE_MS / 2);
		return outcome;
	};

	const exchangeIn = (index: number, isTest: boolean) => async () => {
		const process = processOf(index);
		const exchange: Exchange = {
			at: now(),
			process: index,
			isTest,
			hasSucceeded: false,
			wasNeedless: accepted.has(process.newest),
			others: process.underWay,
		};
		history.exchanges.push(exchange);
		process.underWay += 1;
		const outcome = await logIn();
		if (outcome.token) {
			stored = toStoredFields(CONNECTION, outcome.token);
			await clock.sleep(STORE_MS);
		}
		process.underWay -= 1;
		if (outcome.failure?.loginRefused) history.refusals.push(now());
		if (outcome.token) {
			exchange.hasSucceeded = true;
			process.newest = outcome.token.value;
		}
		return outcome;
	};

	const isAccepted = async (token: IssuedToken, document: number | undefined, answerMs: number) => {
		await clock.sleep(answerMs / 2);
		received += 1;
		const { rejects } = service;
		const isRejected =
			document !== undefined &&
			(rejects === 'all' ||
				(rejects === 'every third' ? received % 3 === 0 : rejects.includes(document)));
		const isGood = accepted.has(token.value) && !isRejected;
		await clock.sleep(answerMs / 2);
		return isGood;
	};

	/** Exchanges with a place in the budget. */
	const logInFrom = (index: number) => async (place: Place) => {
		const outcome = await exchangeIn(index, false)();
		processOf(index).account.budget.accept(place);
		return outcome;
	};

	/** What n8n's helper does with what the node has announced. */
	const sendIn =
		(index: number, answersMs: () => number): Transport['send'] =>
		async ({ url }, credential) => {
			const announcement = announcementFor(credential);
			if (announcement?.login) {
				const { login } = announcement;
				login.outcome = await logInFrom(index)(login.place);
				throw new Error('Nothing is to be sent after a login');
			}
			const [siteId] = /\d+$/.exec(url) ?? [];
			const token = announcement?.token as IssuedToken;
			const isRead = await isAccepted(token, Number(siteId), answersMs());
			const body = Readable.from([Buffer.from(JSON.stringify({ siteId: Number(siteId) }))]);
			return { statusCode: isRead ? 200 : 401, headers: {}, body };
		};

	const execute = async (execution: Execution) => {
		const { documents, answersMs, concurrency = documents, process: index = 0 } = execution;
		const sentFor = new Map<string, number>();
		let sent = 0;
		const send = sendIn(index, () => answersMs[sent++ % answersMs.length] ?? 0);
		const transport: Transport = {
			connection: CONNECTION,
			account: processOf(index).account,
			credential: { ...CREDENTIAL, ...stored },
			kind: 'execution',
			cancellation: new Cancellation(),
			async send(options, credential, signal) {
				const times = (sentFor.get(options.url) ?? 0) + (options.method === 'GET' ? 1 : 0);
				sentFor.set(options.url, times);
				history.mostTokens = Math.max(history.mostTokens, times);
				return await send(options, credential, signal);
			},
		};
		const requests = Array.from({ length: documents }, (_, document) => siteDocument(document, []));
		const limits = { ...LIMITS, concurrentRequests: concurrency, maxWaitMs: Infinity };
		await readDocuments(transport, requests, limits, (_request, { value, failure }) => {
			if (value) history.requests.push('read');
			else if (failure.cause === 'sessionEnded') history.requests.push('session ended');
			else history.requests.push(failure.statusCode === 401 ? 'rejected' : 'no token');
		});
	};

	const otherRequest = async ({ answerMs, outcome }: OtherRequests) => {
		const { account } = processOf(0);
		const request: TurnRequest = {
			entry: { queue: account.budget.others, isUnseen: true },
			credential: { ...CREDENTIAL, ...stored },
			logIn: logInFrom(0),
		};
		const isRead = async (token: IssuedToken) =>
			(await isAccepted(token, undefined, answerMs)) && outcome === 'succeed';
		const first = await takeTurn(account, request);
		if (first.missing) return 'no token';
		if (await isRead(first.token)) return 'read';
		const second = await takeTurnAgain(account, request, first);
		if (second?.failure) return 'no token';
		return second && !second.missing && (await isRead(second.token)) ? 'read' : 'failed';
	};

	const requestOthers = async (requests: OtherRequests) => {
		const request = async () => history.others.push(await otherRequest(requests));
		await Promise.all(Array.from({ length: requests.count }, request));
	};

	const testCredential = async () => {
		const { account, underWay } = processOf(0);
		const before = history.exchanges.length;
		const { token } = await account.tokens.renew(exchangeIn(0, true));
		history.tests.push(underWay > 0 || history.exchanges.length > before);
		if (!token) return;
		account.tokens.noteCredentialTest();
		await logIn();
	};

	const running: Array<Promise<void>> = [];
	for (const happening of happenings) {
		switch (happening.kind) {
			case 'requests':
				running.push(execute(happening));
				break;
			case 'others':
				running.push(requestOthers(happening));
				break;
			case 'test':
				running.push(testCredential());
				break;
			case 'wait':
				await clock.pass(happening.ms);
				break;
			case 'revoke':
				accepted.clear();
				break;
			case 'service':
				Object.assign(service, happening);
				break;
		}
		await clock.pass(0);
	}
	await clock.pass(Infinity);
	await Promise.all(running);
	return history;
}
