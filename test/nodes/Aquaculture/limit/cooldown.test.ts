import { Cooldown } from '../../../../nodes/Aquaculture/limit/cooldown';
import { Queue } from '../../../../nodes/Aquaculture/limit/queue';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../nodes/Aquaculture/utils/time';

const queue = new Queue('execution', 100);
let cooldown: Cooldown;

beforeEach(() => (cooldown = new Cooldown()));

/** Records a 429 after a number of allowed requests. */
const refuse = (now: number, askedMs?: number, allowed = 20, sentAt = now) =>
	cooldown.recordRefused({ queue, sentAt }, allowed, now, askedMs);

it.each([
	['no time', undefined, [60, 120, 240, 480, 900, 900]],
	['0 seconds', 0, [1, 2, 4, 8]],
	['half an hour', 30 * MINUTE_MS, [1800, 1800]],
])('the pause doubles up to 15 minutes with each refused probe that asks for %s', (...given) => {
	const [, askedMs, seconds] = given;
	let now = 0;
	const pauses = seconds.map(() => {
		now += cooldown.remainingMs(now);
		refuse(now, askedMs);
		return cooldown.remainingMs(now) / SECOND_MS;
	});

	expect(pauses).toEqual(seconds);
});

it('a 429 of a request that was in flight extends the pause, but does not shorten it', () => {
	const starts = [refuse(9000, 7000), refuse(9000, 2000, 20, 3000)];
	expect([starts, cooldown.remainingMs(9000)]).toEqual([[true, false], 7000]);

	refuse(9000, undefined, 20, 6000);
	expect(cooldown.remainingMs(9000)).toBe(MINUTE_MS);
});

it('the probes end with one that is allowed, or with one that nobody sees a minute after the pause', () => {
	const isProbingAfter = (kind: 'recordAllowed' | 'recordAssumed', sentAt: number) => {
		cooldown = new Cooldown();
		refuse(1, SECOND_MS);
		cooldown[kind]({ queue, sentAt });
		return cooldown.isProbing;
	};

	expect([1, 2].map((at) => isProbingAfter('recordAllowed', at))).toEqual([true, false]);
	expect([61_001, 61_002].map((at) => isProbingAfter('recordAssumed', at))).toEqual([true, false]);
});

it('the rate is nine tenths of what was allowed before the first 429, if anything was', () => {
	const rateAfter = (...allowed: number[]) => {
		cooldown = new Cooldown();
		for (const [minute, count] of allowed.entries()) refuse(minute * MINUTE_MS, undefined, count);
		return cooldown.rate(0);
	};

	expect([[0], [1], [20], [90], [20, 5]].map((allowed) => rateAfter(...allowed))).toEqual([
		...[Infinity, 1, 18, 81, 18],
	]);
});

/** Each refusal follows twenty allowed requests, and an allowed probe. */
it.each([
	['the first refusal', 1, MINUTE_MS, 4 * SECOND_MS],
	['the fourth within an hour', 4, MINUTE_MS, 32 * SECOND_MS],
	['the fourth, each an hour later', 4, HOUR_MS + 1, 4 * SECOND_MS],
	['the tenth', 10, MINUTE_MS, 15 * MINUTE_MS],
])('after %s, the rate doubles with each tenth of the hold time', (...given) => {
	const [, refusals, everyMs, holdMs] = given;
	let now = 0;
	for (let count = 0; count < refusals; count++) {
		now += everyMs;
		refuse(now, 0);
		cooldown.recordAllowed({ queue, sentAt: now + 1 });
	}
	const heldUntil = now + cooldown.remainingMs(now) + holdMs;

	expect(
		[-1, 0, 0.1, 0.2, 0.3].map((part) => cooldown.rate(Math.ceil(heldUntil + part * holdMs))),
	).toEqual([18, 18, 36, 72, 144]);
});
