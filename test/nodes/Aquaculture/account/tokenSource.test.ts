import { TokenSource, type AccessToken } from '../../../../nodes/Aquaculture/account/tokenSource';
import type { Failure, Result } from '../../../../nodes/Aquaculture/service/failures';
import { settled, VirtualClock } from '../../../../testbed/simulation/virtualClock';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../nodes/Aquaculture/messages/duration';

const HALF_MINUTE_MS = MINUTE_MS / 2;

let clock: VirtualClock;
let tokens: TokenSource;
/** How much the time of day is ahead of the clock. */
let aheadMs: number;
let logins: number;

beforeEach(() => {
	clock = new VirtualClock();
	tokens = new TokenSource(clock);
	aheadMs = Date.parse('2026-01-01T00:00:00Z');
	logins = 0;
	jest.spyOn(Date, 'now').mockImplementation(() => clock.now() + aheadMs);
});
afterEach(() => jest.restoreAllMocks());

/** @param leftMs how long it still lasts, if that is known. */
const tokenOf = (value: string, ageMs = 0, leftMs?: number): AccessToken => ({
	value,
	issuedAt: Date.now() - ageMs,
	...(leftMs !== undefined && { expiresAt: Date.now() + leftMs }),
});

const succeed = async (): Promise<Result<AccessToken>> => {
	logins += 1;
	return await Promise.resolve({ value: tokenOf(`token ${logins}`) });
};
const fail =
	(failure: Partial<Failure> = {}) =>
	async (): Promise<Result<AccessToken>> => {
		logins += 1;
		return await Promise.resolve({ failure: { message: 'No', description: '', ...failure } });
	};
const current = () => tokens.current?.value;
const logIn = async (exchange = succeed, isTest = false) =>
	await tokens.logIn(exchange, { isTest });

/** The token of a request, after a login if there is none. */
async function tokenNow(): Promise<AccessToken> {
	const token = tokens.current ?? (await logIn()).value;
	if (!token) throw new Error('There is no token');
	return token;
}

/** How many seconds are between the logins while something goes on. */
async function pausesOf(count: number, attempt: () => Promise<unknown>): Promise<number[]> {
	const times: number[] = [];
	while (times.length <= count) {
		const before = logins;
		await attempt();
		if (logins > before) times.push(clock.now() / SECOND_MS);
		await clock.pass(SECOND_MS);
	}
	return times.slice(1).map((at, index) => at - (times[index] ?? NaN));
}

describe('the token', () => {
	it.each([
		[20 * SECOND_MS, 18 * SECOND_MS],
		[HOUR_MS, HOUR_MS - 10 * SECOND_MS],
	])('that lasts for %d ms is used for %d ms', async (lastsMs, usedMs) => {
		await logIn(async () => await Promise.resolve({ value: tokenOf('short', 0, lastsMs) }));
		await clock.pass(usedMs - 1);
		expect(current()).toBe('short');
		await clock.pass(1);

		expect(current()).toBeUndefined();
	});

	it('is not used again once it is invalidated', async () => {
		const token = await tokenNow();
		expect(tokens.reportUnauthorized(token)).toBe(0);

		expect(current()).toBeUndefined();
		await logIn();
		expect(current()).toBe('token 2');
	});

	it('is used although the clock was set back', async () => {
		await tokenNow();
		aheadMs -= 2 * HOUR_MS;

		expect(current()).toBe('token 1');
	});
});

describe('a login', () => {
	it('serves all that wait for it', async () => {
		const results = await Promise.all([logIn(), logIn(), logIn()]);

		expect(logins).toBe(1);
		expect(results).toMatchObject(Array(3).fill({ value: { value: 'token 1' } }));
	});

	it('is repeated half a minute after a refusal, doubling up to an hour', async () => {
		const refused = async () => await logIn(fail({ kind: 'loginRefused' }));

		expect(await pausesOf(9, refused)).toEqual([30, 60, 120, 240, 480, 960, 1920, 3600, 3600]);
		await expect(logIn()).resolves.toMatchObject({ failure: { kind: 'loginRefused' } });
	});

	it.each<[Partial<Failure>, number]>([
		[{}, 5],
		[{ waitMs: 1 }, 5],
		[{ waitMs: MINUTE_MS }, 60],
		[{ waitMs: HOUR_MS }, 300],
		[{ kind: 'loginRefused', waitMs: MINUTE_MS }, 30],
		[{ kind: 'notSent', waitMs: MINUTE_MS }, 1],
	])('that failed with %j is repeated after %d seconds', async (failure, seconds) => {
		expect(await pausesOf(1, async () => await logIn(fail(failure)))).toEqual([seconds]);
	});

	it('that succeeds ends the backoff', async () => {
		for (let count = 0; count < 5; count++) await logIn(fail({ kind: 'loginRefused' }), true);
		await logIn(succeed, true);

		await logIn(fail({ kind: 'loginRefused' }));

		expect(logins).toBe(7);
		await clock.pass(HALF_MINUTE_MS);
		await expect(logIn()).resolves.toHaveProperty('value');
	});

	it('of a credential test is made immediately; an earlier refusal still counts if it fails for another reason', async () => {
		await logIn(fail({ kind: 'loginRefused' }));
		await logIn(fail(), true);
		expect(logins).toBe(2);

		await clock.pass(HALF_MINUTE_MS - 1);
		await expect(logIn()).resolves.toMatchObject({ failure: { kind: 'loginRefused' } });
		await clock.pass(1);
		await expect(logIn()).resolves.toHaveProperty('value');
	});

	it('that throws is repeated immediately', async () => {
		const thrown = logIn(async () => await Promise.reject(new Error('Not with n8n')));

		await expect(thrown).rejects.toThrow('Not with n8n');
		await expect(logIn()).resolves.toHaveProperty('value');
	});

	it('is stopped when nobody waits for it any more', async () => {
		const [one, other] = [new AbortController(), new AbortController()];
		let stop: AbortSignal | undefined;
		const hang = async (signal: AbortSignal) => {
			stop = signal;
			return await new Promise<never>(() => {});
		};
		const waiting = [one, other].map(({ signal }) => tokens.logIn(hang, { signal }));

		one.abort();
		await expect(waiting[0]).resolves.toMatchObject({ failure: { kind: 'cancelled' } });
		expect(stop?.aborted).toBe(false);
		other.abort();
		await expect(waiting[1]).resolves.toMatchObject({ failure: { kind: 'cancelled' } });
		expect(stop?.aborted).toBe(true);
	});

	it('that was stopped is repeated once for all that joined it too late', async () => {
		const cancel = new AbortController();
		const giveUp = async () => {
			await clock.sleep(SECOND_MS);
			return await fail({ kind: 'cancelled' })();
		};
		void tokens.logIn(giveUp, { signal: cancel.signal });
		cancel.abort();
		await settled();
		const results = Promise.all([logIn(), logIn()]);

		await clock.pass(SECOND_MS);

		await expect(results).resolves.toMatchObject(Array(2).fill({ value: { value: 'token 2' } }));
	});
});

describe('a document answered with 401', () => {
	/** @returns how long to wait before it is asked for again. */
	const rejectNow = async () => tokens.reportUnauthorized(await tokenNow());

	it('is asked for again with another token', async () => {
		const first = await tokenNow();
		expect(tokens.reportUnauthorized(first)).toBe(0);
		expect(tokens.reportUnauthorized(first)).toBe(0);
		const second = await tokenNow();

		expect([second.value, tokens.reportUnauthorized(first), current()]).toEqual([
			'token 2',
			0,
			'token 2',
		]);
	});

	it('with two tokens fails', async () => {
		await rejectNow();

		expect(await rejectNow()).toBeUndefined();
		expect(current()).toBe('token 2');
	});

	it('causes logins half a minute apart, doubling up to half an hour while they do not help', async () => {
		await tokenNow();

		expect(await pausesOf(8, async () => (await rejectNow(), await tokenNow()))).toEqual([
			30, 60, 120, 240, 480, 960, 1800, 1800,
		]);
		await clock.pass(1.5 * HOUR_MS);
		expect(await pausesOf(2, async () => (await rejectNow(), await tokenNow()))).toEqual([30, 60]);
	});

	it('waits until half a minute after the last login if that has helped', async () => {
		for (let count = 0; count < 3; count++) {
			expect(await rejectNow()).toBe(0);
			await tokenNow();
			tokens.reportReauthSucceeded();
			await clock.pass(10 * SECOND_MS);
			expect(await rejectNow()).toBe(20 * SECOND_MS);
			await clock.pass(20 * SECOND_MS);
		}

		expect(await rejectNow()).toBe(0);
	});

	it.each([
		['twice as long', 90, 60],
		['half a minute', 91, 30],
	])(
		'causes the next login after %s if there was no other for %d seconds',
		async (_how, silence, pause) => {
			await rejectNow();
			await clock.pass(silence * SECOND_MS);
			expect(await rejectNow()).toBe(0);

			await clock.pass(pause * SECOND_MS - 1);
			expect(await rejectNow()).not.toBe(0);
			await clock.pass(1);
			expect(await rejectNow()).toBe(0);
		},
	);
});

describe('a failed request of an HTTP Request node', () => {
	const isReplacedNow = async () => tokens.reportHttpNodeFailed(await tokenNow());

	it('is sent again if there is a newer token', async () => {
		const carried = await tokenNow();
		await logIn(succeed, true);

		expect([tokens.reportHttpNodeFailed(carried), current()]).toEqual([true, 'token 2']);
	});

	it('causes logins half a minute apart, doubling each time', async () => {
		expect(await pausesOf(4, async () => (await isReplacedNow(), await tokenNow()))).toEqual([
			30, 60, 120, 240,
		]);
	});

	it('does not delay the logins for documents', async () => {
		expect(await isReplacedNow()).toBe(false);
		await clock.pass(HALF_MINUTE_MS);
		expect([await isReplacedNow(), await isReplacedNow()]).toEqual([true, false]);

		expect([tokens.reportUnauthorized(await tokenNow()), await isReplacedNow()]).toEqual([
			0,
			false,
		]);
	});
});
