import fc from 'fast-check';
import { HeldSlots } from '../../../../nodes/Aquaculture/limit/heldSlots';
import { Queue, type Slot } from '../../../../nodes/Aquaculture/limit/queue';
import { QUEUE_KINDS } from '../../../../nodes/Aquaculture/limit/queueKinds';

const { execution, poll, httpNode } = QUEUE_KINDS;

it('counts each slot once by queue and once by kind (random)', () => {
	const step = fc.record({
		waitMs: fc.nat(9000),
		queue: fc.nat(3),
		of: fc.nat(20),
		what: fc.constantFrom('grant', 'grant', 'allowed', 'failed', 'release'),
	});
	const play = (steps: Array<typeof step extends fc.Arbitrary<infer T> ? T : never>) => {
		const held = new HeldSlots();
		const queues = [execution, execution, poll, httpNode].map((kind) => new Queue(kind, 100));
		const slots: Slot[] = [];
		let now = 0;
		for (const { waitMs, queue, of, what } of steps) {
			now += waitMs;
			held.expire(now);
			const slot = slots[of % slots.length];
			if (what === 'grant') slots.push(held.grant(queues[queue] as Queue, now));
			else if (slot && what === 'release') held.release(slot);
			else if (slot) held.end(slot, what === 'allowed', now);

			const sum = (holders: Array<Parameters<HeldSlots['heldBy']>[0]>) =>
				holders.reduce((count, holder) => count + held.heldBy(holder), 0);
			expect(sum(queues)).toBe(held.size);
			expect(sum([execution, poll, httpNode])).toBe(held.size);
			const times = held.expiryTimes(now);
			expect(times).toHaveLength(held.size);
			expect(times[0] ?? Infinity).toBeGreaterThan(now);
			expect(times).toEqual(times.toSorted((one, other) => one - other));
		}
	};
	fc.assert(fc.property(fc.array(step, { maxLength: 100 }), play), { numRuns: 200, seed: 1 });
});
