import type { IssuedToken } from '../../account/issuedToken';
import { TokenChoice, type ExchangeFailure, type ExchangeOutcome } from '../../account/tokenChoice';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../texts/duration';

const HALF_MINUTE_MS = MINUTE_MS / 2;

let now: number;
/** How much the time of day is ahead of the clock. */
let aheadMs: number;
let exchanges: number;
let cache: TokenChoice;

beforeEach(() => {
	now = 0;
	aheadMs = 1_767_225_600_000;
	exchanges = 0;
	cache = new TokenChoice(
		() => now,
		() => now + aheadMs,
	);
});

const setBack = () => (aheadMs -= 2 * HOUR_MS);

/** @param leftMs how long it still lasts, if that is known. */
function tokenOf(value: string, ageMs = 0, leftMs?: number): IssuedToken {
	const timeOfDay = now + aheadMs;
	return {
		value,
		issuedAt: timeOfDay - ageMs,
		...(leftMs !== undefined && { endsAt: timeOfDay + leftMs }),
	};
}

/** An exchange that brings a token. */
const succeed = (leftMs?: number) => async () => {
	exchanges += 1;
	return await Promise.resolve({ token: tokenOf(`token ${exchanges}`, 0, leftMs) });
};

/** An exchange that fails. */
const fail =
	(failure: Partial<ExchangeFailure> = {}) =>
	async () => {
		exchanges += 1;
		return await Promise.resolve({ failure: { message: 'No', description: '', ...failure } });
	};

const renew = async (exchange: () => Promise<ExchangeOutcome> = succeed()) =>
	await cache.renew(exchange);

/** The token with which a request is signed, after an exchange if there is none. */
async function choose(stored?: IssuedToken): Promise<IssuedToken> {
	const token = cache.choose(stored) ?? (await renew()).token;
	if (!token) throw new Error('There is no token');
	return token;
}

const chosen = (stored?: IssuedToken) => cache.choose(stored)?.value;

it('a token that is stored by another process is used if it is younger', () => {
	const older = tokenOf('older', MINUTE_MS);
	const younger = tokenOf('younger', SECOND_MS);

	expect(chosen(older)).toBe('older');
	expect(chosen(younger)).toBe('younger');
	expect(chosen(older)).toBe('younger');
	expect(chosen()).toBe('younger');
});

it('a token that is stored by another process is used up to a tenth of its lifetime before its end', () => {
	expect(chosen(tokenOf('short', 0, 20 * SECOND_MS))).toBe('short');
	now = 18 * SECOND_MS - 1;
	expect(chosen()).toBe('short');
	now += 1;
	expect(chosen()).toBeUndefined();
});

it('a token that is stored by another process is not used if it has ended', () => {
	const ended = tokenOf('ended', SECOND_MS, 0);

	expect(chosen(ended)).toBeUndefined();
	expect(chosen(tokenOf('older', MINUTE_MS))).toBe('older');
	expect(chosen(ended)).toBe('older');
});

it('a token that is stored by another process is used if the known one ends in ten seconds', () => {
	expect(chosen(tokenOf('ending', 0, HOUR_MS))).toBe('ending');
	now = HOUR_MS - 10 * SECOND_MS - 1;
	expect(chosen()).toBe('ending');
	now += 1;
	expect(chosen()).toBeUndefined();
	expect(chosen(tokenOf('younger', SECOND_MS))).toBe('younger');
});

it('a token that is stored by another process is not used again once it was rejected, or another one has taken its place', () => {
	const older = tokenOf('older', MINUTE_MS);
	const younger = tokenOf('younger', SECOND_MS);
	cache.choose(older);
	cache.choose(younger);
	cache.accept(younger, 'site 1');

	expect(cache.reject(younger, 'site 2')).toBe('again');
	expect(chosen(older)).toBeUndefined();
	expect(chosen(younger)).toBeUndefined();
});

it('a token that is stored by another process is not used again after a credential test', () => {
	const stored = tokenOf('stored');
	cache.choose(stored);
	cache.noteCredentialTest();

	expect(chosen(stored)).toBeUndefined();
});

it('a token that is rejected soon after several credential tests is replaced', async () => {
	for (let tests = 0; tests < 6; tests++) {
		await renew();
		cache.noteCredentialTest();
	}

	expect(cache.reject(await choose(), 'site 1')).toBe('again');
});

it('a token that is stored by another process is used from the future only if no other is known', () => {
	const future = tokenOf('future', -2 * HOUR_MS);

	expect(chosen(future)).toBe('future');
	expect(chosen(tokenOf('younger', SECOND_MS))).toBe('younger');
	expect(chosen(future)).toBe('younger');
});

it('a token that is stored by another process takes the place of one that is from the future since the clock was set back', () => {
	expect(chosen(tokenOf('present'))).toBe('present');
	setBack();

	expect(chosen(tokenOf('younger', SECOND_MS))).toBe('younger');
	expect(chosen(tokenOf('older', MINUTE_MS))).toBe('younger');
});

it('tokens that end at once cost four exchanges in half a minute, and the last one is used on', async () => {
	const request = async () => cache.choose(undefined) ?? (await renew(succeed(SECOND_MS))).token;
	for (; now < 29 * SECOND_MS; now += 100) await request();
	expect(exchanges).toBe(4);
	expect(cache.isWorthReplacing(tokenOf('token 4'))).toBe(false);

	now = 34 * SECOND_MS;
	await request();
	expect(exchanges).toBe(5);
});

it.each<[Partial<ExchangeFailure>, number]>([
	[{}, 5 * SECOND_MS],
	[{ waitMs: 1 }, 5 * SECOND_MS],
	[{ waitMs: MINUTE_MS }, MINUTE_MS],
	[{ waitMs: HOUR_MS }, 5 * MINUTE_MS],
	[{ loginRefused: true }, HALF_MINUTE_MS],
	[{ loginRefused: true, waitMs: MINUTE_MS }, HALF_MINUTE_MS],
])(
	'a login that has failed with %j is not retried for %d ms, whatever the time of day',
	async (failure, ms) => {
		const first = await renew(fail(failure));

		setBack();
		now = ms - 1;
		expect(cache.currentFailure()).toEqual(first.failure);
		now = ms;
		expect(cache.currentFailure()).toBeUndefined();
	},
);

it('a login that was refused is retried ever more rarely, up to once an hour', async () => {
	const times: number[] = [];
	for (; now < 48 * HOUR_MS; now += SECOND_MS) {
		if (cache.currentFailure()) continue;
		times.push(now);
		await renew(fail({ loginRefused: true }));
	}

	const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0));
	expect(pauses.slice(0, 9).map((ms) => ms / HALF_MINUTE_MS)).toEqual([
		1, 2, 4, 8, 16, 32, 64, 120, 120,
	]);
	const day = 24 * HOUR_MS;
	expect(times.filter((at) => at < day).length).toBeLessThanOrEqual(31);
	expect(times.filter((at) => at >= day)).toHaveLength(24);
});

it('a login that was refused is forgotten once one has succeeded, and the pauses begin again', async () => {
	for (let count = 0; count < 5; count++) await renew(fail({ loginRefused: true }));
	await renew();
	expect(cache.currentFailure()).toBeUndefined();
	await renew(fail({ loginRefused: true }));

	now += HALF_MINUTE_MS;
	expect(cache.currentFailure()).toBeUndefined();
});

it('a login that was refused is not retried sooner because a credential test fails for another reason', async () => {
	await renew(fail({ loginRefused: true }));
	await renew(fail());

	now = HALF_MINUTE_MS - 1;
	expect(cache.currentFailure()).toMatchObject({ loginRefused: true });
	now = HALF_MINUTE_MS;
	expect(cache.currentFailure()).toBeUndefined();
});

it('a login that has failed is not retried for other nodes either', async () => {
	const token = await choose(tokenOf('stored', HOUR_MS));
	await renew(fail({ loginRefused: true }));

	expect(cache.isWorthReplacing(token)).toBe(false);
});

it.each<[string, () => Promise<ExchangeOutcome>]>([
	['by an exception', async () => await Promise.reject(new Error('bug'))],
	['because there were too many requests', async () => await Promise.resolve({})],
])('a login that has failed %s is retried at once', async (_name, exchange) => {
	await renew(exchange).catch(() => undefined);

	await expect(choose()).resolves.toMatchObject({ value: 'token 1' });
});

describe('a request of another node that has failed', () => {
	const isWorthReplacing = (token: IssuedToken) => cache.isWorthReplacing(token);

	it('a request of another node that has failed is worth an exchange once in half a minute, which serves all that have failed with the same token', async () => {
		const carried = await choose(tokenOf('stored', MINUTE_MS));

		expect(isWorthReplacing(carried)).toBe(true);
		expect(isWorthReplacing(carried)).toBe(true);
		expect(cache.choose(undefined, carried.value)).toBeUndefined();
		// Some services answer a login with the token that they have issued before.
		await renew(async () => await Promise.resolve({ token: tokenOf('stored') }));
		now = HALF_MINUTE_MS - 1;
		expect(isWorthReplacing(carried)).toBe(false);
		now = HALF_MINUTE_MS;
		expect(isWorthReplacing(carried)).toBe(true);
	});

	it('a request of another node that has failed is not sent again where its token is younger than half a minute, unless the credential was tested', async () => {
		const carried = await choose();

		now = HALF_MINUTE_MS - 1;
		expect(isWorthReplacing(carried)).toBe(false);
		cache.noteCredentialTest();
		expect(isWorthReplacing(carried)).toBe(true);
	});
});
