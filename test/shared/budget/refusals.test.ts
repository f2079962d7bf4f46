import { Refusals } from '../../../shared/budget/refusals';
import { HOUR_MS, MINUTE_MS } from '../../../shared/duration';

const SETTING = 100;

/** Minutes after a first refusal at 0, when the service had accepted 20 requests; it is asked for again at 1. */
let refusals: Refusals;

const refuseAt = (minute: number, accepted: number) => {
	const now = minute * MINUTE_MS;
	refusals.refuse({ sentAt: now, retryAfterMs: undefined, accepted }, SETTING, now);
	refusals.accept(now + MINUTE_MS, 1, SETTING);
};
const allowedAt = (minute: number) => refusals.allowed(SETTING, minute * MINUTE_MS);

beforeEach(() => {
	refusals = new Refusals();
	refuseAt(0, 20);
});

it('after a refusal as many are allowed as were accepted, and a tenth more each minute', () => {
	expect([1, 1.99, 2, 3, 4, 8, 9, 10].map(allowedAt)).toEqual([20, 20, 30, 40, 50, 90, 100, 100]);
	expect(refusals.growsAt(SETTING, 3.5 * MINUTE_MS)).toBe(4 * MINUTE_MS);
	expect(refusals.growsAt(SETTING, 9 * MINUTE_MS)).toBeUndefined();
});

it('a refusal while the number grows restores the last good one, which then grows half as fast', () => {
	refuseAt(4, 45);

	expect([5, 6.99, 7].map(allowedAt)).toEqual([40, 40, 50]);
});

it('a refusal before it has grown lowers it to what was accepted, but not to nothing', () => {
	refuseAt(1.5, 5);
	expect(allowedAt(2.5)).toBe(5);
	refuseAt(3, 0);
	expect(allowedAt(4)).toBe(1);
});

it('a refusal long after it has grown to what is set restores the step before', () => {
	refuseAt(40, 100);

	expect(allowedAt(41)).toBe(90);
});

it('where nothing is set, a tenth of the published limit is added each minute', () => {
	refusals = new Refusals();
	refusals.refuse({ sentAt: 0, retryAfterMs: undefined, accepted: 0 }, Infinity, 0);
	refusals.accept(MINUTE_MS, 1, Infinity);

	expect([1, 2, 3].map((minute) => refusals.allowed(Infinity, minute * MINUTE_MS))).toEqual([
		1, 11, 21,
	]);
	refusals.forget(Infinity, HOUR_MS + MINUTE_MS);
	expect(refusals.allowed(Infinity, HOUR_MS + MINUTE_MS)).toBe(Infinity);
});

it('a refusal is over when the service takes as many as are set, in requests sent after it', () => {
	refusals.accept(0, SETTING, SETTING);
	refusals.accept(2 * MINUTE_MS, SETTING - 1, SETTING);
	expect(refusals.isCautious).toBe(true);
	refusals.accept(2 * MINUTE_MS, SETTING, SETTING);
	expect(refusals.isCautious).toBe(false);
});

it('a refusal is over after an hour', () => {
	refusals.forget(SETTING, HOUR_MS + MINUTE_MS - 1);
	expect(refusals.isCautious).toBe(true);
	refusals.forget(SETTING, HOUR_MS + MINUTE_MS);
	expect(refusals.isCautious).toBe(false);
});
