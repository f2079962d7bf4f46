import fc from 'fast-check';
import { TokenKeeper } from '../../../credentials/token/tokenKeeper';
import { loadMutant } from './mutant';
import { play, type Happening, type History } from './world';

const HALF_MINUTE = 30_000;

const requests = fc.record({
	kind: fc.constant('requests' as const),
	count: fc.integer({ min: 1, max: 20 }),
	answerMs: fc.integer({ min: 5, max: 300 }),
});
const wait = fc.record({
	kind: fc.constant('wait' as const),
	ms: fc.oneof(
		fc.integer({ min: 1, max: 100 }),
		fc.integer({ min: 100, max: 3000 }),
		fc.integer({ min: 3000, max: 40_000 }),
	),
});
const revoke = fc.constant<Happening>({ kind: 'revoke' });
const test = fc.constant<Happening>({ kind: 'test' });
const rejects = fc.record({
	kind: fc.constant('rejects' as const),
	what: fc.constantFrom('none' as const, 'every second' as const, 'all' as const),
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

/** Exchanges that no test asked for. */
const untested = ({ exchanges }: History) => exchanges.filter(({ isTest }) => !isTest);

/** Bursts of requests, seconds apart, at a service that rejects some or all of them. */
function rejectedBursts(what: 'every second' | 'all'): fc.Arbitrary<Happening[]> {
	return fc
		.array(fc.tuple(requests, fc.integer({ min: 300, max: 3000 })), {
			minLength: 10,
			maxLength: 20,
		})
		.map((bursts) => [
			{ kind: 'rejects', what },
			...bursts.flatMap(([burst, ms]): Happening[] => [burst, { kind: 'wait', ms }]),
		]);
}

interface Invariant {
	happenings: fc.Arbitrary<Happening[]>;
	holds: (history: History, happenings: Happening[]) => boolean;
	/** Lines of the keeper, each of which the invariant needs, with what takes their place when they are lost. */
	guards: Array<[line: string, without: string]>;
}

const everything = fc.array(
	fc.oneof(requests, requests, wait, wait, revoke, test, rejects, logins),
	{
		minLength: 2,
		maxLength: 30,
	},
);

const INVARIANTS: Record<string, Invariant> = {
	'exchanges never overlap': {
		happenings: everything,
		holds: ({ exchanges }) => exchanges.every(({ others }) => others === 0),
		guards: [['if (this.underWay) return await this.underWay;', '']],
	},
	'no exchange is made while the service accepts the token that is known': {
		happenings: fc.array(fc.oneof(requests, requests, wait, revoke, logins), {
			minLength: 2,
			maxLength: 30,
		}),
		holds: ({ exchanges }) => exchanges.every(({ wasNeedless }) => !wasNeedless),
		guards: [['if (token && !mayHelp) return { token };', '']],
	},
	'a service that rejects everything costs an execution two exchanges at most': {
		happenings: fc
			.tuple(
				fc.integer({ min: 5, max: 200 }),
				fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 100 })), {
					minLength: 10,
					maxLength: 60,
				}),
			)
			.map(([answerMs, bursts]) => [
				{ kind: 'rejects', what: 'all' } as Happening,
				...bursts.flatMap(([count, ms]): Happening[] => [
					{ kind: 'requests', count, answerMs },
					{ kind: 'wait', ms },
				]),
			]),
		holds: (history) => history.exchanges.length <= 2,
		guards: [
			['return isProven && this.earlyRenewals.length < MAX_EARLY_RENEWALS;', 'return true;'],
			['if (!isProven) this.witness = undefined;', ''],
			['Math.max(PROVEN_AFTER_MS, 3 * answerTime)', '0'],
		],
	},
	'a service that rejects everything costs a few exchanges in half a minute at most': {
		happenings: rejectedBursts('all'),
		holds: (history) =>
			mostWithin(
				HALF_MINUTE,
				untested(history).map(({ at }) => at),
			) <= 6,
		guards: [['this.earlyRenewals.length < MAX_EARLY_RENEWALS', 'true']],
	},
	'a service that rejects some requests costs a few exchanges in half a minute': {
		happenings: rejectedBursts('every second'),
		holds: (history) =>
			mostWithin(
				HALF_MINUTE,
				untested(history).map(({ at }) => at),
			) <= 6,
		guards: [['this.earlyRenewals.length < MAX_EARLY_RENEWALS', 'true']],
	},
	'a refused login is not repeated for half a minute, except by a test': {
		happenings: everything,
		holds: ({ exchanges, refusals }) =>
			exchanges.every(
				({ at, isTest }) =>
					isTest || refusals.every((refusal) => at < refusal || at >= refusal + HALF_MINUTE),
			),
		guards: [
			['if (failure) return { failure };', ''],
			['if (refused) return REFUSAL_PAUSE_MS;', ''],
		],
	},
	'a test makes an exchange of its own, or shares the one under way': {
		happenings: everything,
		holds: ({ tests }) =>
			tests.every(
				({ exchangesBefore, exchangesAfter }) =>
					exchangesBefore === -1 || exchangesAfter > exchangesBefore,
			),
		guards: [['if (!isTest) {', '{']],
	},
	'every request is read where logins succeed and revocations are half a minute apart': {
		happenings: fc
			.array(fc.tuple(requests, fc.integer({ min: 1, max: 2000 })), { minLength: 1, maxLength: 8 })
			.map((rounds) =>
				rounds.flatMap(([burst, ms]): Happening[] => [
					burst,
					{ kind: 'wait', ms },
					burst,
					{ kind: 'wait', ms: HALF_MINUTE + 1000 },
					{ kind: 'revoke' },
				]),
			),
		holds: (history) => history.requests.every((outcome) => outcome === 'read'),
		guards: [
			['this.use(outcome.token);', ''],
			['this.underWay = undefined;', ''],
		],
	},
	'a token that has been used is renewed, although it is young': {
		happenings: fc
			.array(fc.integer({ min: 400, max: 2000 }), { minLength: 1, maxLength: 3 })
			.map((uses) =>
				uses.flatMap((ms): Happening[] => [
					{ kind: 'requests', count: 5, answerMs: 20 },
					{ kind: 'wait', ms: 200 },
					{ kind: 'requests', count: 5, answerMs: 20 },
					{ kind: 'wait', ms },
					{ kind: 'revoke' },
					{ kind: 'requests', count: 20, answerMs: 20 },
					{ kind: 'wait', ms: 200 },
				]),
			),
		holds: (history) => history.requests.every((outcome) => outcome === 'read'),
		guards: [
			['return isProven && this.earlyRenewals.length < MAX_EARLY_RENEWALS;', 'return false;'],
			['this.witness ??= signature;', ''],
		],
	},
	'a token that dies soon after a test is renewed': {
		happenings: fc
			.integer({ min: 1, max: 3000 })
			.map((ms): Happening[] => [
				{ kind: 'test' },
				{ kind: 'wait', ms: 100 },
				{ kind: 'revoke' },
				{ kind: 'wait', ms },
				{ kind: 'requests', count: 5, answerMs: 20 },
			]),
		holds: (history) => history.requests.every((outcome) => outcome === 'read'),
		guards: [['this.exchangedAt = -Infinity;', '']],
	},
	'a login that failed for a moment is tried again after a while': {
		happenings: fc.constant<Happening[]>([
			{ kind: 'logins', outcome: 'fail' },
			{ kind: 'requests', count: 3, answerMs: 20 },
			{ kind: 'wait', ms: 1000 },
			{ kind: 'logins', outcome: 'succeed' },
			{ kind: 'wait', ms: 5000 },
			{ kind: 'requests', count: 3, answerMs: 20 },
		]),
		holds: (history) => history.requests.filter((outcome) => outcome === 'read').length === 3,
		guards: [['this.pause && this.clock() < this.pause.endsAt', 'this.pause']],
	},
};

function check(Keeper: typeof TokenKeeper, { happenings, holds }: Invariant) {
	const property = fc.asyncProperty(happenings, async (sequence) =>
		holds(await play(Keeper, sequence), sequence),
	);
	return fc.check(property, { numRuns: 300, seed: 20_250_101 });
}

describe.each(Object.entries(INVARIANTS))('%s', (_name, invariant) => {
	it('whatever happens', async () => {
		const { failed, counterexample } = await check(TokenKeeper, invariant);

		expect({ failed, counterexample }).toEqual({ failed: false, counterexample: null });
	});

	it.each(invariant.guards)('but not without: %s', async (line, without) => {
		const { TokenKeeper: Mutant } = await loadMutant<{ TokenKeeper: typeof TokenKeeper }>(
			'tokenKeeper.ts',
			{ file: 'tokenKeeper.ts', line, without },
		);

		await expect(check(Mutant, invariant)).resolves.toMatchObject({ failed: true });
	});
});

describe('a token that is stored by another process', () => {
	const exchanged = async (value: string, issuedAt: number) => ({ token: { value, issuedAt } });

	it('is used if it is younger', () => {
		const keeper = new TokenKeeper(() => 0);

		expect(keeper.sign({ value: 'old', issuedAt: 1 }, false)?.token.value).toBe('old');
		expect(keeper.sign({ value: 'new', issuedAt: 2 }, false)?.token.value).toBe('new');
		expect(keeper.sign({ value: 'old', issuedAt: 1 }, false)?.token.value).toBe('new');
	});

	it('is never used again once it was rejected, whatever its clock says', async () => {
		const keeper = new TokenKeeper(() => 0);
		const stored = { value: 'dead', issuedAt: 9_000_000 };
		const rejected = keeper.sign(stored, false);

		await keeper.renew(rejected, false, async () => await exchanged('alive', 1));

		expect(keeper.sign(stored, false)?.token.value).toBe('alive');
	});
});

it('an exchange that breaks off does not keep the next one from being made', async () => {
	const keeper = new TokenKeeper();
	const broken = keeper.renew(undefined, false, async () => await Promise.reject(new Error('bug')));
	await expect(broken).rejects.toThrow('bug');

	const next = keeper.renew(undefined, false, async () => ({ token: { value: 'x', issuedAt: 1 } }));
	await expect(next).resolves.toEqual({ token: { value: 'x', issuedAt: 1 } });
});

it('a wait that the service has asked for is kept by the executions that follow', async () => {
	let now = 0;
	const keeper = new TokenKeeper(() => now);
	const failure = { message: 'Too many', description: '', waitMs: 60_000 };
	let exchanges = 0;
	const ask = async () =>
		await keeper.renew(undefined, false, async () => {
			exchanges += 1;
			return { failure };
		});

	await ask();
	now = 59_000;
	await ask();
	expect(exchanges).toBe(1);
	now = 60_000;
	await ask();
	expect(exchanges).toBe(2);
});
