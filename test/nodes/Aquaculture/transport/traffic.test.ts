import { Cancellation } from '../../../../nodes/Aquaculture/transport/cancellation';
import { Traffic } from '../../../../nodes/Aquaculture/transport/traffic';

const EVER = Infinity;

/** Lets many requests through at once and tells how many were under way together at the most. */
async function peakOf(traffic: Traffic, count: number): Promise<number> {
	let underWay = 0;
	let peak = 0;
	const send = async () => {
		underWay += 1;
		peak = Math.max(peak, underWay);
		await new Promise((resolve) => setImmediate(resolve));
		underWay -= 1;
	};
	await Promise.all(Array.from({ length: count }, async () => await traffic.pass(EVER, send)));
	return peak;
}

describe('Traffic', () => {
	const start = (cancellation = new Cancellation()) =>
		new Traffic({ concurrentRequests: 20, requestsPerSecond: Infinity }, cancellation);

	it('narrows with refusals that were not under way together, and widens with answers', async () => {
		const traffic = start();
		expect(await peakOf(traffic, 60)).toBe(20);

		const sentAt = performance.now() - 1;
		for (let refusal = 0; refusal < 20; refusal++) traffic.slowDown(sentAt);
		expect(await peakOf(traffic, 60)).toBe(5);

		for (let refusal = 0; refusal < 20; refusal++) traffic.slowDown(Infinity);
		expect(await peakOf(traffic, 60)).toBe(1);

		for (let answer = 0; answer < 101; answer++) traffic.speedUp();
		expect(await peakOf(traffic, 60)).toBe(6);

		for (let answer = 0; answer < 10_000; answer++) traffic.speedUp();
		expect(await peakOf(traffic, 60)).toBe(20);
	});

	it('does not begin a wait that lasts too long', async () => {
		const traffic = start();
		traffic.holdFor(60_000);

		const sent = await traffic.pass(1000, async () => 'sent');

		expect(sent).toBeUndefined();
		expect(traffic.holdLeftMs()).toBeGreaterThan(50_000);
		expect(traffic.heldMs()).toBeLessThan(1000);
	});

	it('keeps the longest wait', () => {
		const traffic = start();
		traffic.holdFor(60_000);
		traffic.holdFor(10);

		expect(traffic.holdLeftMs()).toBeGreaterThan(50_000);
	});

	it('ends a wait when the execution is cancelled', async () => {
		const cancellation = new Cancellation();
		const traffic = start(cancellation);
		traffic.holdFor(60_000);

		const passing = traffic.pass(EVER, async () => 'sent');
		cancellation.cancel();

		await expect(passing).resolves.toBeUndefined();
	});
});

describe('with a clock of its own, Traffic', () => {
	let now: number;
	let pauses: number[];
	/** Its pauses take no time; the clock is put forward instead. */
	const cancellation = {
		isCancelled: false,
		async pause(milliseconds: number) {
			pauses.push(milliseconds);
			await Promise.resolve();
			now += milliseconds;
		},
	} as Cancellation;
	const start = (requestsPerSecond = Infinity, concurrentRequests = 1) =>
		new Traffic({ concurrentRequests, requestsPerSecond }, cancellation);
	/** When a request was sent, in milliseconds since the beginning. */
	const send = async (traffic: Traffic, patienceMs = EVER) =>
		await traffic.pass(patienceMs, async () => now - 1_000_000);
	const sendSome = async (traffic: Traffic, count: number) => {
		const times = [];
		for (let sent = 0; sent < count; sent++) times.push(await send(traffic));
		return times;
	};

	beforeEach(() => {
		now = 1_000_000;
		pauses = [];
		jest.spyOn(performance, 'now').mockImplementation(() => now);
	});
	afterEach(() => jest.restoreAllMocks());

	it('spreads requests evenly over the seconds', async () => {
		const times = await sendSome(start(4), 5);

		expect(times).toEqual([0, 250, 500, 750, 1000]);
	});

	it('sends no more at once after a pause than it would have without it', async () => {
		const traffic = start(4);

		expect(await send(traffic)).toBe(0);
		now += 10_000;

		expect(await sendSome(traffic, 3)).toEqual([10_000, 10_250, 10_500]);
	});

	it('makes up for a request that was sent a little late', async () => {
		const traffic = start(4);

		expect(await send(traffic)).toBe(0);
		now += 400;

		expect(await sendSome(traffic, 3)).toEqual([400, 500, 750]);
	});

	it('keeps up with many requests a second although timers go off late', async () => {
		const traffic = start(1000);

		expect(await send(traffic)).toBe(0);
		now += 3;

		expect(await sendSome(traffic, 4)).toEqual([3, 3, 3, 4]);
	});

	it('pauses for nothing without a limit', async () => {
		await sendSome(start(), 5);

		expect([now, pauses]).toEqual([1_000_000, []]);
	});

	it('waits as long as the service asks, and no longer', async () => {
		const traffic = start();
		traffic.holdFor(3000);

		await expect(send(traffic, 2999)).resolves.toBeUndefined();
		await expect(send(traffic, 3000)).resolves.toBe(3000);
		expect(pauses).toEqual([3000]);
		expect(traffic.holdLeftMs()).toBe(0);
	});

	it('counts the time that it has kept all waiting once', async () => {
		const traffic = start();
		traffic.holdFor(3000);
		now += 1000;
		traffic.holdFor(5000);
		traffic.holdFor(100);

		expect([traffic.holdLeftMs(), traffic.heldMs()]).toEqual([5000, 1000]);
		now += 60_000;
		traffic.holdFor(500);
		now += 60_000;
		expect([traffic.holdLeftMs(), traffic.heldMs()]).toEqual([0, 6500]);
	});

	it('takes requests that were under way together for one refusal', async () => {
		const traffic = start(Infinity, 16);

		traffic.slowDown(now);
		traffic.slowDown(now);
		expect(await peakOf(traffic, 60)).toBe(4);
		now += 1;
		traffic.slowDown(now);
		expect(await peakOf(traffic, 60)).toBe(1);
	});
});
