import { Rotation, rotationOf } from '../../../../nodes/Aquaculture/trigger/rotation';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A trigger that polls every minute, and its clock. */
class World {
	now = 0;

	readonly rotation = new Rotation(() => this.now);

	/** Polls, and has time for so many sites. */
	poll(siteIds: readonly number[], count: number, afterMs = MINUTE): number[] {
		this.now += afterMs;
		const asked = this.rotation.begin(siteIds).slice(0, count);
		this.rotation.note(asked);
		return asked;
	}
}

describe('the rotation of a trigger', () => {
	it('begins with the sites that have waited longest', () => {
		const world = new World();

		expect(world.poll([1, 2, 3, 4, 5], 2)).toEqual([1, 2]);
		expect(world.poll([1, 2, 3, 4, 5], 2)).toEqual([3, 4]);
		expect(world.poll([1, 2, 3, 4, 5], 2)).toEqual([5, 1]);
		expect(world.poll([1, 2, 3, 4, 5], 2)).toEqual([2, 3]);
	});

	it('keeps the order of the list where all are asked for', () => {
		const world = new World();

		expect(world.poll([3, 1, 2], 3)).toEqual([3, 1, 2]);
		expect(world.poll([3, 1, 2], 3)).toEqual([3, 1, 2]);
	});

	it('begins with a site that is added, and forgets one that is taken out', () => {
		const world = new World();
		world.poll([1, 2], 2);

		expect(world.poll([1, 2, 9], 1)).toEqual([9]);
		expect(world.poll([1, 9], 1)).toEqual([1]);
		expect(world.poll([1, 2, 9], 1)).toEqual([2]);
	});

	it('knows which sites have waited for an hour longer than planned', () => {
		const world = new World();
		const siteIds = [1, 2, 3, 4];
		// Two polls for four sites, but only the first two are ever asked for.
		const poll = () => {
			world.now += MINUTE;
			world.rotation.begin(siteIds);
			world.rotation.note([1, 2]);
		};
		poll();
		while (world.now <= HOUR + 3 * MINUTE) {
			expect(world.rotation.late(2).siteIds).toEqual([]);
			poll();
		}

		expect(world.rotation.late(2)).toEqual({ siteIds: [3, 4], waitedMs: HOUR + 3 * MINUTE });
	});

	it('plans by how often the trigger polls', () => {
		const world = new World();
		for (let polls = 0; polls < 3; polls++) world.poll([1, 2], 1, 2 * HOUR);

		expect(world.rotation.late(1).siteIds).toEqual([]);
	});

	it('is one for each trigger', () => {
		expect(rotationOf('workflow/one')).toBe(rotationOf('workflow/one'));
		expect(rotationOf('workflow/one')).not.toBe(rotationOf('workflow/other'));
	});

	it('is kept for the triggers that polled last', () => {
		const first = rotationOf('first');
		const second = rotationOf('second');
		for (let count = 0; count < 998; count++) rotationOf(`workflow/${count}`);
		rotationOf('first');
		rotationOf('one more');

		expect(rotationOf('first')).toBe(first);
		expect(rotationOf('second')).not.toBe(second);
	});
});
