import type { Rotation } from './rotation';

/** The rotations of the triggers of each account. */
const triggersOf = new WeakMap<object, Set<Rotation>>();

/**
 * How many sites a trigger may ask for in a minute. What all triggers of its account may ask for is divided evenly; one
 * that watches fewer sites leaves the rest to the others. Without it, a trigger that polls first in each minute would
 * leave nothing to one that polls a little later.
 *
 * @param account an object that stands for the account.
 * @param total how many sites all triggers of the account may ask for in a minute.
 */
export function shareOf(rotation: Rotation, account: object, total: number): number {
	const all = triggersOf.get(account) ?? new Set();
	triggersOf.set(account, all.add(rotation));
	for (const other of all) {
		if (other.sites === 0) all.delete(other);
	}
	return fairShare(
		rotation.sites,
		[...all].map(({ sites }) => sites),
		total,
	);
}

function fairShare(own: number, all: readonly number[], total: number): number {
	let left = total;
	let others = all.length;
	for (const sites of all.toSorted((one, other) => one - other)) {
		const share = left / others;
		if (sites >= share) return Math.min(own, share);
		left -= sites;
		others -= 1;
	}
	return own;
}
