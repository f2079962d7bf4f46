import { Rotation } from '../../../../nodes/Aquaculture/trigger/rotation';
import { shareOf } from '../../../../nodes/Aquaculture/trigger/share';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let now = 0;
const idsOf = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('the rotation of a trigger', () => {
	let rotation: Rotation;
	beforeEach(() => {
		rotation = new Rotation(() => now);
	});

	/** Polls, and has time for so many sites. */
	const poll = (siteIds: readonly number[], count: number, afterMs = MINUTE): number[] => {
		now += afterMs;
		const asked = rotation.begin(siteIds).slice(0, count);
		rotation.end(asked);
		return asked;
	};

	it.each<[string, Array<[watched: number[], count: number, asked: number[]]>]>([
		[
			'begins with the sites that have waited longest',
			[
				[idsOf(5), 2, [1, 2]],
				[idsOf(5), 2, [3, 4]],
				[idsOf(5), 2, [5, 1]],
				[idsOf(5), 2, [2, 3]],
			],
		],
		[
			'keeps the order of the list where all are asked for',
			[
				[[3, 1, 2], 3, [3, 1, 2]],
				[[3, 1, 2], 3, [3, 1, 2]],
			],
		],
		[
			'begins with a site that is added, and forgets one that is taken out',
			[
				[[1, 2], 2, [1, 2]],
				[[1, 2, 9], 1, [9]],
				[[1, 9], 1, [1]],
				[[1, 2, 9], 1, [2]],
			],
		],
	])('%s', (_name, polls) => {
		const asked = polls.map(([watched, count]) => poll(watched, count));

		expect(asked).toEqual(polls.map(([, , expected]) => expected));
	});

	it('finds no site late after a weekend without polls', () => {
		for (let count = 0; count < 6; count++) poll(idsOf(6), 2);

		poll(idsOf(6), 2, 64 * HOUR);
		expect(rotation.late(2).siteIds).toEqual([]);
		poll(idsOf(6), 2);
		expect(rotation.late(2).siteIds).toEqual([]);
	});

	it('finds sites late that have waited for an hour longer than planned', () => {
		const beganAt = now + MINUTE;
		// Two polls for four sites, but only the first two are ever asked for.
		const pollTwo = () => {
			now += MINUTE;
			rotation.begin(idsOf(4));
			rotation.end([1, 2]);
		};
		pollTwo();
		while (now - beganAt <= HOUR + 2 * MINUTE) {
			expect(rotation.late(2).siteIds).toEqual([]);
			pollTwo();
		}

		expect(rotation.late(2)).toEqual({ siteIds: [3, 4], waitedMs: HOUR + 3 * MINUTE });
	});

	it('plans by how often the trigger polls', () => {
		for (let polls = 0; polls < 3; polls++) poll([1, 2], 1, 2 * HOUR);

		expect(rotation.late(1).siteIds).toEqual([]);
	});

	it('with a share of less than one site allows one now and then', () => {
		rotation.begin(idsOf(5));
		const allowed = idsOf(6).map(() => {
			const count = rotation.allowance(0.5);
			rotation.end(idsOf(count));
			return count;
		});

		expect(allowed).toEqual([1, 0, 1, 0, 1, 0]);
	});

	it('does not add up what polls could not use', () => {
		rotation.begin(idsOf(100));

		expect(idsOf(3).map(() => rotation.allowance(10))).toEqual([10, 11, 11]);
	});
});

describe('the share of a trigger', () => {
	const polled = (sites: number) => {
		const rotation = new Rotation(() => now);
		rotation.begin(idsOf(sites));
		return rotation;
	};

	it.each<[string, number, number[], number[]]>([
		['is what it needs, where there is enough', 50, [30, 20], [30, 20]],
		['is what it needs without a limit', Infinity, [1000, 2000], [1000, 2000]],
		['is everything for one alone', 50, [1000], [50]],
		['is what smaller ones leave', 50, [1000, 10], [40, 10]],
		['is even', 50, [40, 1000, 10, 2000], [40 / 3, 40 / 3, 10, 40 / 3]],
	])('%s', (_name, total, sites, shares) => {
		const account = {};
		const rotations = sites.map(polled);
		for (const rotation of rotations) shareOf(rotation, account, total);

		expect(rotations.map((rotation) => shareOf(rotation, account, total))).toEqual(shares);
	});

	it('grows once another trigger has not polled for twice its time', () => {
		const account = {};
		shareOf(polled(1000), account, 50);
		const staying = polled(100);
		const shares = idsOf(3).map(() => {
			const share = shareOf(staying, account, 50);
			now += MINUTE;
			staying.begin(idsOf(100));
			return share;
		});

		expect(shares).toEqual([25, 25, 50]);
	});
});
