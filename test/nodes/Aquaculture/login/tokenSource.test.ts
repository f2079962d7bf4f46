import type { AccessToken } from '../../../../nodes/Aquaculture/service/token';
import { TokenSource } from '../../../../nodes/Aquaculture/login/tokenSource';
import type { Failure, Result } from '../../../../nodes/Aquaculture/messages/failure';
import { flushPromises, VirtualClock } from '../../../../testbed/simulation/virtualClock';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../nodes/Aquaculture/utils/time';

const HALF_MINUTE_MS = MINUTE_MS / 2;
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
/** Uses the token or logs in. */
const acquire = async (exchange = succeed, signal?: AbortSignal) =>
	await tokens.acquire(exchange, signal);
const testLogin = async (exchange = succeed) => await tokens.testLogin(exchange);

/** Sets the clock of the machine, but not the monotonic one: the token has expired. */
const expire = () => {
	aheadMs += DAY_MS;
};

/** Expects that logins wait for this time, and no longer. */
async function expectLoginIn(milliseconds: number): Promise<void> {
	await clock.advance(milliseconds - 1);
	await expect(acquire()).resolves.toHaveProperty('failure');
	await clock.advance(1);
	await expect(acquire()).resolves.toHaveProperty('value');
}

/** Returns the token of the next request, after a login if need be. */
async function tokenNow(exchange = succeed): Promise<AccessToken> {
	const { value: token, failure } = await acquire(exchange);
	if (!token) throw new Error(failure.message);
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
});

describe('a login', () => {
	it('is sent once for all callers that wait for it', async () => {
		const results = await Promise.all([acquire(), acquire(), acquire()]);

		expect(logins).toBe(1);
		expect(results).toMatchObject(Array(3).fill({ value: { value: 'token 1' } }));
	});

	it.each<[Partial<Failure>, number[]]>([
		[REFUSED, [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]],
		[{ ...REFUSED, waitMs: MINUTE_MS }, [30]],
		[{ kind: 'noSlot', waitMs: MINUTE_MS }, [1]],
		[{}, [5, 10, 20, 40, 80, 160, 300, 300]],
		[{ waitMs: DAY_MS }, [5]],
	])('that fails with %j is retried after %j seconds', async (failure, seconds) => {
		const retry = async () => await acquire(fail(failure));

		expect(await pausesOf(seconds.length, retry)).toEqual(seconds);
	});

	it('that failed a short while ago says how long n8n waits, in the same words until then', async () => {
		await acquire(fail({ waitMs: HOUR_MS }));

		const note = 'n8n waits 5 seconds before the next login.';
		await expect(acquire()).resolves.toMatchObject({ failure: { note } });
		await clock.advance(4 * SECOND_MS);
		await expect(acquire()).resolves.toMatchObject({ failure: { note } });
	});

	it.each<[Partial<Failure>, number]>([
		[REFUSED, HALF_MINUTE_MS],
		[TRANSIENT, 5 * SECOND_MS],
	])('that succeeds resets the backoff after %j', async (failure, milliseconds) => {
		for (let count = 0; count < 5; count++) {
			await acquire(fail(failure));
			await clock.advance(HOUR_MS);
		}
		await acquire();
		expire();

		await acquire(fail(failure));

		await expectLoginIn(milliseconds);
	});

	it('of a credential test ignores the backoff, and changes it only if it is refused', async () => {
		await testLogin(fail());
		await expect(acquire()).resolves.toHaveProperty('value');
		expire();
		await testLogin(fail(REFUSED));
		await testLogin(fail());
		expect(logins).toBe(4);

		await expectLoginIn(HALF_MINUTE_MS);
	});

	it('that fails beside a refused credential test does not shorten the wait', async () => {
		const other = acquire(slowly(fail(TRANSIENT)));
		await testLogin(fail(REFUSED));
		await clock.advance(SECOND_MS);
		await other;

		await expect(acquire()).resolves.toMatchObject({ failure: REFUSED });
		await expectLoginIn(HALF_MINUTE_MS - SECOND_MS);
	});

	it('in progress serves others, too, although a credential test was refused meanwhile', async () => {
		void acquire(slowly(succeed));
		await testLogin(fail(REFUSED));
		const other = acquire();
		await clock.advance(SECOND_MS);

		await expect(other).resolves.toHaveProperty('value');
	});

	it('that throws is retried immediately', async () => {
		const thrown = acquire(async () => await Promise.reject(new Error('Not with n8n')));

		await expect(thrown).rejects.toThrow('Not with n8n');
		await expect(acquire()).resolves.toHaveProperty('value');
	});

	it('continues when its caller stops waiting, and serves the next one', async () => {
		const cancel = new AbortController();
		const cancelled = acquire(slowly(succeed), cancel.signal);
		cancel.abort();
		await expect(cancelled).resolves.toMatchObject({ failure: { kind: 'cancelled' } });
		const next = acquire();

		await clock.advance(SECOND_MS);

		await expect(next).resolves.toMatchObject({ value: { value: 'token 1' } });
		expect(logins).toBe(1);
	});
});

describe('a document answered with 401', () => {
	/** How many logins there were when the service revoked the token. */
	let loginsBefore: number;
	const revoke = () => {
		loginsBefore = logins;
	};
	beforeEach(() => {
		loginsBefore = 0;
	});

	/** Sends one as `fetchDocument` does. */
	const send = async (path: string, isAccepted: () => boolean) => {
		for (let rejected = 1; ; rejected += 1) {
			const token = await tokenNow();
			if (isAccepted()) return 'read';
			if (!tokens.recordRejected(token, path, rejected)) return 'failed';
		}
	};
	const sendForbidden = async (path = 'forbidden') => await send(path, () => false);
	const sendReadable = async () => await send('readable', () => logins > loginsBefore);

	it('is sent again with another token, after one login for all that share the old one', async () => {
		await tokenNow();
		revoke();

		await expect(Promise.all([sendReadable(), sendReadable()])).resolves.toEqual(['read', 'read']);

		expect(logins).toBe(2);
	});

	it('causes a login each five minutes if none helps', async () => {
		await tokenNow();

		expect(await pausesOf(3, sendForbidden)).toEqual([300, 300, 300]);
	});

	it('that no token helps leaves the token to others, and does not delay their login', async () => {
		await sendForbidden();
		await expect(sendReadable()).resolves.toBe('read');
		await clock.advance(MINUTE_MS);
		revoke();
		await expect(sendForbidden()).resolves.toBe('failed');
		expect(logins).toBe(2);

		await expect(sendReadable()).resolves.toBe('read');

		expect(logins).toBe(3);
	});

	it('waits until ten seconds after the last login because of another one', async () => {
		await sendForbidden();
		await clock.advance(4 * SECOND_MS);
		revoke();
		const reading = sendReadable();
		await clock.advance(6 * SECOND_MS - 1);
		expect([logins, current()]).toEqual([2, undefined]);

		await clock.advance(1);

		await expect(reading).resolves.toBe('read');
		expect(logins).toBe(3);
	});

	it('is not sent with a token that a login failed to replace', async () => {
		tokens.recordRejected(await tokenNow(), 'readable', 1);
		for (const failure of [TRANSIENT, REFUSED]) {
			await expect(acquire(fail(failure))).resolves.toMatchObject({
				failure: { isTransient: false, stopsAll: true },
			});
			expect(current()).toBeUndefined();
			await clock.advance(MINUTE_MS);
		}
	});

	it('may be sent with the token of a credential test, although its login has failed', async () => {
		tokens.recordRejected(await tokenNow(), 'readable', 1);
		const acquired = acquire(slowly(fail()));
		await testLogin();
		await clock.advance(SECOND_MS);

		await expect(acquired).resolves.toMatchObject({ value: { value: 'token 2' } });
	});

	it('causes logins ten seconds apart if it is another one each time', async () => {
		await tokenNow();
		let count = 0;
		const sendNext = async () => {
			const reading = sendForbidden(`site ${count}`);
			count += 1;
			await clock.advance(10 * SECOND_MS);
			await reading;
		};

		expect(await pausesOf(4, sendNext)).toEqual([11, 11, 11, 11]);
	});

	it('may cause a login within five minutes if it was read since', async () => {
		await sendForbidden('site');
		await clock.advance(MINUTE_MS);
		tokens.recordRead('site');

		await sendForbidden('site');

		expect(logins).toBe(3);
	});

	it('needs no login if a credential test brings a token while it waits', async () => {
		await sendForbidden();
		revoke();
		const reading = sendReadable();
		await flushPromises();
		await testLogin();
		await clock.advance(10 * SECOND_MS);

		await expect(reading).resolves.toBe('read');
		expect(logins).toBe(3);
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
		await testLogin();

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
		void tokens.renew(token, slowly(fail(REFUSED)));
		await failNow();
		await clock.advance(SECOND_MS);
		await failNow();

		expect(logins).toBe(2);
	});

	it('is followed by a login although there was one because of a 401 just now', async () => {
		tokens.recordRejected(await tokenNow(), 'site', 1);
		await tokenNow();

		await failNow();

		expect(logins).toBe(3);
	});

	it('does not delay the login for a document', async () => {
		await failNow();
		tokens.recordRejected(await tokenNow(), 'site', 1);

		await expect(acquire()).resolves.toMatchObject({ value: { value: 'token 3' } });
	});
});
