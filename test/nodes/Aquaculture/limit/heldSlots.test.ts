import fc from 'fast-check';
import { HeldSlots } from '../../../../nodes/Aquaculture/limit/heldSlots';
import { Queue, type Slot } from '../../../../nodes/Aquaculture/limit/queue';

it('counts each slot once by queue (random)', () => {
	const step = fc.record({
		waitMs: fc.nat(9000),
		queue: fc.nat(3),
		of: fc.nat(20),
		what: fc.constantFrom('grant', 'grant', 'allowed', 'failed', 'release'),
	});
	const play = (steps: Array<typeof step extends fc.Arbitrary<infer T> ? T : never>) => {
		const held = new HeldSlots();
		const owners = ['execution', 'execution', 'poll', 'httpNode'] as const;
		const queues = owners.map((owner) => new Queue(owner, 100));
		const slots: Slot[] = [];
		let now = 0;
		for (const { waitMs, queue, of, what } of steps) {
			now += waitMs;
			held.expire(now);
			const slot = slots[of % slots.length];
			if (what === 'grant') slots.push(held.grant(queues[queue] as Queue, now));
			else if (slot && what === 'release') held.release(slot);
			else if (slot) held.end(slot, what === 'allowed', now);

			expect(queues.reduce((count, each) => count + held.heldBy(each), 0)).toBe(held.size);
			expect(held.heldByPolls).toBe(held.heldBy(queues[2] as Queue));
			const delays = Array.from({ length: held.size + 2 }, (_, lacking) =>
				held.msUntilExpired(lacking, now),
			);
			expect(delays).toEqual(delays.toSorted((one, other) => one - other));
			if (held.size > 0) expect(delays.slice(1)).not.toContain(0);
			else expect(delays).toEqual([0, 0]);
		}
	};
	fc.assert(fc.property(fc.array(step, { maxLength: 100 }), play), { numRuns: 200, seed: 1 });
});
