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

		const sentAt = Date.now() - 1;
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
