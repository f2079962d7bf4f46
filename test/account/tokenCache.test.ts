import fc from 'fast-check';
import type { IssuedToken } from '../../account/issuedToken';
import { TokenCache, type ExchangeFailure, type ExchangeOutcome } from '../../account/tokenCache';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/duration';
import { play, type Happening, type History, type Service } from './world';

const HALF_MINUTE_MS = MINUTE_MS / 2;

const REVOKE: Happening = { kind: 'revoke' };
const TEST: Happening = { kind: 'test' };
const SHORT: Happening = { kind: 'requests', documents: 5, answersMs: [20] };
const pause = (ms: number): Happening => ({ kind: 'wait', ms });
const serviceThat = (service: Partial<Service>): Happening => ({ kind: 'service', ...service });

const requests = fc
	.record({
		answersMs: fc.array(fc.integer({ min: 5, max: 300 }), { minLength: 1, maxLength: 30 }),
		concurrency: fc.integer({ min: 1, max: 20 }),
	})
	.map(({ answersMs, concurrency }) => {
		const documents = Math.min(20, answersMs.length);
		return {
			kind: 'requests' as const,
			documents,
			answersMs,
			concurrency: Math.min(concurrency, documents),
		};
	});
const requestsOfProcesses = fc
	.tuple(requests, fc.nat(1))
	.map(([burst, process]) => ({ ...burst, process }));
const others = fc.record({
	kind: fc.constant('others' as const),
	count: fc.integer({ min: 1, max: 5 }),
	answerMs: fc.integer({ min: 5, max: 300 }),
	outcome: fc.constantFrom('succeed' as const, 'fail' as const),
});
const wait = fc
	.oneof(
		fc.integer({ min: 1, max: 100 }),
		fc.integer({ min: 100, max: 3000 }),
		fc.integer({ min: 3000, max: 40_000 }),
	)
	.map(pause);
const revoke = fc.constant(REVOKE);
const test = fc.constant(TEST);
const rejects = fc
	.constantFrom<Array<Service['rejects']>>([], [0], [1, 3, 5, 7, 9], 'every third', 'all')
	.map((rejected) => serviceThat({ rejects: rejected }));
const logins = fc
	.constantFrom<Array<Service['logins']>>('succeed', 'are refused', 'fail')
	.map((outcome) => serviceThat({ logins: outcome }));

/** The most of the times that lie within one span of that length. */
function mostWithin(span: number, times: readonly number[]): number {
	return Math.max(
		0,
		...times.map((from) => times.filter((at) => at >= from && at < from + span).length),
	);
}

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

const HOT = [SHORT, pause(SECOND_MS), REVOKE];

interface Invariant {
	happenings: fc.Arbitrary<Happening[]>;
	service?: Partial<Service>;
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
	'at a service that rejects everything, the pauses between the exchanges grow to half an hour': {
		happenings: rounds([50, 50], burstAndMs(SECOND_MS, 3 * MINUTE_MS), ([burst, ms]) => [
			serviceThat({ rejects: 'all' }),
			burst,
			pause(ms),
		]),
		holds: ({ exchanges }) => {
			const pauses = exchanges.slice(1).map(({ at }, index) => at - (exchanges[index]?.at ?? 0));
			const shortest = (index: number) => Math.min(30 * MINUTE_MS, HALF_MINUTE_MS * 2 ** index);
			return (
				pauses.length >= 4 &&
				Math.max(...pauses) < 34 * MINUTE_MS &&
				pauses.slice(1).every((ms, index) => ms >= shortest(index))
			);
		},
	},
	'at most four logins of a process succeed in half a minute, unless the credential is tested': {
		happenings: anyOf(requestsOfProcesses, others, wait, revoke, revoke, rejects, logins),
		service: { keepsOneSession: true },
		holds: ({ exchanges }) =>
			[0, 1].every((own) => {
				const made = exchanges.filter((each) => each.process === own && each.hasSucceeded);
				const times = made.map(({ at }) => at);
				return mostWithin(HALF_MINUTE_MS, times) <= 4;
			}),
	},
	'a refused login is not repeated for half a minute, except by a test': {
		happenings: everything,
		holds: ({ exchanges, refusals }) =>
			exchanges.every(({ at, isTest }, index) => {
				const lastSuccess = exchanges.slice(0, index).findLast(({ hasSucceeded }) => hasSucceeded);
				const mayFollow = (refusal: number) =>
					at < refusal || at >= refusal + HALF_MINUTE_MS || (lastSuccess?.at ?? -1) >= refusal;
				return isTest || refusals.every(mayFollow);
			}),
	},
	'a test makes an exchange of its own, or shares the one under way': {
		happenings: everything,
		holds: ({ tests }) => !tests.includes(false),
	},
	'every request is read where logins succeed and revocations are half a minute apart': {
		happenings: rounds([1, 8], burstAndMs(1, 2000), ([burst, ms]) => [
			burst,
			pause(ms),
			burst,
			pause(HALF_MINUTE_MS + SECOND_MS),
			REVOKE,
		]),
		holds: areRead,
	},
	'a token that was accepted and dies at once is renewed, whichever document meets it first': {
		happenings: rounds([1, 3], burstAndMs(1, 250), ([burst, ms]) => [
			{ kind: 'requests', documents: 3, answersMs: [5, 15] },
			pause(ms + 100),
			REVOKE,
			burst,
			pause(20_000),
			burst,
		]),
		holds: areRead,
	},
	'where the service forgets its tokens right after a login, the same execution recovers': {
		happenings: fc
			.tuple(requests, fc.boolean())
			.map(([burst, isHot]) => [...(isHot ? HOT : []), serviceThat({ forgets: 1 }), burst]),
		holds: areRead,
	},
	'where it forgets them several times, the same documents are read minutes later': {
		happenings: fc
			.tuple(requests, fc.boolean(), fc.integer({ min: 2, max: 3 }))
			.map(([burst, isHot, forgets]) => [
				...(isHot ? HOT : []),
				serviceThat({ forgets }),
				...[burst, pause(MINUTE_MS), burst, pause(3 * MINUTE_MS)],
				...[burst, pause(MINUTE_MS), SHORT],
			]),
		holds: ({ requests: outcomes }) => outcomes.slice(-5).every((outcome) => outcome === 'read'),
	},
	'requests of other nodes are read where revocations are half a minute apart': {
		happenings: rounds([1, 6], fc.tuple(others, fc.boolean()), ([burst, isTested]) => [
			{ ...burst, outcome: 'succeed' },
			pause(HALF_MINUTE_MS + SECOND_MS),
			isTested ? TEST : REVOKE,
			pause(SECOND_MS),
		]),
		service: { keepsOneSession: true },
		holds: ({ others: outcomes }) => outcomes.every((outcome) => outcome === 'read'),
	},
	'a token that dies soon after a test is renewed': {
		happenings: fc
			.tuple(fc.integer({ min: 1, max: 3000 }), fc.nat(5), fc.boolean())
			.map(([ms, tests, isOther]): Happening[] => [
				...Array.from({ length: tests + 1 }, () => [TEST, pause(200)]).flat(),
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
			{ seed: 20_250_101, numRuns: 40 },
		);
	});
});

/** Tokens that another process has stored. Times are in milliseconds. */
const STORED: Record<string, { ageMs: number; leftMs?: number }> = {
	older: { ageMs: MINUTE_MS },
	younger: { ageMs: SECOND_MS },
	present: { ageMs: 0 },
	future: { ageMs: -2 * HOUR_MS },
	ended: { ageMs: SECOND_MS, leftMs: 0 },
	ending: { ageMs: 0, leftMs: HOUR_MS },
	short: { ageMs: 0, leftMs: 20 * SECOND_MS },
};

/** A cache whose time stands still unless it is moved, and the exchanges that it makes. */
class Bench {
	now = 0;

	/** How much the time of day is ahead of the clock. */
	aheadMs = 1_767_225_600_000;

	exchanges = 0;

	/** How long a token lasts, as far as the service says. */
	lifetimeMs: number | undefined;

	private first: IssuedToken | undefined;

	readonly cache = new TokenCache(
		() => this.now,
		() => this.timeOfDay,
	);

	private readonly actions: Record<string, () => Promise<unknown>> = {
		token: async () => await this.choose(),
		login: async () => await this.renew(false),
		test: async () => {
			await this.renew(false);
			this.cache.noteCredentialTest();
		},
		other: async () => {
			if (this.cache.isWorthReplacing(await this.choose())) await this.renew(false);
		},
		back: async () => await Promise.resolve((this.aheadMs -= 2 * HOUR_MS)),
	};

	get timeOfDay(): number {
		return this.now + this.aheadMs;
	}

	token(value: string, ageMs = 0, leftMs = this.lifetimeMs): IssuedToken {
		const issuedAt = this.timeOfDay - ageMs;
		return { value, issuedAt, ...(leftMs !== undefined && { endsAt: this.timeOfDay + leftMs }) };
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

	async renew(counts: boolean, exchange = this.exchange): Promise<ExchangeOutcome> {
		return await this.cache.renew(exchange, { counts });
	}

	/** The token with which a request is signed. */
	async choose(stored?: IssuedToken): Promise<IssuedToken> {
		const chosen = this.cache.choose(stored);
		if (chosen) return chosen;
		const { token } = await this.renew(true);
		if (!token) throw new Error('There is no token');
		this.first ??= token;
		return token;
	}

	/**
	 * Plays a script, and expects it to come out as it is written. Its steps:
	 * - `+one` a document that is accepted, `-one` one whose rejection stands, `-one!` one that is rejected and worth asking
	 *   for again, `-one?` one whose rejection stands because another login keeps ending the session; `first+one`, `first-one!` the same with the first token;
	 * - `older=older` a choice while {@link STORED} "older" is stored, and what is chosen; `none` is no token;
	 * - `test` a credential test, `login` the exchange of one alone, `other` a failed request of another node, `token` a
	 *   token for a request;
	 * - `30s` time passes; `back` the time of day is set back by two hours.
	 */
	async expect(script: string): Promise<void> {
		const played: string[] = [];
		for (const step of script.split(' ')) played.push(await this.play(step));
		expect(played.join(' ')).toBe(script);
	}

	private async play(step: string): Promise<string> {
		const [, stored] = /^(\w+)=/.exec(step) ?? [];
		if (stored) return `${stored}=${this.cache.choose(this.stored(stored))?.value ?? 'none'}`;
		const [, first = '', sign, document = ''] = /^(first)?([+-])(\w+)/.exec(step) ?? [];
		if (!sign) {
			this.now += Math.round(1000 * (Number.parseFloat(step) || 0));
			await this.actions[step]?.();
			return step;
		}
		const token = (first && this.first) || (await this.choose());
		if (sign === '-') {
			const signs = { again: '!', final: '', contested: '?' };
			return `${first}-${document}${signs[this.cache.reject(token, document)]}`;
		}
		this.cache.confirm(token, document);
		return step;
	}

	private stored(name: string): IssuedToken | undefined {
		const { ageMs, leftMs } = STORED[name] ?? {};
		return name === 'none' ? undefined : this.token(name, ageMs, leftMs);
	}
}

let bench: Bench;

beforeEach(() => {
	bench = new Bench();
});

/** A document that is rejected with one token and the next, while another is accepted. */
const DENIED = '+good -bad! +good -bad';

it.each<[string, string, number]>([
	[
		'a document that is rejected with two tokens costs no further login for an hour, whoever has obtained the next one',
		`${DENIED} 3599.999s -bad younger=younger -bad`,
		2,
	],
	[
		'a document that is rejected with two tokens costs another login after an hour',
		`${DENIED} 3600s -bad! +good -bad -bad`,
		3,
	],
	[
		'a document that is rejected with two tokens is one like others once it was accepted',
		`${DENIED} +bad -bad!`,
		2,
	],
	[
		'a document that is rejected with two tokens is one like others after a credential test',
		`${DENIED} test +good -bad!`,
		3,
	],
	[
		'a document that is rejected with two tokens does not keep others from a new one',
		`${DENIED} -good!`,
		2,
	],
	[
		'a rejection that arrives late denies the document where it is rejected with the next token, too',
		'+good -good! +good first-late! -late',
		2,
	],
	[
		'a rejection that arrives while there is no token denies the document, too',
		'token -good! first-late! +good -late',
		2,
	],
	[
		'a rejection that arrives after a credential test denies no document',
		'token -good! first-late! test +good -late!',
		2,
	],
	[
		'at most four exchanges in half a minute are made because tokens are rejected',
		'1s +good -one! 1s +good -two! 1s +good -three! 1s +good -four 26.999s -five 0.001s -five!',
		4,
	],
	[
		'the backoff after tokens that were not accepted ends with a credential test',
		'-one! -two -three test -one! -two! -three',
		5,
	],
	[
		'the backoff ends with a token that is accepted',
		'-one! -two -three +four -three! -four! -three',
		4,
	],
	[
		'the backoff does not end because an answer to an earlier request arrives late',
		'token -bad! token first+good -other',
		2,
	],
	[
		'the backoff ends by the clock, whatever is done to the time of day',
		'-one! -two back 29.999s -one 0.001s -one! token 59.999s -one 0.001s -one!',
		3,
	],
	[
		'the backoff does not begin with credential tests, nor with exchanges for other nodes',
		'login 30s other login 30s other login 30s other 30s -one! -one!',
		7,
	],
])('%s', async (_name, script, exchanges) => {
	await bench.expect(script);

	expect(bench.exchanges).toBe(exchanges);
});

it.each([
	['is used if it is younger', 'older=older younger=younger older=younger none=younger'],
	[
		'is used up to a tenth of its lifetime before its end',
		'short=short 17.999s none=short 0.001s none=none',
	],
	['is not used if it has ended', 'ended=none older=older ended=older'],
	[
		'is used where the known one ends in ten seconds',
		'ending=ending 3589.999s none=ending 0.001s none=none younger=younger',
	],
	[
		'is not used again once it was rejected, or another one has taken its place',
		'older=older younger=younger -one! older=none younger=none',
	],
	[
		'is used from the future only where no other is known',
		'future=future younger=younger future=younger',
	],
	[
		'takes the place of one that is from the future since the clock was set back',
		'present=present back younger=younger older=younger',
	],
])('a token that is stored by another process %s', async (_name, script) => {
	await bench.expect(script);
});

it('tokens that end at once cost four exchanges in half a minute, and the last one is used on', async () => {
	bench.lifetimeMs = SECOND_MS;
	await bench.expect(Array.from({ length: 290 }, () => '+site 0.1s').join(' '));
	expect(bench.cache.isWorthReplacing(await bench.choose())).toBe(false);
	expect(bench.exchanges).toBe(4);

	await bench.expect('5s +site');
	expect(bench.exchanges).toBe(5);
});

it('an exchange that is under way serves all who need one, and is known to them', async () => {
	const renewals = [bench.renew(true), bench.renew(true)];

	expect(bench.cache.renewal).toBeDefined();
	const [first, second] = await Promise.all(renewals);
	expect(second).toEqual(first);
	expect(bench.exchanges).toBe(1);
	expect(bench.cache.renewal).toBeUndefined();
});

describe('a login that has failed', () => {
	it.each<[Partial<ExchangeFailure>, number]>([
		[{}, 5 * SECOND_MS],
		[{ waitMs: 1 }, 5 * SECOND_MS],
		[{ waitMs: MINUTE_MS }, MINUTE_MS],
		[{ waitMs: HOUR_MS }, 5 * MINUTE_MS],
		[{ loginRefused: true }, HALF_MINUTE_MS],
		[{ loginRefused: true, waitMs: MINUTE_MS }, HALF_MINUTE_MS],
	])('with %j is not retried for %d ms, whatever the time of day', async (failure, ms) => {
		const first = await bench.renew(true, bench.fail(failure));

		await bench.expect('back');
		bench.now = ms - 1;
		expect(bench.cache.currentFailure()).toEqual(first.failure);
		bench.now = ms;
		expect(bench.cache.currentFailure()).toBeUndefined();
	});

	it('because it was refused is retried ever more rarely, up to once an hour', async () => {
		const times: number[] = [];
		for (; bench.now < 48 * HOUR_MS; bench.now += SECOND_MS) {
			if (bench.cache.currentFailure()) continue;
			times.push(bench.now);
			await bench.renew(true, bench.fail({ loginRefused: true }));
		}

		const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
		expect(pauses.slice(0, 9).map((ms) => ms / HALF_MINUTE_MS)).toEqual([
			1, 2, 4, 8, 16, 32, 64, 120, 120,
		]);
		const day = 24 * HOUR_MS;
		expect(times.filter((at) => at < day).length).toBeLessThanOrEqual(31);
		expect(times.filter((at) => at >= day)).toHaveLength(24);
	});

	it('because it was refused begins again once one has succeeded', async () => {
		for (let count = 0; count < 5; count++)
			await bench.renew(true, bench.fail({ loginRefused: true }));
		await bench.renew(false);
		await bench.renew(true, bench.fail({ loginRefused: true }));

		bench.now += HALF_MINUTE_MS;
		expect(bench.cache.currentFailure()).toBeUndefined();
	});

	it('is retried neither sooner nor later because a credential test fails', async () => {
		await bench.renew(true, bench.fail({ loginRefused: true }));
		await bench.renew(false, bench.fail());
		await bench.renew(false, bench.fail({ loginRefused: true }));

		bench.now = HALF_MINUTE_MS - 1;
		expect(bench.cache.currentFailure()).toMatchObject({ loginRefused: true });
		bench.now = HALF_MINUTE_MS;
		expect(bench.cache.currentFailure()).toBeUndefined();
	});

	it('is forgotten after one that has succeeded', async () => {
		await bench.renew(true, bench.fail({ loginRefused: true }));

		await bench.expect('test -one! +one');
	});

	it('is not retried for other nodes either', async () => {
		const token = await bench.choose(bench.token('stored', HOUR_MS));
		await bench.renew(false, bench.fail({ loginRefused: true }));

		expect(bench.cache.isWorthReplacing(token)).toBe(false);
	});

	it.each<[string, () => Promise<ExchangeOutcome>]>([
		['by an exception', async () => await Promise.reject(new Error('bug'))],
		['because there were too many requests', async () => await Promise.resolve({})],
	])('%s is retried at once', async (_name, exchange) => {
		await bench.renew(true, exchange).catch(() => undefined);

		await expect(bench.choose()).resolves.toMatchObject({ value: 'token 1' });
	});
});

it.each([
	['where two logins have mended a rejection', '+a -b! +b 30s +a -c! +c 30s -d! +a -d?'],
	['but not where that was long ago', '+a -b! +b 30s +a -c! +c 300s -d! +a -d'],
	['nor where one login has', '+a -b! +b 30s -d! +a -d'],
])('another login seems to end the session %s', async (_name, script) => {
	await bench.expect(script);
});

describe('documents that the account may not read', () => {
	/** The first two cost a login each. */
	const UNMENDED = '+good -one! +good -one 30s -two! +good -two';

	it.each([
		['the third one is believed without a login', `${UNMENDED} -three +good -four`, 3],
		['also after hours, while others are accepted', `${UNMENDED} 7200s +good -three -four`, 3],
		['but not where nothing was accepted for a while', `${UNMENDED} 30s +good 10s -three!`, 3],
		[
			'nor is it remembered: it may have been the token',
			`${UNMENDED} 30s +good -three 60s -three!`,
			3,
		],
		[
			'so many are believed in a row; then the token may have been revoked',
			`${UNMENDED} 30s +good -a -b -c -d -e -f!`,
			3,
		],
		[
			'another one is not, once a login has mended a rejection',
			`${UNMENDED} 30s +good -a +good -b -c -d -e -f -g! +g +good -h!`,
			4,
		],
		['another one is not after a credential test', `${UNMENDED} 30s test +good -three!`, 4],
	])('where logins did not mend two: %s', async (_name, script, exchanges) => {
		await bench.expect(script);

		expect(bench.exchanges).toBe(exchanges);
	});
});

it.each<[string, (index: number) => boolean, number]>([
	['every third', (index) => index % 3 === 0, 10],
	['every third, one at a time', (index) => index % 3 === 0, 1],
	['the first hundred', (index) => index < 100, 10],
	['the last hundred', (index) => index >= 200, 10],
	['a hundred here and there', (index) => (index * 7919) % 300 < 100, 10],
])(
	'where %s of 300 documents may not be read, four logins are enough',
	async (_which, isRejected, concurrency) => {
		const all = Array.from({ length: 300 }, (_, index) => index);
		const { exchanges, requests: outcomes } = await play([
			serviceThat({ rejects: all.filter(isRejected) }),
			{ kind: 'requests', documents: 300, answersMs: [600, 500, 700], concurrency },
		]);

		expect(exchanges.length).toBeLessThanOrEqual(4);
		expect(outcomes.filter((outcome) => outcome === 'read')).toHaveLength(200);
		expect(outcomes.filter((outcome) => outcome === 'rejected')).toHaveLength(100);
	},
);

describe('a request of another node that has failed', () => {
	const isWorthReplacing = (token: IssuedToken) => bench.cache.isWorthReplacing(token);

	it('is sent again with a token that another request has obtained', async () => {
		const carried = await bench.choose(bench.token('stored', MINUTE_MS));
		await bench.renew(true);

		expect(isWorthReplacing(carried)).toBe(true);
		expect(isWorthReplacing(carried)).toBe(true);
		expect(bench.cache.choose(undefined, carried.value)?.value).toBe('token 1');
	});

	it('is worth an exchange once in half a minute, which serves all that have failed with the same token', async () => {
		const carried = await bench.choose(bench.token('stored', MINUTE_MS));

		expect(isWorthReplacing(carried)).toBe(true);
		expect(isWorthReplacing(carried)).toBe(true);
		expect(bench.cache.choose(undefined, carried.value)).toBeUndefined();
		// Some services answer a login with the token that they have issued before.
		await bench.renew(false, async () => await Promise.resolve({ token: carried }));
		bench.now = HALF_MINUTE_MS - 1;
		expect(isWorthReplacing(carried)).toBe(false);
		bench.now = HALF_MINUTE_MS;
		expect(isWorthReplacing(carried)).toBe(true);
	});

	it('is not sent again where its token is younger than half a minute, unless the credential was tested', async () => {
		const carried = await bench.choose();

		bench.now = HALF_MINUTE_MS - 1;
		expect(isWorthReplacing(carried)).toBe(false);
		bench.cache.noteCredentialTest();
		expect(isWorthReplacing(carried)).toBe(true);
	});
});

describe('memory', () => {
	/** How many elements there are in everything that an object holds. */
	function sizeOf(object: object): number {
		if (object instanceof Map || object instanceof Set) return object.size;
		if (Array.isArray(object)) return object.length;
		return Object.values(object)
			.filter((value) => typeof value === 'object' && value !== null)
			.reduce((sum, value) => sum + sizeOf(value as object), 0);
	}

	/** Each document is rejected with the same token, which was accepted before and is accepted later. */
	async function reject(name: string, count: number): Promise<void> {
		await bench.expect('60s +good');
		const token = await bench.choose();
		for (let index = 0; index < count; index++) bench.cache.reject(token, `${name} ${index}`);
		await bench.expect('+good');
	}

	it('is bounded, however many documents are rejected with however many tokens', async () => {
		for (let round = 0; round < 60; round++) await reject(`site ${round >> 1}`, 1500);

		expect(bench.exchanges).toBeGreaterThan(20);
		expect(sizeOf(bench.cache)).toBeGreaterThan(1000);
		expect(sizeOf(bench.cache)).toBeLessThan(2100);
	});

	it('is bounded, however many tokens there are', async () => {
		for (let round = 0; round < 100; round++) {
			await reject(`site ${round}`, 1);
			await bench.choose(bench.token(`stored ${round}`));
			await bench.expect('60s login');
			expect(sizeOf(bench.cache)).toBeLessThan(30);
		}
		expect(bench.exchanges).toBeGreaterThan(100);
	});

	it('keeps the documents that were rejected last', async () => {
		for (const name of ['early', 'early', 'late', 'late']) await reject(name, 600);

		const token = await bench.choose();
		const isAskedAgain = (document: string) => bench.cache.reject(token, document) === 'again';
		// So many others are believed without a look.
		['a', 'b', 'c', 'd', 'e'].map(isAskedAgain);
		expect(['late 10', 'early 599', 'early 10'].map(isAskedAgain)).toEqual([false, false, true]);
	});
});
