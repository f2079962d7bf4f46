import fc from 'fast-check';
import type { IssuedToken } from '../../../shared/account/issuedToken';
import {
	TokenCache,
	type ExchangeFailure,
	type ExchangeOutcome,
} from '../../../shared/account/tokenCache';
import { play, type Happening, type History } from './world';

const SECOND = 1000;
const HALF_MINUTE = 30 * SECOND;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const REVOKE: Happening = { kind: 'revoke' };
const SHORT: Happening = { kind: 'requests', documents: 5, answersMs: [20] };
const pause = (ms: number): Happening => ({ kind: 'wait', ms });

const requests = fc
	.record({
		answersMs: fc.array(fc.integer({ min: 5, max: 300 }), { minLength: 1, maxLength: 30 }),
		concurrency: fc.integer({ min: 1, max: 20 }),
	})
	.map(({ answersMs, concurrency }): Happening => {
		const documents = Math.min(20, answersMs.length);
		return {
			kind: 'requests',
			documents,
			answersMs,
			concurrency: Math.min(concurrency, documents),
		};
	});
const others = fc.record({
	kind: fc.constant('others' as const),
	count: fc.integer({ min: 1, max: 5 }),
	answerMs: fc.integer({ min: 5, max: 300 }),
	outcome: fc.constantFrom('succeed' as const, 'fail' as const),
});
const wait = fc.record({
	kind: fc.constant('wait' as const),
	ms: fc.oneof(
		fc.integer({ min: 1, max: 100 }),
		fc.integer({ min: 100, max: 3000 }),
		fc.integer({ min: 3000, max: 40_000 }),
	),
});
const revoke = fc.constant(REVOKE);
const test = fc.constant<Happening>({ kind: 'test' });
const rejects = fc.record({
	kind: fc.constant('rejects' as const),
	what: fc.constantFrom<Array<[] | number[] | 'all' | 'every third'>>(
		[],
		[0],
		[1, 3, 5, 7, 9],
		'every third',
		'all',
	),
});
const logins = fc.record({
	kind: fc.constant('logins' as const),
	outcome: fc.constantFrom('succeed' as const, 'are refused' as const, 'fail' as const),
});

/** The most of the times that lie within one span of that length. */
function mostWithin(span: number, times: readonly number[]): number {
	return Math.max(
		0,
		...times.map((from) => times.filter((at) => at >= from && at < from + span).length),
	);
}

const timesOf = (exchanges: History['exchanges']) => exchanges.map(({ at }) => at);

const areRead = ({ requests: outcomes }: History) =>
	outcomes.length > 0 && outcomes.every((outcome) => outcome === 'read');

/** All that may happen, in any order, with so many happenings. */
const anyOf = (...kinds: Array<fc.Arbitrary<Happening>>) =>
	fc.array(fc.oneof(...kinds), { minLength: 2, maxLength: 30 });

const everything = anyOf(requests, requests, others, wait, wait, revoke, test, rejects, logins);

/** Rounds that are drawn one by one. */
const rounds = <T>(
	[minLength, maxLength]: [number, number],
	drawn: fc.Arbitrary<T>,
	happeningsOf: (round: T) => Happening[],
) => fc.array(drawn, { minLength, maxLength }).map((list) => list.flatMap(happeningsOf));

const burstAndMs = (min: number, max: number) => fc.tuple(requests, fc.integer({ min, max }));

const whileAllIsRejected = (happenings: fc.Arbitrary<Happening[]>) =>
	happenings.map((later): Happening[] => [{ kind: 'rejects', what: 'all' }, ...later]);

const HOT = [SHORT, pause(SECOND), REVOKE];

interface Invariant {
	happenings: fc.Arbitrary<Happening[]>;
	service?: Parameters<typeof play>[1];
	holds: (history: History) => boolean;
}

const INVARIANTS: Record<string, Invariant> = {
	'exchanges never overlap': {
		happenings: everything,
		holds: ({ exchanges }) => exchanges.every(({ others: underWay }) => underWay === 0),
	},
	'no exchange is made while the service accepts the token that is known': {
		happenings: anyOf(requests, requests, wait, revoke, logins),
		holds: ({ exchanges }) => exchanges.every(({ wasNeedless }) => !wasNeedless),
	},
	'a service that rejects everything costs an execution two exchanges': {
		happenings: whileAllIsRejected(
			rounds([5, 40], burstAndMs(1, 300), ([burst, ms]) => [burst, pause(ms)]),
		),
		holds: ({ exchanges }) => exchanges.length === 2,
	},
	'at a service that rejects everything, the pauses between the exchanges grow to half an hour': {
		happenings: whileAllIsRejected(
			rounds([100, 100], burstAndMs(SECOND, 3 * MINUTE), ([burst, ms]) => [burst, pause(ms)]),
		),
		holds: ({ exchanges }) => {
			const times = timesOf(exchanges);
			const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
			return (
				pauses.length >= 4 &&
				Math.max(...pauses) < 34 * MINUTE &&
				pauses.slice(1).every((ms, index) => ms >= Math.min(30 * MINUTE, HALF_MINUTE * 2 ** index))
			);
		},
	},
	'at most four logins succeed in half a minute, unless the credential is tested': {
		happenings: anyOf(requests, requests, others, wait, revoke, revoke, rejects, logins),
		holds: ({ exchanges }) =>
			mostWithin(HALF_MINUTE, timesOf(exchanges.filter(({ hasSucceeded }) => hasSucceeded))) <= 4,
	},
	'two processes at a service that keeps one session make four logins each in half a minute': {
		happenings: rounds(
			[10, 40],
			fc.tuple(burstAndMs(1, 2000), fc.nat(1)),
			([[burst, ms], process]) => [{ ...burst, process } as Happening, pause(ms)],
		),
		service: { keepsOneSession: true, processes: 2 },
		holds: ({ exchanges }) =>
			[0, 1].every((own) => {
				const times = timesOf(exchanges.filter(({ process }) => process === own));
				return mostWithin(HALF_MINUTE, times) <= 4;
			}),
	},
	'a refused login is not repeated for half a minute, except by a test': {
		happenings: everything,
		holds: ({ exchanges, refusals }) =>
			exchanges.every(({ at, cause }, index) => {
				const lastSuccess = exchanges.slice(0, index).findLast(({ hasSucceeded }) => hasSucceeded);
				const mayFollow = (refusal: number) =>
					at < refusal || at >= refusal + HALF_MINUTE || (lastSuccess?.at ?? -1) >= refusal;
				return cause === 'test' || refusals.every(mayFollow);
			}),
	},
	'a test makes an exchange of its own, or shares the one under way': {
		happenings: everything,
		holds: ({ tests }) =>
			tests.every(
				({ exchangesBefore, exchangesAfter }) =>
					exchangesBefore === -1 || exchangesAfter > exchangesBefore,
			),
	},
	'every request is read where logins succeed and revocations are half a minute apart': {
		happenings: rounds([1, 8], burstAndMs(1, 2000), ([burst, ms]) => [
			burst,
			pause(ms),
			burst,
			pause(HALF_MINUTE + SECOND),
			REVOKE,
		]),
		holds: areRead,
	},
	'a token that was accepted and dies at once is renewed, whichever document meets it first': {
		happenings: fc
			.tuple(
				rounds([1, 3], burstAndMs(1, 250), ([burst, ms]) => [
					{ kind: 'requests', documents: 3, answersMs: [5, 15] },
					pause(ms + 100),
					REVOKE,
					burst,
					pause(20_000),
				]),
				requests,
			)
			.map(([happenings, last]) => [...happenings, last]),
		holds: areRead,
	},
	'where the service forgets its tokens right after a login, the same execution recovers': {
		happenings: fc
			.tuple(requests, fc.boolean())
			.map(([burst, isHot]) => [...(isHot ? HOT : []), { kind: 'forget', logins: 1 }, burst]),
		holds: areRead,
	},
	'where it forgets them several times, the same documents are read minutes later': {
		happenings: fc
			.tuple(requests, fc.boolean(), fc.integer({ min: 2, max: 3 }))
			.map(([burst, isHot, forgotten]) => [
				...(isHot ? HOT : []),
				{ kind: 'forget', logins: forgotten },
				...[burst, pause(MINUTE), burst, pause(3 * MINUTE), burst, pause(MINUTE), SHORT],
			]),
		holds: ({ requests: outcomes }) => outcomes.slice(-5).every((outcome) => outcome === 'read'),
	},
	'three documents of which one is always rejected cost three logins in five executions': {
		happenings: fc
			.tuple(
				fc.array(fc.integer({ min: 5, max: 2000 }), { minLength: 12, maxLength: 40 }),
				fc.nat(2),
				fc.integer({ min: 1, max: 3 }),
			)
			.map(([answersMs, rejected, concurrency]) => [
				{ kind: 'rejects', what: [rejected] },
				...[0, 2, 4, 6, 8].flatMap((from): Happening[] => [
					{ kind: 'requests', documents: 3, answersMs: answersMs.slice(from), concurrency },
					pause(24 * SECOND),
				]),
			]),
		holds: ({ exchanges, requests: outcomes }) =>
			exchanges.length <= 3 && outcomes.filter((outcome) => outcome === 'read').length === 10,
	},
	'requests of other nodes that fail cost an exchange in half a minute': {
		happenings: rounds(
			[5, 20],
			fc.tuple(others, fc.integer({ min: 1, max: 20_000 })),
			([burst, ms]) => [{ ...burst, outcome: 'fail' }, pause(ms)],
		),
		holds: ({ exchanges }) =>
			mostWithin(HALF_MINUTE, timesOf(exchanges.filter(({ cause }) => cause === 'replaced'))) <= 1,
	},
	'requests of other nodes are read where revocations are half a minute apart': {
		happenings: rounds([1, 6], fc.tuple(others, fc.boolean()), ([burst, isTested]) => [
			{ ...burst, outcome: 'succeed' },
			pause(HALF_MINUTE + SECOND),
			isTested ? { kind: 'test' } : REVOKE,
			pause(SECOND),
		]),
		service: { keepsOneSession: true },
		holds: ({ others: outcomes }) => outcomes.every((outcome) => outcome === 'read'),
	},
	'a token that dies soon after a test is renewed': {
		happenings: fc
			.tuple(fc.integer({ min: 1, max: 3000 }), fc.nat(5), fc.boolean())
			.map(([ms, tests, isOther]): Happening[] => [
				...Array.from({ length: tests + 1 }, (): Happening[] => [
					{ kind: 'test' },
					pause(200),
				]).flat(),
				pause(ms),
				isOther ? { kind: 'others', count: 5, answerMs: 20, outcome: 'succeed' } : SHORT,
			]),
		service: { keepsOneSession: true },
		holds: ({ requests: outcomes, others: otherOutcomes }) =>
			[...outcomes, ...otherOutcomes].every((outcome) => outcome === 'read'),
	},
};

describe('whatever happens', () => {
	it.each(Object.entries(INVARIANTS))('%s', async (_name, { happenings, service, holds }) => {
		await fc.assert(
			fc.asyncProperty(happenings, async (sequence) => {
				const history = await play(sequence, service);
				expect(history.mostTokens).toBeLessThanOrEqual(4);
				if (!holds(history)) throw new Error(JSON.stringify(history));
			}),
			{ seed: 20_250_101 },
		);
	});
});

/** A cache whose time stands still unless it is moved, and the exchanges that it makes. */
class Bench {
	now = 0;

	/** How much the time of day is ahead of the clock. */
	aheadMs = 1_767_225_600_000;

	exchanges = 0;

	/** How long a token lasts, as far as the service says. */
	lifetimeMs: number | undefined;

	readonly cache = new TokenCache(
		() => this.now,
		() => this.timeOfDay,
	);

	get timeOfDay(): number {
		return this.now + this.aheadMs;
	}

	token(value: string, ageMs = 0): IssuedToken {
		const issuedAt = this.timeOfDay - ageMs;
		return { value, issuedAt, ...(this.lifetimeMs && { endsAt: issuedAt + this.lifetimeMs }) };
	}

	readonly exchange = async (): Promise<ExchangeOutcome> => {
		this.exchanges += 1;
		return await Promise.resolve({ token: this.token(`token ${this.exchanges}`) });
	};

	readonly fail =
		(failure: Partial<ExchangeFailure> = {}) =>
		async () => {
			this.exchanges += 1;
			return await Promise.resolve({ failure: { message: 'No', description: '', ...failure } });
		};

	/** The token with which a request is signed. */
	async choose(stored?: IssuedToken): Promise<IssuedToken> {
		const chosen = this.cache.choose(stored);
		if (chosen) return chosen;
		const { token } = await this.cache.renew(false, this.exchange);
		if (!token) throw new Error('There is no token');
		return token;
	}

	/**
	 * Expects what a script says, one step after the other: `+one` is a document that is accepted, `-one` one whose
	 * rejection stands, `-one!` one that is rejected and worth asking for again, and `test` a credential test.
	 */
	async expect(script: string): Promise<void> {
		const played: string[] = [];
		for (const step of script.split(' ')) played.push(await this.play(step));
		expect(played.join(' ')).toBe(script);
	}

	private async play(step: string): Promise<string> {
		if (step === 'test') {
			await this.cache.renew(true, this.exchange);
			this.cache.noteCredentialTest();
			return step;
		}
		const document = step.replace(/^[+-]|!$/g, '');
		const token = await this.choose();
		if (step.startsWith('-')) return `-${document}${this.cache.reject(token, document) ? '!' : ''}`;
		this.cache.accept(token, document);
		return step;
	}
}

let bench: Bench;

beforeEach(() => {
	bench = new Bench();
});

describe('a document that is rejected with one token and the next, while another is accepted', () => {
	beforeEach(async () => {
		await bench.expect('+good -bad! +good -bad');
		expect(bench.exchanges).toBe(2);
	});

	it.each<[string, number, string, number]>([
		['costs no further login for an hour', HOUR - 1, '-bad -bad', 2],
		['costs another one after that', HOUR, '-bad! +good -bad -bad', 3],
		['is one like others once it was accepted', 0, '+bad -bad!', 2],
		['is one like others after a credential test', 0, 'test +good -bad!', 3],
		['does not keep others from a new token', 0, '-good!', 2],
	])('%s', async (_name, now, script, exchanges) => {
		bench.now = now;

		await bench.expect(script);

		expect(bench.exchanges).toBe(exchanges);
	});

	it('costs no login either with the token of another process', async () => {
		bench.now = HOUR - 1;
		await bench.choose(bench.token('another'));

		await bench.expect('-bad');
	});
});

describe('a rejection that arrives late', () => {
	it('denies the document where it is rejected with the next token, too', async () => {
		await bench.expect('+good');
		const first = await bench.choose();
		await bench.expect('-good! +good');

		expect(bench.cache.reject(first, 'late')).toBe(true);

		await bench.expect('-late');
	});

	it('while there is no token counts for the next one, but not after a credential test', async () => {
		const first = await bench.choose();
		await bench.expect('-good!');
		expect(bench.cache.reject(first, 'late')).toBe(true);

		await bench.expect('test +good -late!');
	});
});

it('at most four exchanges in half a minute are made because tokens are rejected', async () => {
	for (const step of ['-one!', '-two!', '-three!', '-four']) {
		bench.now += SECOND;
		await bench.expect(`+good ${step}`);
	}
	bench.now = SECOND + HALF_MINUTE - 1;
	await bench.expect('-five');
	bench.now += 1;
	await bench.expect('-five!');
});

it('tokens that end at once cost four exchanges in half a minute, and the last one is used on', async () => {
	bench.lifetimeMs = SECOND;
	for (; bench.now < HALF_MINUTE - SECOND; bench.now += SECOND / 10) await bench.expect('+site');
	const token = await bench.choose();
	await expect(bench.cache.replace(token, bench.exchange)).resolves.toBeUndefined();
	expect(bench.exchanges).toBe(4);

	bench.now += 5 * SECOND;
	await bench.expect('+site');
	expect(bench.exchanges).toBe(5);
});

it('a request that finds a token which was obtained meanwhile makes no exchange', async () => {
	expect(bench.cache.choose(undefined)).toBeUndefined();
	const token = await bench.choose();

	await expect(bench.cache.renew(false, bench.exchange)).resolves.toEqual({ token });
	expect(bench.exchanges).toBe(1);
});

describe('the backoff after exchanges whose tokens were not accepted', () => {
	it.each([
		['ends with a credential test', '-one! -two -three test -one! -two! -three'],
		['ends with a token that is accepted', '-one! -two -three +four -three! -four! -three'],
	])('%s', async (_name, script) => {
		await bench.expect(script);
	});

	it('does not end because an answer to an earlier request arrives late', async () => {
		const first = await bench.choose();
		await bench.expect('-bad!');
		await bench.choose();

		bench.cache.accept(first, 'good');

		await bench.expect('-bad');
	});

	it('ends by the clock, whatever is done to the time of day', async () => {
		await bench.expect('-one! -two');
		bench.aheadMs -= 2 * HOUR;

		for (const ms of [HALF_MINUTE, MINUTE]) {
			bench.now += ms - 1;
			await bench.expect('-one');
			bench.now += 1;
			await bench.expect('-one!');
			await bench.choose();
		}
	});

	it('does not begin with credential tests, nor with exchanges for other nodes', async () => {
		for (let count = 0; count < 3; count++) {
			await bench.cache.renew(true, bench.exchange);
			await bench.cache.replace(await bench.choose(), bench.exchange);
			bench.now += HALF_MINUTE;
		}

		await bench.expect('-one! -one!');
	});
});

describe('a login that has failed', () => {
	it.each<[Partial<ExchangeFailure>, number]>([
		[{}, 5 * SECOND],
		[{ waitMs: 1 }, 5 * SECOND],
		[{ waitMs: MINUTE }, MINUTE],
		[{ waitMs: HOUR }, 5 * MINUTE],
		[{ refused: true }, HALF_MINUTE],
		[{ refused: true, waitMs: MINUTE }, HALF_MINUTE],
	])(
		'with %j is retried after %d ms, also where the time of day is set back',
		async (failure, ms) => {
			const ask = async () => await bench.cache.renew(false, bench.fail(failure));
			const first = await ask();
			bench.aheadMs -= 2 * HOUR;

			bench.now = ms - 1;
			await expect(ask()).resolves.toEqual(first);
			expect(bench.exchanges).toBe(1);
			bench.now = ms;
			await ask();
			expect(bench.exchanges).toBe(2);
		},
	);

	it('is not retried sooner because a credential test fails for another reason', async () => {
		await bench.cache.renew(false, bench.fail({ refused: true }));
		await bench.cache.renew(true, bench.fail());

		bench.now = HALF_MINUTE - 1;
		await expect(bench.cache.renew(false, bench.exchange)).resolves.toMatchObject({
			failure: { refused: true },
		});
		bench.now = HALF_MINUTE;
		await expect(bench.choose()).resolves.toMatchObject({ value: 'token 3' });
	});

	it('is forgotten after one that has succeeded', async () => {
		await bench.cache.renew(false, bench.fail({ refused: true }));

		await bench.expect('test -one! +one');
	});

	it('is not retried for other nodes either', async () => {
		const token = await bench.choose(bench.token('stored'));
		const first = await bench.cache.replace(token, bench.fail({ refused: true }));

		expect(first?.failure).toBeDefined();
		await expect(bench.cache.replace(token, bench.exchange)).resolves.toEqual(first);
		expect(bench.exchanges).toBe(1);
	});

	it.each<[string, () => Promise<ExchangeOutcome>]>([
		['by an exception', async () => await Promise.reject(new Error('bug'))],
		['because the budget has deferred it', async () => await Promise.resolve({ isDeferred: true })],
	])('%s is retried at once', async (_name, exchange) => {
		await bench.cache.renew(false, exchange).catch(() => undefined);

		await expect(bench.choose()).resolves.toMatchObject({ value: 'token 1' });
	});
});

describe('a token for a request of another node that has failed', () => {
	let stored: IssuedToken;

	beforeEach(async () => {
		stored = await bench.choose(bench.token('stored', SECOND));
	});

	const replace = async (carried = stored) => await bench.cache.replace(carried, bench.exchange);

	it('is the newest one, where that is another than it carried', async () => {
		bench.cache.reject(stored, 'one');
		const token = await bench.choose();

		await expect(replace()).resolves.toEqual({ token });
		expect(bench.exchanges).toBe(1);
	});

	it('is obtained once in half a minute', async () => {
		const first = await replace();
		expect(first?.token?.value).toBe('token 1');
		bench.now = HALF_MINUTE - 1;
		await expect(replace(first?.token)).resolves.toBeUndefined();
		bench.now = HALF_MINUTE;
		await expect(replace(first?.token)).resolves.toMatchObject({ token: { value: 'token 2' } });
	});

	it('is none where the service issues the same one again', async () => {
		const replacing = async () =>
			await bench.cache.replace(stored, async () => await Promise.resolve({ token: stored }));

		await expect(Promise.all([replacing(), replacing()])).resolves.toEqual([undefined, undefined]);
	});

	it('is that of the exchange under way', async () => {
		bench.cache.reject(stored, 'one');

		const [token, replaced] = await Promise.all([bench.choose(), replace()]);

		expect(replaced).toEqual({ token });
		expect(bench.exchanges).toBe(1);
	});
});

describe('a token that is stored by another process', () => {
	const older = () => bench.token('older', MINUTE);
	const younger = () => bench.token('younger', SECOND);
	const future = () => bench.token('future', -2 * HOUR);
	const chosen = async (stored?: IssuedToken) => (await bench.choose(stored)).value;

	it('is used if it is younger', async () => {
		expect(await chosen(older())).toBe('older');
		expect(await chosen(younger())).toBe('younger');
		expect(await chosen(older())).toBe('younger');
		expect(await chosen()).toBe('younger');
	});

	it('is not used if it has ended', async () => {
		const ended = (token: IssuedToken) => ({ ...token, endsAt: bench.timeOfDay });

		expect(await chosen(ended(older()))).toBe('token 1');
		bench.now = MINUTE;
		expect(await chosen(ended(younger()))).toBe('token 1');
	});

	it('is used where the known one has ended', async () => {
		await chosen({ ...bench.token('known'), endsAt: bench.timeOfDay + HOUR });
		bench.now = 2 * HOUR;
		expect(await chosen()).toBe('token 1');
		bench.now = 3 * HOUR;
		expect(await chosen(younger())).toBe('younger');
	});

	it('is not used again once it was rejected, or another one has taken its place', async () => {
		await chosen(older());
		await chosen(younger());
		await bench.expect('-one!');

		expect(bench.cache.choose(older())).toBeUndefined();
		expect(bench.cache.choose(younger())).toBeUndefined();
	});

	it('is used from the future only where no other is known', async () => {
		expect(await chosen(future())).toBe('future');
		expect(await chosen(younger())).toBe('younger');
		expect(await chosen(future())).toBe('younger');
	});

	it('takes the place of one that is from the future since the clock was set back', async () => {
		await chosen(bench.token('future'));
		bench.aheadMs -= 2 * HOUR;

		expect(await chosen(younger())).toBe('younger');
		expect(await chosen(older())).toBe('younger');
	});
});

describe('memory', () => {
	/** How many elements there are in all that an object holds. */
	function sizeOf(object: object): number {
		if (object instanceof Map || object instanceof Set) return object.size;
		if (Array.isArray(object)) return object.length;
		return Object.values(object)
			.filter((value) => typeof value === 'object' && value !== null)
			.reduce((sum, value) => sum + sizeOf(value as object), 0);
	}

	/** Each document is rejected with the same token, which was accepted before and is accepted later. */
	async function reject(documents: readonly string[]): Promise<void> {
		bench.now += MINUTE;
		await bench.expect('+good');
		const token = await bench.choose();
		for (const document of documents) bench.cache.reject(token, document);
		await bench.expect('+good');
	}
	const named = (prefix: string, length: number) =>
		Array.from({ length }, (_, index) => `${prefix} ${index}`);

	it('is bounded, however many documents are rejected with however many tokens', async () => {
		for (let round = 0; round < 60; round++) await reject(named(`site ${round >> 1}`, 1500));

		expect(bench.exchanges).toBeGreaterThan(20);
		expect(sizeOf(bench.cache)).toBeGreaterThan(1000);
		expect(sizeOf(bench.cache)).toBeLessThan(2100);
	});

	it('is bounded, however many tokens there are', async () => {
		for (let round = 0; round < 100; round++) {
			await reject([`site ${round}`]);
			bench.now += MINUTE;
			await bench.choose({ ...bench.token('ending'), endsAt: bench.timeOfDay + 1 });
			await bench.choose(bench.token(`stored ${round}`));
			bench.now += MINUTE;
			await bench.cache.renew(true, bench.exchange);
			expect(sizeOf(bench.cache)).toBeLessThan(30);
		}
		expect(bench.exchanges).toBeGreaterThan(100);
	});

	it('keeps the documents that were rejected last', async () => {
		for (const name of ['early', 'late']) {
			for (let tokens = 0; tokens < 2; tokens++) await reject(named(name, 600));
		}

		const token = await bench.choose();
		const isAskedAgain = (document: string) => bench.cache.reject(token, document);
		expect(['late 0', 'early 599', 'early 0'].map(isAskedAgain)).toEqual([false, false, true]);
	});
});
