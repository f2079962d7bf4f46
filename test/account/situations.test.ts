import fc from 'fast-check';
import { MINUTE_MS, SECOND_MS } from '../../shared/duration';
import { play, type Happening, type History, type Service, type Setting } from './world';

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
	setting?: Setting;
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
		setting: { keepsOneSession: true },
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
		setting: { keepsOneSession: true },
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
		setting: { keepsOneSession: true },
		holds: ({ requests: outcomes, others: otherOutcomes }) =>
			[...outcomes, ...otherOutcomes].every((outcome) => outcome === 'read'),
	},
};

describe('whatever happens', () => {
	it.each(Object.entries(INVARIANTS))('%s', async (_name, { happenings, setting, holds }) => {
		await fc.assert(
			fc.asyncProperty(happenings, async (sequence) => {
				const history = await play(sequence, setting);
				expect(history.mostTokens).toBeLessThanOrEqual(4);
				if (!holds(history)) throw new Error(JSON.stringify(history));
			}),
			{ seed: 20_250_101, numRuns: 40 },
		);
	});
});

/** 300 documents, each of which takes about 0.6 seconds. */
const RUN: Happening = {
	kind: 'requests',
	documents: 300,
	answersMs: [600, 500, 700],
	concurrency: 10,
};
const countOf = (list: readonly string[], value: string) =>
	list.filter((each) => each === value).length;

const FORBIDDEN = {
	'every third': (index: number) => index % 3 === 0,
	'the first hundred': (index: number) => index < 100,
	'the last hundred': (index: number) => index >= 200,
	'a hundred here and there': (index: number) => (index * 7919) % 300 < 100,
};

/** Which of 300 documents are forbidden. */
const forbid = (isForbidden: (index: number) => boolean) =>
	serviceThat({ rejects: Array.from({ length: 300 }, (_, index) => index).filter(isForbidden) });

describe.each(Object.entries(FORBIDDEN))('of 300 documents, %s are forbidden', (_which, which) => {
	it.each([
		[Infinity, 4],
		[100, 5],
		[30, 7],
		[10, 8],
		[5, 9],
	])('at %d requests a minute, %d logins are enough', async (requestsPerMinute, most) => {
		const { exchanges, requests: outcomes } = await play([forbid(which), RUN], {
			requestsPerMinute,
		});

		expect(exchanges.length).toBeLessThanOrEqual(most);
		expect(countOf(outcomes, 'read')).toBe(200);
		expect(countOf(outcomes, 'rejected')).toBe(100);
	});

	it.each([100, 30, 10])(
		'and the session ends once, at %d requests a minute: four of the others are lost at most',
		async (requestsPerMinute) => {
			const halfway = pause((150 / requestsPerMinute) * MINUTE_MS);
			const { requests: outcomes } = await play([forbid(which), RUN, halfway, REVOKE], {
				requestsPerMinute,
			});

			expect(countOf(outcomes, 'read')).toBeGreaterThanOrEqual(196);
			expect(outcomes).not.toContain('session ended');
		},
	);
});

it.each([
	[100, 20],
	[100, 60],
	[30, 60],
	[10, 120],
])(
	'at %d requests a minute, a session that ends every %d seconds costs no document',
	async (requestsPerMinute, seconds) => {
		const ends = Math.ceil(((300 / requestsPerMinute) * 60) / seconds);
		const { requests: outcomes } = await play(
			[RUN, ...Array.from({ length: ends }, () => [pause(seconds * SECOND_MS), REVOKE]).flat()],
			{ requestsPerMinute },
		);

		expect(countOf(outcomes, 'read')).toBe(300);
	},
);

it('an HTTP Request node that fails each minute does not repeat a refused login each minute', async () => {
	const eachMinute: Happening[] = [
		{ kind: 'others', count: 1, answerMs: 10, outcome: 'succeed' },
		pause(MINUTE_MS),
	];
	const { refusals } = await play([
		SHORT,
		pause(MINUTE_MS),
		REVOKE,
		serviceThat({ logins: 'are refused' }),
		...Array.from({ length: 50 }, () => eachMinute).flat(),
	]);

	expect(refusals.length).toBeLessThanOrEqual(8);
});

it('an HTTP Request node that fails each minute for a reason of its own keeps no site from a new token', async () => {
	const failing: Happening[] = Array.from({ length: 20 }, (): Happening[] => [
		{ kind: 'others', count: 1, answerMs: 10, outcome: 'fail' },
		pause(MINUTE_MS),
	]).flat();
	const { requests: outcomes } = await play([SHORT, ...failing, REVOKE, SHORT]);

	expect(outcomes).toEqual(Array.from({ length: 10 }, () => 'read'));
});
