import {
	Tokens,
	type IssuedToken,
	type LoginFailure,
	type LoginOutcome,
} from '../../../../nodes/Aquaculture/account/tokenSource';
import { settled, VirtualClock } from '../../../../testbed/simulation/virtualClock';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../nodes/Aquaculture/messages/duration';

const HALF_MINUTE_MS = MINUTE_MS / 2;

let clock: VirtualClock;
let tokens: Tokens;
/** How much the time of day is ahead of the clock. */
let aheadMs: number;
let logins: number;

beforeEach(() => {
	clock = new VirtualClock();
	tokens = new Tokens(clock);
	aheadMs = Date.parse('2026-01-01T00:00:00Z');
	logins = 0;
	jest.spyOn(Date, 'now').mockImplementation(() => clock.now() + aheadMs);
});
afterEach(() => jest.restoreAllMocks());

/** @param leftMs how long it still lasts, if that is known. */
const tokenOf = (value: string, ageMs = 0, leftMs?: number): IssuedToken => ({
	value,
	issuedAt: Date.now() - ageMs,
	...(leftMs !== undefined && { endsAt: Date.now() + leftMs }),
});

const succeed = async (): Promise<LoginOutcome> => {
	logins += 1;
	return await Promise.resolve({ token: tokenOf(`token ${logins}`) });
};
const fail =
	(failure: Partial<LoginFailure> = {}) =>
	async (): Promise<LoginOutcome> => {
		logins += 1;
		return await Promise.resolve({ failure: { message: 'No', description: '', ...failure } });
	};
const chosen = (stored?: IssuedToken) => tokens.choose(stored)?.value;
const logIn = async (exchange = succeed, isTest = false) =>
	await tokens.logIn(exchange, { isTest });

/** The token of a request, after a login if there is none. */
async function tokenNow(): Promise<IssuedToken> {
	const token = tokens.choose(undefined) ?? (await logIn())?.token;
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

describe('the newest token', () => {
	it('a token that another process has stored is used if it is newer', () => {
		const [older, newer] = [tokenOf('older', MINUTE_MS), tokenOf('newer', SECOND_MS)];

		expect([chosen(older), chosen(newer), chosen(older), chosen()]).toEqual([
			...['older', 'newer', 'newer', 'newer'],
		]);
	});

	it.each([
		[20 * SECOND_MS, 18 * SECOND_MS],
		[HOUR_MS, HOUR_MS - 10 * SECOND_MS],
	])('a token that lasts for %d ms is used for %d ms', async (lastsMs, usedMs) => {
		const stored = tokenOf('stored', 0, lastsMs);
		await clock.pass(usedMs - 1);
		expect(chosen(stored)).toBe('stored');
		await clock.pass(1);

		expect(chosen(stored)).toBeUndefined();
		expect(chosen(tokenOf('older', HOUR_MS))).toBeUndefined();
		expect(chosen(tokenOf('newer'))).toBe('newer');
	});

	it('a token that has expired does not take the place of another one', () => {
		expect(chosen(tokenOf('older', MINUTE_MS))).toBe('older');
		expect(chosen(tokenOf('expired', SECOND_MS, 0))).toBe('older');
	});

	it('a token that was given up is not used again, although the credential still holds it', async () => {
		const stored = tokenOf('stored', SECOND_MS);
		tokens.choose(stored);
		expect(tokens.reject(stored)).toBe(0);

		expect(chosen(stored)).toBeUndefined();
		await logIn();
		expect(chosen(stored)).toBe('token 1');
	});

	it('after the clock was set back a token from the future is used as long as there is no other one', () => {
		expect(chosen(tokenOf('before'))).toBe('before');
		aheadMs -= 2 * HOUR_MS;
		expect(chosen()).toBe('before');
		expect(chosen(tokenOf('after', SECOND_MS))).toBe('after');
		expect(chosen(tokenOf('before', -2 * HOUR_MS))).toBe('after');
	});
});

describe('a login', () => {
	it('a login serves all who wait for it, and is the first one’s own', async () => {
		const outcomes = await Promise.all([logIn(), logIn(), logIn()]);

		expect(logins).toBe(1);
		expect(outcomes).toMatchObject(
			[true, false, false].map((isOwn) => ({ token: { value: 'token 1' }, isOwn })),
		);
	});

	it('a login that was refused is repeated after half a minute, then after twice as long, up to an hour, whoever asks for it', async () => {
		const refused = async () => await logIn(fail({ loginRefused: true }));

		expect(await pausesOf(9, refused)).toEqual([30, 60, 120, 240, 480, 960, 1920, 3600, 3600]);
		await expect(logIn()).resolves.toMatchObject({ failure: { loginRefused: true } });
	});

	it.each<[Partial<LoginFailure>, number]>([
		[{}, 5],
		[{ waitMs: 1 }, 5],
		[{ waitMs: MINUTE_MS }, 60],
		[{ waitMs: HOUR_MS }, 300],
		[{ loginRefused: true, waitMs: MINUTE_MS }, 30],
		[{ unasked: true, waitMs: MINUTE_MS }, 1],
	])('a login that has failed with %j is repeated after %d seconds', async (failure, seconds) => {
		expect(await pausesOf(1, async () => await logIn(fail(failure)))).toEqual([seconds]);
	});

	it('a login that succeeds ends the back-off', async () => {
		for (let count = 0; count < 5; count++) await logIn(fail({ loginRefused: true }), true);
		await logIn(succeed, true);

		await logIn(fail({ loginRefused: true }));

		expect(logins).toBe(7);
		await clock.pass(HALF_MINUTE_MS);
		await expect(logIn()).resolves.toHaveProperty('token');
	});

	it('a credential test logs in at once, and a refusal still applies if it fails for another reason', async () => {
		await logIn(fail({ loginRefused: true }));
		await logIn(fail(), true);
		expect(logins).toBe(2);

		await clock.pass(HALF_MINUTE_MS - 1);
		await expect(logIn()).resolves.toMatchObject({ failure: { loginRefused: true } });
		await clock.pass(1);
		await expect(logIn()).resolves.toHaveProperty('token');
	});

	it('a login that throws is repeated at once', async () => {
		const thrown = logIn(async () => await Promise.reject(new Error('Not with n8n')));

		await expect(thrown).rejects.toThrow('Not with n8n');
		await expect(logIn()).resolves.toHaveProperty('token');
	});

	it('a login is given up when nobody waits for it any more', async () => {
		const [one, other] = [new AbortController(), new AbortController()];
		let stop: AbortSignal | undefined;
		const hang = async (signal: AbortSignal) => {
			stop = signal;
			return await new Promise<never>(() => {});
		};
		const waiting = [one, other].map(({ signal }) => tokens.logIn(hang, { signal }));

		one.abort();
		await expect(waiting[0]).resolves.toBeUndefined();
		expect(stop?.aborted).toBe(false);
		other.abort();
		await expect(waiting[1]).resolves.toBeUndefined();
		expect(stop?.aborted).toBe(true);
	});

	it('a login that was given up unsent is made by those who came meanwhile, once', async () => {
		const cancel = new AbortController();
		const giveUp = async () => {
			await clock.sleep(SECOND_MS);
			return await fail({ unasked: true })();
		};
		void tokens.logIn(giveUp, { signal: cancel.signal });
		cancel.abort();
		await settled();
		const outcomes = Promise.all([logIn(), logIn()]);

		await clock.pass(SECOND_MS);

		await expect(outcomes).resolves.toMatchObject([
			{ token: { value: 'token 2' }, isOwn: true },
			{ token: { value: 'token 2' }, isOwn: false },
		]);
	});
});

describe('a document that is rejected', () => {
	/** @returns how long to wait before it is asked for again. */
	const rejectNow = async () => tokens.reject(await tokenNow());

	it('a document that is rejected is asked for once more with another token, whichever it was rejected with', async () => {
		const first = await tokenNow();
		expect(tokens.reject(first)).toBe(0);
		expect(tokens.reject(first)).toBe(0);
		const second = await tokenNow();

		expect([second.value, tokens.reject(first), chosen()]).toEqual(['token 2', 0, 'token 2']);
	});

	it('a document that is rejected with two tokens is forbidden', async () => {
		await rejectNow();

		expect(await rejectNow()).toBeUndefined();
		expect(chosen()).toBe('token 2');
	});

	it('logins for rejected documents come half a minute apart, and twice as far each time while they do not help, up to half an hour', async () => {
		await tokenNow();

		expect(await pausesOf(8, async () => (await rejectNow(), await tokenNow()))).toEqual([
			30, 60, 120, 240, 480, 960, 1800, 1800,
		]);
		await clock.pass(1.5 * HOUR_MS);
		expect(await pausesOf(2, async () => (await rejectNow(), await tokenNow()))).toEqual([30, 60]);
	});

	it('while logins help, a rejected document waits until half a minute after the last one', async () => {
		for (let count = 0; count < 3; count++) {
			expect(await rejectNow()).toBe(0);
			await tokenNow();
			tokens.noteHelped();
			await clock.pass(10 * SECOND_MS);
			expect(await rejectNow()).toBe(20 * SECOND_MS);
			await clock.pass(20 * SECOND_MS);
		}

		expect(await rejectNow()).toBe(0);
	});

	it.each([
		['twice as far', 90, 60],
		['half a minute', 91, 30],
	])(
		'the next login for a rejected document is %s away if nothing was rejected for %d seconds',
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

describe('a request of an HTTP Request node that has failed', () => {
	const isReplacedNow = async () => tokens.isWorthReplacing(await tokenNow());

	it('a request of an HTTP Request node that has failed is sent again with the newer token, if there is one', async () => {
		const carried = tokenOf('carried', MINUTE_MS);
		tokens.choose(carried);
		tokens.choose(tokenOf('newer'));

		expect([tokens.isWorthReplacing(carried), chosen()]).toEqual([true, 'newer']);
	});

	it('a request of an HTTP Request node that has failed leads to a login half a minute after the last one, and twice as far each time', async () => {
		expect(await pausesOf(4, async () => (await isReplacedNow(), await tokenNow()))).toEqual([
			30, 60, 120, 240,
		]);
	});

	it('a request of an HTTP Request node that has failed leaves the logins for rejected documents alone', async () => {
		expect([await isReplacedNow(), await isReplacedNow()]).toEqual([true, false]);

		expect([tokens.reject(await tokenNow()), await isReplacedNow()]).toEqual([0, false]);
	});
});

it('after a credential test nothing before counts, and the token is obtained again', async () => {
	tokens.reject(await tokenNow());
	await tokenNow();
	tokens.isWorthReplacing(await tokenNow());
	const token = await tokenNow();
	tokens.noteCredentialTest();

	expect(chosen(token)).toBeUndefined();
	expect(tokens.reject(await tokenNow())).toBe(0);
	expect(tokens.isWorthReplacing(await tokenNow())).toBe(true);
});
