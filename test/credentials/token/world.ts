import type { ExchangeOutcome } from '../../../credentials/token/exchange';
import type { TokenKeeper } from '../../../credentials/token/tokenKeeper';

/** What happens, one after the other; requests go on while the next things happen. */
export type Happening =
	| { kind: 'requests'; count: number; answerMs: number }
	| { kind: 'wait'; ms: number }
	| { kind: 'revoke' }
	| { kind: 'test' }
	/** From now on, which requests the service rejects although their token is good. */
	| { kind: 'rejects'; what: 'none' | 'every second' | 'all' }
	| { kind: 'logins'; outcome: 'succeed' | 'are refused' | 'fail' };

interface Exchange {
	at: number;
	isTest: boolean;
	/** Whether the service would have accepted the token that was known already. */
	wasNeedless: boolean;
	/** How many exchanges were under way when it began. */
	others: number;
	during: 'none' | 'every second' | 'all';
}

/** What came of it all. */
export interface History {
	exchanges: Exchange[];
	refusals: number[];
	requests: Array<'read' | 'rejected' | 'no token'>;
	tests: Array<{ exchangesBefore: number; exchangesAfter: number }>;
}

const EXCHANGE_MS = 40;

/**
 * Plays happenings to a keeper in a world with a clock of its own: a service, and requests that go the way on which n8n
 * sends them (sign, send, on a rejection renew, sign and send once more).
 */
export async function play(
	Keeper: typeof TokenKeeper,
	happenings: readonly Happening[],
): Promise<History> {
	const history: History = { exchanges: [], refusals: [], requests: [], tests: [] };
	const sleepers: Array<{ at: number; wake: () => void }> = [];
	let now = 1_000_000;
	let underWay = 0;
	let issued = 0;
	let newest = '';
	let accepted = new Set<string>();
	let rejects: Exchange['during'] = 'none';
	let logins: 'succeed' | 'are refused' | 'fail' = 'succeed';
	const keeper = new Keeper(() => now);

	const sleep = async (ms: number) =>
		await new Promise<void>((wake) => sleepers.push({ at: now + ms, wake }));

	const exchange = (isTest: boolean) => async (): Promise<ExchangeOutcome> => {
		history.exchanges.push({
			at: now,
			isTest,
			wasNeedless: accepted.has(newest),
			others: underWay,
			during: rejects,
		});
		underWay += 1;
		await sleep(EXCHANGE_MS);
		underWay -= 1;
		if (logins !== 'succeed') {
			if (logins === 'are refused') history.refusals.push(now);
			return { failure: { message: logins, description: '', refused: logins === 'are refused' } };
		}
		issued += 1;
		newest = `token-${issued}`;
		accepted.add(newest);
		return { token: { value: newest, issuedAt: now } };
	};

	const request = async (index: number, answerMs: number) => {
		const send = async (token: string) => {
			const isRejected = rejects === 'all' || (rejects === 'every second' && index % 2 === 1);
			await sleep(answerMs * (0.8 + (0.4 * ((index * 7) % 10)) / 10));
			return accepted.has(token) && !isRejected;
		};
		const first = keeper.sign(undefined, false);
		if (first && (await send(first.token.value))) return 'read';

		const { token } = await keeper.renew(first, false, exchange(false));
		if (!token) return 'no token';
		const second = keeper.sign(undefined, true);
		return second && (await send(second.token.value)) ? 'read' : 'rejected';
	};

	const running: Array<Promise<void>> = [];
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
		now = Math.max(now, Number.isFinite(until) ? until : now);
	};

	for (const happening of happenings) {
		switch (happening.kind) {
			case 'requests':
				for (let index = 0; index < happening.count; index++) {
					running.push(
						request(index, happening.answerMs).then((outcome) => {
							history.requests.push(outcome);
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
			case 'rejects':
				rejects = happening.what;
				break;
			case 'logins':
				logins = happening.outcome;
				break;
			case 'test': {
				const exchangesBefore = underWay > 0 ? -1 : history.exchanges.length;
				running.push(
					keeper.renew(undefined, true, exchange(true)).then(() => {
						keeper.noteLogin();
						history.tests.push({ exchangesBefore, exchangesAfter: history.exchanges.length });
					}),
				);
				break;
			}
		}
		await settle(now);
	}
	await settle(Infinity);
	await Promise.all(running);
	return history;
}
