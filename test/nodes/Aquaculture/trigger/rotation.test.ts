import { partOf, Rotation, rotationOf } from '../../../../nodes/Aquaculture/trigger/rotation';

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

	it('takes a weekend without polls for no delay', () => {
		const world = new World();
		const siteIds = [1, 2, 3, 4, 5, 6];
		for (let count = 0; count < 6; count++) world.poll(siteIds, 2);

		world.poll(siteIds, 2, 64 * HOUR);
		expect(world.rotation.late(2).siteIds).toEqual([]);
		world.poll(siteIds, 2);

		expect(world.rotation.late(2).siteIds).toEqual([]);
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

describe('the part of a trigger', () => {
	let now = 0;
	const idsOf = (count: number) => Array.from({ length: count }, (_, index) => index);
	const polled = (sites: number) => {
		const rotation = new Rotation(() => now);
		rotation.begin(idsOf(sites));
		return rotation;
	};
	const partsOf = (total: number, ...sites: number[]) => {
		const account = {};
		const rotations = sites.map(polled);
		for (const rotation of rotations) partOf(rotation, account, total);
		return rotations.map((rotation) => partOf(rotation, account, total));
	};

	it('is as much as it needs, where there is enough for all', () => {
		expect(partsOf(50, 30, 20)).toEqual([30, 20]);
		expect(partsOf(Infinity, 1000, 2000)).toEqual([1000, 2000]);
	});

	it('is even, and those that need fewer leave the rest to the others', () => {
		expect(partsOf(50, 1000)).toEqual([50]);
		expect(partsOf(50, 1000, 10)).toEqual([40, 10]);
		expect(partsOf(50, 40, 1000, 10, 2000)).toEqual([40 / 3, 40 / 3, 10, 40 / 3]);
	});

	it('grows once another trigger has not polled for twice its time', () => {
		const account = {};
		partOf(polled(1000), account, 50);
		const staying = polled(100);
		const parts = Array.from({ length: 3 }, () => {
			const part = partOf(staying, account, 50);
			now += MINUTE;
			staying.begin(idsOf(100));
			return part;
		});

		expect(parts).toEqual([25, 25, 50]);
	});

	it('of less than one site is one site now and then', () => {
		const rotation = polled(5);
		const turns = Array.from({ length: 6 }, () => {
			const count = rotation.turns(0.5);
			rotation.note(idsOf(count));
			return count;
		});

		expect(turns).toEqual([1, 0, 1, 0, 1, 0]);
	});

	it('that a poll could not use does not add up', () => {
		const rotation = polled(100);
		rotation.turns(10);
		rotation.turns(10);

		expect(rotation.turns(10)).toBe(11);
	});
});
