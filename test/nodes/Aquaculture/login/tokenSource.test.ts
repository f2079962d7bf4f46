import type { AccessToken } from '../../../../nodes/Aquaculture/service/token';
import { TokenSource } from '../../../../nodes/Aquaculture/login/tokenSource';
import type { Failure, Result } from '../../../../nodes/Aquaculture/messages/failure';
import { flushPromises, VirtualClock } from '../../../../testbed/simulation/virtualClock';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../nodes/Aquaculture/utils/time';

const HALF_MINUTE_MS = MINUTE_MS / 2;
const SITE = '/meta/sites/1001';
const NOW = { resendInMs: 0 };
const REFUSED = { kind: 'loginRefused', stopsAll: true } as const;
const TRANSIENT = { isTransient: true };

let clock: VirtualClock;
let tokens: TokenSource;
/** Offset of Date.now() from the clock. */
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

const succeed = async (): Promise<Result<AccessToken, Failure>> => {
	logins += 1;
	return await Promise.resolve({
		value: { value: `token ${logins}`, replaceAt: Date.now() + DAY_MS },
	});
};
const fail =
	(failure: Partial<Failure> = {}) =>
	async (): Promise<Result<AccessToken, Failure>> => {
		logins += 1;
		return await Promise.resolve({ failure: { message: 'No', description: '', ...failure } });
	};
/** The same with an answer that takes a second. */
const slowly = (exchange: typeof succeed) => async () => {
	await clock.sleep(SECOND_MS);
	return await exchange();
};
const current = () => tokens.current?.value;
const logIn = async (exchange = succeed, rejected?: AccessToken) =>
	await tokens.joinLogin(exchange, rejected);
const testLogin = async (exchange = succeed) => await tokens.testLogin(exchange);

/** Expects that logins wait for this time, and no longer. */
async function expectLoginIn(milliseconds: number): Promise<void> {
	await clock.advance(milliseconds - 1);
	await expect(logIn()).resolves.toHaveProperty('failure');
	await clock.advance(1);
	await expect(logIn()).resolves.toHaveProperty('value');
}

/** Returns the token of the next request, after a login if need be. */
async function tokenNow(exchange = succeed): Promise<AccessToken> {
	const token = tokens.current ?? (await logIn(exchange)).value;
	if (!token) throw new Error('There is no token');
	return token;
}

/** Returns the seconds between logins while repeating an attempt. */
async function pausesOf(count: number, attempt: () => Promise<unknown>): Promise<number[]> {
	const times: number[] = [];
	while (times.length <= count) {
		const before = logins;
		await attempt();
		if (logins > before) times.push(clock.now() / SECOND_MS);
		await clock.advance(SECOND_MS);
	}
	return times.slice(1).map((at, index) => at - (times[index] ?? NaN));
}

describe('the token', () => {
	it('is used until it is to be replaced, also if the system clock is set back', async () => {
		await tokenNow();
		await clock.advance(DAY_MS - 1);
		expect(current()).toBe('token 1');
		await clock.advance(1);
		expect(current()).toBeUndefined();

		aheadMs -= 2 * HOUR_MS;
		expect(current()).toBe('token 1');
	});

	it('stays in use while a login because of a 401 fails', async () => {
		const token = await tokenNow();
		for (const failure of [TRANSIENT, REFUSED]) {
			await expect(logIn(fail(failure), token)).resolves.toHaveProperty('failure');
			expect(current()).toBe('token 1');
			await clock.advance(MINUTE_MS);
		}

		// Failed logins do not count as such.
		expect(tokens.decideAfter401(token, SITE, 1)).toEqual(NOW);
	});
});

describe('a login', () => {
	it('is sent once for all callers that wait for it', async () => {
		const results = await Promise.all([logIn(), logIn(), logIn()]);

		expect(logins).toBe(1);
		expect(results).toMatchObject(Array(3).fill({ value: { value: 'token 1' } }));
	});

	it.each<[Partial<Failure>, number[]]>([
		[REFUSED, [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]],
		[{ ...REFUSED, waitMs: MINUTE_MS }, [30]],
		[{ kind: 'noSlot', waitMs: MINUTE_MS }, [1]],
		[{}, [5, 10, 20, 40, 80, 160, 300, 300]],
		[{ waitMs: 1 }, [5]],
		[{ waitMs: HOUR_MS }, [3600]],
	])('that fails with %j is retried after %j seconds', async (failure, seconds) => {
		const retry = async () => await logIn(fail(failure));

		expect(await pausesOf(seconds.length, retry)).toEqual(seconds);
	});

	it('that failed a short while ago says how long n8n waits, in the same words until then', async () => {
		await logIn(fail({ waitMs: SECOND_MS }));

		const note = 'n8n waits 5 seconds before the next login.';
		await expect(logIn()).resolves.toMatchObject({ failure: { note } });
		await clock.advance(4 * SECOND_MS);
		await expect(logIn()).resolves.toMatchObject({ failure: { note } });
	});

	it('that succeeds resets the backoff', async () => {
		for (let count = 0; count < 5; count++) await testLogin(fail(REFUSED));
		await testLogin(succeed);

		await logIn(fail(REFUSED));

		await expectLoginIn(HALF_MINUTE_MS);
	});

	it('of a credential test ignores the backoff, and changes it only if it is refused', async () => {
		await testLogin(fail());
		await expect(logIn()).resolves.toHaveProperty('value');
		await testLogin(fail(REFUSED));
		await testLogin(fail());
		expect(logins).toBe(4);

		await expectLoginIn(HALF_MINUTE_MS);
	});

	it('that fails beside a refused credential test does not shorten the wait', async () => {
		const other = logIn(slowly(fail(TRANSIENT)));
		await testLogin(fail(REFUSED));
		await clock.advance(SECOND_MS);
		await other;

		await expectLoginIn(HALF_MINUTE_MS - SECOND_MS);
	});

	it('that throws is retried immediately', async () => {
		const thrown = logIn(async () => await Promise.reject(new Error('Not with n8n')));

		await expect(thrown).rejects.toThrow('Not with n8n');
		await expect(logIn()).resolves.toHaveProperty('value');
	});

	it('continues when its caller stops waiting, and serves the next one', async () => {
		const cancel = new AbortController();
		const cancelled = tokens.joinLogin(slowly(succeed), undefined, cancel.signal);
		cancel.abort();
		await expect(cancelled).resolves.toMatchObject({ failure: { kind: 'cancelled' } });
		const next = logIn();

		await clock.advance(SECOND_MS);

		await expect(next).resolves.toMatchObject({ value: { value: 'token 1' } });
		expect(logins).toBe(1);
	});
});

describe('a document answered with 401', () => {
	/** Sends it again as `fetchDocument` does. @returns how long it waited in milliseconds, or that it gave up. */
	const reject = async (document = SITE) => {
		const token = await tokenNow();
		const decision = tokens.decideAfter401(token, document, 1);
		if (decision === 'giveUp') return decision;
		await clock.advance(decision.resendInMs);
		if (current() === token.value) await logIn(succeed, token);
		return decision.resendInMs;
	};
	const rejectTwice = async (document = SITE) =>
		(await reject(document)) === 'giveUp' ? 'giveUp' : await reject(document);
	const accept = async (document = 'another') => tokens.recordAccepted(await tokenNow(), document);
	const rejectTwiceBesideOthers = async () => await rejectTwice().then(async () => await accept());
	const rejectAnotherTwice = async () => await rejectTwice(`document ${clock.now()}`);

	it('is sent again with another token, after one login for all that share the old one', async () => {
		const first = await tokenNow();
		expect(await reject()).toBe(0);

		expect(tokens.decideAfter401(first, SITE, 1)).toEqual(NOW);
		expect(tokens.decideAfter401(first, 'another', 1)).toEqual(NOW);
		expect(current()).toBe('token 2');
	});

	it('joins a login in progress, or its failure, even if it may not cause one', async () => {
		await rejectTwice();
		const failing = logIn(slowly(fail()));
		expect(tokens.decideAfter401(await tokenNow(), SITE, 1)).toEqual(NOW);
		await clock.advance(SECOND_MS);
		await failing;
		expect(tokens.decideAfter401(await tokenNow(), SITE, 1)).toEqual(NOW);

		await clock.advance(5 * SECOND_MS);
		expect(tokens.decideAfter401(await tokenNow(), SITE, 1)).toBe('giveUp');
	});

	it.each<[string, number[], () => Promise<unknown>]>([
		['each five minutes, if no other is accepted', [300, 300, 300], rejectTwice],
		['each five minutes, if others are accepted', [300, 300, 300], rejectTwiceBesideOthers],
		['less and less often, if all are answered so', [10, 20, 40], rejectAnotherTwice],
	])('causes logins %s', async (_when, seconds, attempt) => {
		expect(await pausesOf(seconds.length, attempt)).toEqual(seconds);
	});

	it('shares its login each five minutes with others that no token helps', async () => {
		for (let second = 0; second < 3600; second += 20) {
			await rejectTwice(`site ${second % 60}`);
			await accept();
			await clock.advance(20 * SECOND_MS);
		}

		expect([13, 14, 15]).toContain(logins);
	});

	it('is sent with four tokens at most', async () => {
		const token = await tokenNow();
		await logIn();

		expect(tokens.decideAfter401(token, SITE, 3)).toEqual(NOW);
		expect(tokens.decideAfter401(token, SITE, 4)).toBe('giveUp');
	});

	it('with a fresh token may cause a login again once it was accepted', async () => {
		await rejectTwice();
		await accept();
		await clock.advance(HALF_MINUTE_MS);
		expect(await reject()).toBe('giveUp');

		await accept(SITE);

		expect(await reject()).toBe(0);
	});

	it.each([
		[9, false],
		[10, true],
	])('with %d others in a row: a failed login stops all: %p', async (others, stopsAll) => {
		const token = await tokenNow();
		for (let id = 0; id < others; id++) tokens.decideAfter401(token, `site ${id}`, 1);

		const { failure } = await logIn(fail(TRANSIENT), token);

		expect(failure).toMatchObject({ stopsAll, isTransient: false });
		tokens.recordAccepted(token, SITE);
		await expect(logIn(fail(), token)).resolves.toHaveProperty('failure.stopsAll', false);
	});

	it('waits until ten seconds after the last login if that helped', async () => {
		for (let count = 0; count < 3; count++) {
			expect(await reject(`site ${count}`)).toBe(count === 0 ? 0 : 6 * SECOND_MS);
			await accept();
			await clock.advance(4 * SECOND_MS);
		}
	});

	it('is like one that was never rejected, five minutes after the last time', async () => {
		await reject();
		await clock.advance(5 * MINUTE_MS);
		const revoked = await logIn();

		expect(await reject()).toBe(0);

		expect(current()).not.toBe(revoked.value?.value);
	});

	it('that is always its own does not keep a revoked token in use', async () => {
		for (let minute = 0; minute < 60; minute++) {
			await rejectTwice('forbidden');
			await accept();
			await clock.advance(MINUTE_MS);
		}

		expect(await reject()).toBe(0);
	});
});

describe('a failed request of an HTTP Request node', () => {
	const failNow = async (login = succeed) => {
		void tokens.renew(await tokenNow(), login);
		await flushPromises();
	};

	it('causes a login, the next one five minutes later', async () => {
		await tokenNow();

		expect(await pausesOf(3, failNow)).toEqual([300, 300, 300]);
	});

	it.each<[string, Partial<Failure>, number]>([
		['fails', {}, 5],
		['gets no slot', { kind: 'noSlot', stopsAll: true }, 0],
	])('causes the next one earlier if that %s', async (_what, failure, seconds) => {
		await failNow(fail(failure));
		await clock.advance(seconds * SECOND_MS);

		await failNow();

		expect([logins, current()]).toEqual([3, 'token 3']);
	});

	it('with an older token causes none', async () => {
		const old = await tokenNow();
		await logIn();

		await tokens.renew(old, succeed);

		expect(logins).toBe(2);
	});

	it('leaves the old token in use during its login, and if that fails', async () => {
		await failNow(slowly(fail()));
		const ended = tokens.waitForLogin();
		expect(current()).toBe('token 1');
		await clock.advance(SECOND_MS);
		await ended;

		expect([logins, current()]).toEqual([2, 'token 1']);
	});

	it('causes none while another one is in progress, or was refused', async () => {
		const token = await tokenNow();
		const login = logIn(slowly(fail(REFUSED)), token);
		await failNow();
		await clock.advance(SECOND_MS);
		await login;
		await failNow();

		expect(logins).toBe(2);
	});

	it('does not delay the logins for documents', async () => {
		await failNow();

		expect(tokens.decideAfter401(await tokenNow(), SITE, 1)).toEqual(NOW);
	});
});
