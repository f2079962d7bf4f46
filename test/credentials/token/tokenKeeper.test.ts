import fc from 'fast-check';
import type { ExchangeFailure, ExchangeOutcome } from '../../../credentials/token/exchange';
import type { IssuedToken } from '../../../credentials/token/issuedToken';
import { TokenKeeper } from '../../../credentials/token/tokenKeeper';
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

const INVARIANTS: Record<
	string,
	{
		happenings: fc.Arbitrary<Happening[]>;
		service?: Parameters<typeof play>[1];
		holds: (history: History) => boolean;
	}
> = {
	'exchanges never overlap': {
		happenings: everything,
		holds: ({ exchanges }) => exchanges.every(({ others: underWay }) => underWay === 0),
	},
	'no exchange is made while the service accepts the token that is known': {
		happenings: anyOf(requests, requests, wait, revoke, logins),
		holds: ({ exchanges }) => exchanges.every(({ wasNeedless }) => !wasNeedless),
	},
	'a service that rejects everything costs an execution two exchanges': {
		happenings: fc
			.array(fc.tuple(requests, fc.integer({ min: 1, max: 300 })), { minLength: 5, maxLength: 40 })
			.map((bursts) => [
				{ kind: 'rejects', what: 'all' } as Happening,
				...bursts.flatMap(([burst, ms]): Happening[] => [burst, pause(ms)]),
			]),
		holds: ({ exchanges }) => exchanges.length === 2,
	},
	'at a service that rejects everything, the pauses between the exchanges grow to half an hour': {
		happenings: fc
			.array(fc.tuple(requests, fc.integer({ min: SECOND, max: 3 * MINUTE })), {
				minLength: 100,
				maxLength: 100,
			})
			.map((bursts) => [
				{ kind: 'rejects', what: 'all' } as Happening,
				...bursts.flatMap(([burst, ms]): Happening[] => [burst, pause(ms)]),
			]),
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
		happenings: fc
			.array(fc.tuple(requests, fc.nat(1), fc.integer({ min: 1, max: 2000 })), {
				minLength: 10,
				maxLength: 40,
			})
			.map((bursts) =>
				bursts.flatMap(([burst, process, ms]): Happening[] => [
					{ ...burst, process } as Happening,
					pause(ms),
				]),
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
				return (
					cause === 'test' ||
					refusals.every(
						(refusal) =>
							at < refusal ||
							at >= refusal + HALF_MINUTE ||
							(lastSuccess && lastSuccess.at >= refusal),
					)
				);
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
		happenings: fc
			.array(fc.tuple(requests, fc.integer({ min: 1, max: 2000 })), { minLength: 1, maxLength: 8 })
			.map((rounds) =>
				rounds.flatMap(([burst, ms]): Happening[] => [
					burst,
					pause(ms),
					burst,
					pause(HALF_MINUTE + SECOND),
					REVOKE,
				]),
			),
		holds: areRead,
	},
	'a token that was accepted and dies at once is renewed, whichever document meets it first': {
		happenings: fc
			.tuple(
				fc.array(fc.tuple(requests, fc.integer({ min: 1, max: 250 })), {
					minLength: 1,
					maxLength: 3,
				}),
				requests,
			)
			.map(([rounds, last]) => [
				...rounds.flatMap(([burst, ms]): Happening[] => [
					{ kind: 'requests', documents: 3, answersMs: [5, 15] },
					pause(ms + 100),
					REVOKE,
					burst,
					pause(20_000),
				]),
				last,
			]),
		holds: areRead,
	},
	'where the service forgets its tokens right after a login, the same execution recovers': {
		happenings: fc
			.tuple(requests, fc.boolean())
			.map(([burst, isHot]) => [
				...(isHot ? [SHORT, pause(SECOND), REVOKE] : []),
				{ kind: 'forget', logins: 1 },
				burst,
			]),
		holds: areRead,
	},
	'where it forgets them several times, the same documents are read minutes later': {
		happenings: fc
			.tuple(requests, fc.boolean(), fc.integer({ min: 2, max: 3 }))
			.map(([burst, isHot, forgotten]) => [
				...(isHot ? [SHORT, pause(SECOND), REVOKE] : []),
				{ kind: 'forget', logins: forgotten },
				burst,
				pause(MINUTE),
				burst,
				pause(3 * MINUTE),
				burst,
				pause(MINUTE),
				SHORT,
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
				{ kind: 'rejects', what: [rejected] } as Happening,
				...Array.from({ length: 5 }, (_, index): Happening[] => [
					{
						kind: 'requests',
						documents: 3,
						answersMs: answersMs.slice(index * 2),
						concurrency,
					},
					pause(24 * SECOND),
				]).flat(),
			]),
		holds: ({ exchanges, requests: outcomes }) =>
			exchanges.length <= 3 && outcomes.filter((outcome) => outcome === 'read').length === 10,
	},
	'requests of other nodes that fail cost an exchange in half a minute': {
		happenings: fc
			.array(fc.tuple(others, fc.integer({ min: 1, max: 20_000 })), { minLength: 5, maxLength: 20 })
			.map((bursts) =>
				bursts.flatMap(([burst, ms]): Happening[] => [{ ...burst, outcome: 'fail' }, pause(ms)]),
			),
		holds: ({ exchanges }) =>
			mostWithin(HALF_MINUTE, timesOf(exchanges.filter(({ cause }) => cause === 'replaced'))) <= 1,
	},
	'requests of other nodes are read where revocations are half a minute apart': {
		happenings: fc
			.array(fc.tuple(others, fc.boolean()), { minLength: 1, maxLength: 6 })
			.map((rounds) =>
				rounds.flatMap(([burst, isTested]): Happening[] => [
					{ ...burst, outcome: 'succeed' },
					pause(HALF_MINUTE + SECOND),
					isTested ? { kind: 'test' } : REVOKE,
					pause(SECOND),
				]),
			),
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
	'a login that failed for a moment is tried again after a while': {
		happenings: fc.constant<Happening[]>([
			{ kind: 'logins', outcome: 'fail' },
			SHORT,
			pause(SECOND),
			{ kind: 'logins', outcome: 'succeed' },
			pause(5 * SECOND),
			SHORT,
		]),
		holds: ({ exchanges, requests: outcomes }) =>
			exchanges.length === 2 && outcomes.filter((outcome) => outcome === 'read').length === 5,
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

it('a thousand items at a service that rejects everything cost two exchanges', async () => {
	const { exchanges, requests: outcomes } = await play([
		{ kind: 'rejects', what: 'all' },
		{ kind: 'requests', documents: 1000, answersMs: [20, 50, 35], concurrency: 10 },
	]);

	expect(exchanges).toHaveLength(2);
	expect(outcomes).toEqual(Array(1000).fill('rejected'));
});

/** A keeper whose time stands still unless it is moved, and the exchanges that it makes. */
class Bench {
	now = 0;

	/** How much the time of day is ahead of the clock. */
	aheadMs = 1_767_225_600_000;

	exchanges = 0;

	readonly keeper = new TokenKeeper(
		() => this.now,
		() => this.timeOfDay,
	);

	get timeOfDay(): number {
		return this.now + this.aheadMs;
	}

	token(value: string, ageMs = 0): IssuedToken {
		return { value, issuedAt: this.timeOfDay - ageMs };
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
		const chosen = this.keeper.choose(stored);
		if (chosen) return chosen;
		const { token } = await this.keeper.renew(false, this.exchange);
		if (!token) throw new Error('There is no token');
		return token;
	}

	/** Asks for a document, which the service accepts or rejects. */
	async ask(document: string, isAccepted: boolean): Promise<boolean> {
		const token = await this.choose();
		if (!isAccepted) return this.keeper.reject(token, document);
		this.keeper.accept(token, document);
		return true;
	}
}

describe('a document that is rejected although its token is good', () => {
	let bench: Bench;

	/** Another document is accepted, this one is rejected, with one token and the next. */
	beforeEach(async () => {
		bench = new Bench();
		for (const isWorthRepeating of [true, false]) {
			await bench.ask('good', true);
			expect(await bench.ask('bad', false)).toBe(isWorthRepeating);
		}
		expect(bench.exchanges).toBe(2);
	});

	it('costs no further login for an hour, with whatever token', async () => {
		bench.now = HOUR - 1;
		expect(await bench.ask('bad', false)).toBe(false);
		expect(bench.keeper.choose(bench.token('another'))?.value).toBe('another');
		expect(await bench.ask('bad', false)).toBe(false);
		expect(bench.exchanges).toBe(2);
	});

	it('costs another one after that', async () => {
		bench.now = HOUR;

		expect(await bench.ask('bad', false)).toBe(true);
		expect(await bench.ask('good', true)).toBe(true);
		expect(await bench.ask('bad', false)).toBe(false);
		expect(await bench.ask('bad', false)).toBe(false);
		expect(bench.exchanges).toBe(3);
	});

	it('is one like others once it was accepted', async () => {
		await bench.ask('bad', true);

		expect(await bench.ask('bad', false)).toBe(true);
	});

	it('is one like others after a credential test', async () => {
		await bench.ask('good', false);
		bench.keeper.reject(bench.token('token 2'), 'bad');
		await bench.keeper.renew(true, bench.exchange);
		bench.keeper.noteTest();
		await bench.ask('good', true);

		expect(await bench.ask('bad', false)).toBe(true);
	});

	it('is given up also where the rejection of the first token arrives late', async () => {
		const first = await bench.choose();
		await bench.ask('good', false);
		await bench.ask('good', true);
		bench.keeper.reject(first, 'worse');

		expect(await bench.ask('worse', false)).toBe(false);
	});

	it('does not keep others from a new token', async () => {
		expect(await bench.ask('good', false)).toBe(true);
	});

	it('is sent once more where another token is known by now', async () => {
		const token = await bench.choose();
		await bench.ask('good', false);

		expect(bench.keeper.reject(token, 'bad')).toBe(true);
		await bench.choose();
		expect(bench.keeper.reject(token, 'bad')).toBe(true);
	});
});

it('at most four exchanges in half a minute are made because tokens are rejected', async () => {
	const bench = new Bench();
	for (let count = 1; count <= 4; count++) {
		bench.now += SECOND;
		await bench.ask('good', true);
		expect(await bench.ask(`site ${count}`, false)).toBe(count < 4);
	}
	bench.now = SECOND + HALF_MINUTE - 1;
	expect(await bench.ask('site 5', false)).toBe(false);
	bench.now = SECOND + HALF_MINUTE;
	expect(await bench.ask('site 5', false)).toBe(true);
});

it('a request that finds a token which was obtained meanwhile makes no exchange', async () => {
	const bench = new Bench();
	expect(bench.keeper.choose(undefined)).toBeUndefined();
	const token = await bench.choose();

	await expect(bench.keeper.renew(false, bench.exchange)).resolves.toEqual({ token });
	expect(bench.exchanges).toBe(1);
});

describe('the pause after exchanges of no use', () => {
	it('ends with a credential test, after which two exchanges are made at once again', async () => {
		const bench = new Bench();
		const rejections = async () => [
			await bench.ask('one', false),
			await bench.ask('two', false),
			await bench.ask('three', false),
		];
		await expect(rejections()).resolves.toEqual([true, false, false]);

		await bench.keeper.renew(true, bench.exchange);
		bench.keeper.noteTest();

		await expect(rejections()).resolves.toEqual([true, true, false]);
	});

	it('ends with a token that is accepted', async () => {
		const bench = new Bench();
		await bench.ask('one', false);
		await bench.ask('two', false);
		expect(bench.exchanges).toBe(2);
		expect(await bench.ask('three', false)).toBe(false);

		await bench.ask('four', true);

		expect(await bench.ask('three', false)).toBe(true);
		expect(await bench.ask('four', false)).toBe(true);
		expect(await bench.ask('three', false)).toBe(false);
	});

	it('does not end because an answer to an earlier request arrives late', async () => {
		const bench = new Bench();
		const first = await bench.choose();
		bench.keeper.reject(first, 'bad');
		const second = await bench.choose();
		bench.keeper.accept(first, 'good');

		expect(bench.keeper.reject(second, 'bad')).toBe(false);
		bench.keeper.accept(first, 'better');
		expect(bench.keeper.reject(second, 'bad')).toBe(false);
	});

	it('ends by the clock, whatever is done to the time of day', async () => {
		const bench = new Bench();
		await bench.ask('one', false);
		await bench.ask('two', false);
		await bench.choose();
		bench.aheadMs -= 2 * HOUR;

		bench.now = HALF_MINUTE - 1;
		expect(await bench.ask('one', false)).toBe(false);
		bench.now = HALF_MINUTE;
		expect(await bench.ask('one', false)).toBe(true);
		await bench.choose();
		bench.now += MINUTE - 1;
		expect(await bench.ask('one', false)).toBe(false);
		bench.now += 1;
		expect(await bench.ask('one', false)).toBe(true);
	});

	it('does not begin with credential tests, nor with exchanges for other nodes', async () => {
		const bench = new Bench();
		for (let count = 0; count < 3; count++) {
			await bench.keeper.renew(true, bench.exchange);
			await bench.keeper.replace(await bench.choose(), bench.exchange);
			bench.now += HALF_MINUTE;
		}

		expect(await bench.ask('one', false)).toBe(true);
		expect(await bench.ask('one', false)).toBe(true);
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
		'with %j is repeated after %d ms, also where the time of day is set back',
		async (failure, ms) => {
			const bench = new Bench();
			const ask = async () => await bench.keeper.renew(false, bench.fail(failure));
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

	it('is not repeated sooner because a credential test fails for another reason', async () => {
		const bench = new Bench();
		await bench.keeper.renew(false, bench.fail({ refused: true }));
		await bench.keeper.renew(true, bench.fail());

		bench.now = HALF_MINUTE - 1;
		await expect(bench.keeper.renew(false, bench.exchange)).resolves.toMatchObject({
			failure: { refused: true },
		});
		bench.now = HALF_MINUTE;
		await expect(bench.choose()).resolves.toMatchObject({ value: 'token 3' });
	});

	it('is forgotten after one that has succeeded', async () => {
		const bench = new Bench();
		await bench.keeper.renew(false, bench.fail({ refused: true }));
		await bench.keeper.renew(true, bench.exchange);
		bench.keeper.reject(await bench.choose(), 'one');

		await expect(bench.choose()).resolves.toMatchObject({ value: 'token 3' });
	});

	it('is not repeated for other nodes either', async () => {
		const bench = new Bench();
		const token = await bench.choose(bench.token('stored'));
		const first = await bench.keeper.replace(token, bench.fail({ refused: true }));

		expect(first?.failure).toBeDefined();
		await expect(bench.keeper.replace(token, bench.exchange)).resolves.toEqual(first);
		expect(bench.exchanges).toBe(1);
	});

	it('because of an exception does not keep the next one from being made', async () => {
		const bench = new Bench();
		const broken = bench.keeper.renew(false, async () => await Promise.reject(new Error('bug')));
		await expect(broken).rejects.toThrow('bug');

		await expect(bench.choose()).resolves.toMatchObject({ value: 'token 1' });
	});

	it('is no failure where the budget has held it', async () => {
		const bench = new Bench();
		const held = { isHeld: true } as const;

		await expect(
			bench.keeper.renew(false, async () => await Promise.resolve(held)),
		).resolves.toEqual(held);
		await expect(bench.choose()).resolves.toMatchObject({ value: 'token 1' });
	});
});

describe('a token for a request of another node that has failed', () => {
	it('is the newest one, where that is another than it carried', async () => {
		const bench = new Bench();
		const stored = await bench.choose(bench.token('stored', SECOND));
		bench.keeper.reject(stored, 'one');
		const newest = await bench.choose();

		await expect(bench.keeper.replace(stored, bench.exchange)).resolves.toEqual({ token: newest });
		expect(bench.exchanges).toBe(1);
	});

	it('is obtained once in half a minute', async () => {
		const bench = new Bench();
		const stored = await bench.choose(bench.token('stored', SECOND));

		const first = await bench.keeper.replace(stored, bench.exchange);
		expect(first?.token?.value).toBe('token 1');
		const token = await bench.choose();
		bench.now = HALF_MINUTE - 1;
		await expect(bench.keeper.replace(token, bench.exchange)).resolves.toBeUndefined();
		bench.now = HALF_MINUTE;
		const second = await bench.keeper.replace(token, bench.exchange);
		expect(second?.token?.value).toBe('token 2');
	});

	it('is none where the service issues the same one again', async () => {
		const bench = new Bench();
		const token = await bench.choose();
		bench.now = HALF_MINUTE;
		const replacing = async () =>
			await bench.keeper.replace(token, async () => await Promise.resolve({ token }));

		await expect(Promise.all([replacing(), replacing()])).resolves.toEqual([undefined, undefined]);
	});

	it('is that of the exchange under way', async () => {
		const bench = new Bench();
		const stored = await bench.choose(bench.token('stored', SECOND));
		bench.keeper.reject(stored, 'one');

		const [needed, replaced] = await Promise.all([
			bench.choose(),
			bench.keeper.replace(stored, bench.exchange),
		]);

		expect(replaced).toEqual({ token: needed });
		expect(bench.exchanges).toBe(1);
	});
});

describe('a token that is stored by another process', () => {
	it('is used if it is younger', async () => {
		const bench = new Bench();
		const older = bench.token('older', MINUTE);
		const younger = bench.token('younger', SECOND);

		await expect(bench.choose(older)).resolves.toBe(older);
		await expect(bench.choose(younger)).resolves.toBe(younger);
		await expect(bench.choose(older)).resolves.toBe(younger);
		await expect(bench.choose()).resolves.toBe(younger);
	});

	it('is not used if it has ended', async () => {
		const bench = new Bench();
		const ended = { ...bench.token('ended', MINUTE), endsAt: bench.timeOfDay };

		await expect(bench.choose(ended)).resolves.toMatchObject({ value: 'token 1' });

		const known = await bench.choose();
		bench.now = SECOND;
		const younger = { ...bench.token('younger'), endsAt: bench.timeOfDay };
		await expect(bench.choose(younger)).resolves.toBe(known);
	});

	it('is not used again once it was rejected, or another one has taken its place', async () => {
		const bench = new Bench();
		const first = bench.token('first', MINUTE);
		const second = bench.token('second', SECOND);
		await bench.choose(first);
		await bench.choose(second);

		expect(bench.keeper.reject(second, 'one')).toBe(true);

		for (const stored of [first, second]) {
			expect(bench.keeper.choose(stored)).toBeUndefined();
		}
	});

	it('does not take the place of a newer one if it is from the future', async () => {
		const bench = new Bench();
		const known = await bench.choose();

		await expect(bench.choose(bench.token('future', -2 * HOUR))).resolves.toBe(known);
	});

	it('takes the place of one that is from the future since the clock was set back', async () => {
		const bench = new Bench();
		await bench.choose(bench.token('future'));
		bench.aheadMs -= 2 * HOUR;
		const younger = bench.token('younger', SECOND);

		await expect(bench.choose(younger)).resolves.toBe(younger);
		await expect(bench.choose(bench.token('older', MINUTE))).resolves.toBe(younger);
	});

	it('is used where it is from the future and no other is known', async () => {
		const bench = new Bench();
		const future = bench.token('future', -2 * HOUR);

		await expect(bench.choose(future)).resolves.toBe(future);
	});
});

it('a token that has ended is renewed, unless a younger one is stored', async () => {
	const bench = new Bench();
	const endsAt = bench.timeOfDay + HOUR;
	await bench.choose({ ...bench.token('known'), endsAt });
	bench.now = 2 * HOUR;

	await expect(bench.choose()).resolves.toMatchObject({ value: 'token 1' });
	bench.now = 3 * HOUR;
	await expect(bench.choose(bench.token('stored', SECOND))).resolves.toMatchObject({
		value: 'stored',
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

	it('is bounded, however many documents are rejected with however many tokens', async () => {
		const bench = new Bench();
		for (let round = 0; round < 60; round++) {
			bench.now += MINUTE;
			await bench.ask('good', true);
			const token = await bench.choose();
			for (let index = 0; index < 1500; index++) {
				bench.keeper.reject(token, `site ${1500 * (round >> 1) + index}`);
			}
			await bench.ask('good', true);
		}

		expect(bench.exchanges).toBeGreaterThan(20);
		expect(sizeOf(bench.keeper)).toBeGreaterThan(1000);
		expect(sizeOf(bench.keeper)).toBeLessThan(2100);
	});

	it('is bounded, however many tokens there are', async () => {
		const bench = new Bench();
		for (let round = 0; round < 100; round++) {
			bench.now += MINUTE;
			await bench.ask('good', true);
			await bench.ask(`site ${round}`, false);
			await bench.choose();
			expect(sizeOf(bench.keeper)).toBeLessThan(30);
		}
		expect(bench.exchanges).toBe(101);

		for (let round = 0; round < 100; round++) {
			bench.now += MINUTE;
			await bench.choose({ ...bench.token('ending'), endsAt: bench.timeOfDay + 1 });
			await bench.choose(bench.token(`stored ${round}`));
			bench.now += MINUTE;
			await bench.keeper.renew(true, bench.exchange);
			expect(sizeOf(bench.keeper)).toBeLessThan(30);
		}
	});

	it('keeps the documents that were rejected last', async () => {
		const bench = new Bench();
		const documents = Array.from({ length: 600 }, (_, index) => `site ${index}`);
		const giveUp = async (names: string[]) => {
			for (let tokens = 0; tokens < 2; tokens++) {
				bench.now += MINUTE;
				await bench.ask('good', true);
				const token = await bench.choose();
				for (const name of names) bench.keeper.reject(token, name);
				await bench.ask('good', true);
			}
		};
		await giveUp(documents);
		await giveUp(documents.map((name) => `other ${name}`));

		expect(await bench.ask('other site 0', false)).toBe(false);
		expect(await bench.ask('site 599', false)).toBe(false);
		expect(await bench.ask('site 0', false)).toBe(true);
	});
});
