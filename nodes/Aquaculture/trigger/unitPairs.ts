import type { Unit } from '../../../service/siteAnswer';

/** A unit as it was and as it is. One of the two is missing if it was added or removed. */
export interface UnitPair {
	before?: Unit | undefined;
	now?: Unit | undefined;
}

/**
 * Says which unit is which: by its ID, or by its name if it has no ID. The order in the answer does not matter.
 *
 * @returns the present units in the order in which the service sends them, except that those which share an ID or a name
 *   come together; then the removed ones.
 */
export function pairUnits(before: readonly Unit[], now: readonly Unit[]): UnitPair[] {
	const [old, present] = [byIdentity(before), byIdentity(now)];
	const pairs = [...present].flatMap(([identity, units]) =>
		pairTwins(old.get(identity) ?? [], units),
	);
	const removed = [...old].flatMap(([identity, units]) => (present.has(identity) ? [] : units));
	return [...pairs, ...removed.map((unit) => ({ before: unit }))];
}

function byIdentity(units: readonly Unit[]): Map<number | string, Unit[]> {
	const groups = new Map<number | string, Unit[]>();
	for (const unit of units) {
		const identity = unit.unitId ?? unit.unitName ?? '';
		const twins = groups.get(identity);
		if (twins) twins.push(unit);
		else groups.set(identity, [unit]);
	}
	return groups;
}

/** What makes two twins the same unit, the surest sign first. */
const SIGNS = [
	(one: Unit, other: Unit) => nameAndPosition(one) === nameAndPosition(other),
	(one: Unit, other: Unit) => (one.unitName ?? null) === (other.unitName ?? null),
	() => true,
];

/** Units that share an ID, or a name if they have none: equal ones are the same, then those of one name, then any. */
function pairTwins(before: readonly Unit[], now: readonly Unit[]): UnitPair[] {
	if (before.length <= 1 && now.length === 1) return [{ before: before[0], now: now[0] }];
	const left = sorted(before);
	const pairs: Array<UnitPair & { now: Unit }> = sorted(now).map((unit) => ({ now: unit }));
	for (const isSame of SIGNS) {
		for (const pair of pairs) {
			const index = pair.before ? -1 : left.findIndex((unit) => isSame(unit, pair.now));
			if (index >= 0) [pair.before] = left.splice(index, 1);
		}
	}
	return [...pairs, ...left.map((unit) => ({ before: unit }))];
}

function sorted(units: readonly Unit[]): Unit[] {
	return units
		.map((unit) => ({ unit, text: nameAndPosition(unit) }))
		.sort((one, other) => Number(one.text > other.text) - Number(one.text < other.text))
		.map(({ unit }) => unit);
}

function nameAndPosition({ unitName, latitude, longitude }: Unit): string {
	return JSON.stringify([unitName, latitude, longitude]);
}
