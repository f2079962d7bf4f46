import canonicalJson from 'fast-json-stable-stringify';
import { toCell } from '../output/rows';
import type { JsonObject } from '../service/body';
import { differences, isMissing, normalise, type Change, type Classify } from './compareFields';

/**
 * Compares the units that have the same ID. All others are matched by name: those without an ID, or whose ID is repeated, and
 * those whose ID the other answer does not have, because it may have left out all IDs.
 */
export function compareUnits(unitsBefore: JsonObject[], unitsAfter: JsonObject[]): Change[] {
	const before = unitsBefore.map(normalise);
	const after = unitsAfter.map(normalise);
	const byId = [groupBy(before, formatId), groupBy(after, formatId)];
	const getKey = (unit: JsonObject) => {
		const id = formatId(unit);
		const isShared = id !== null && byId.every((units) => units.get(id)?.length === 1);
		return isShared ? `id ${id}` : `name ${canonicalJson(unit.unitName ?? null)}`;
	};
	const [previous, current] = [groupBy(before, getKey), groupBy(after, getKey)];
	// In the order in which the service sends the units, followed by those that are gone.
	const keys = new Set([...current.keys(), ...previous.keys()]);
	return [...keys].flatMap((key) => compareGroup(previous.get(key) ?? [], current.get(key) ?? []));
}

/** Returns the values of units, each as a change from nothing. */
export function listUnitValues(units: JsonObject[]): Change[] {
	return units.flatMap((unit) => compareUnit({}, normalise(unit)));
}

/** Returns the ID of a unit as a text: 7 and "7" are the same. */
function formatId({ unitId }: JsonObject): string | null {
	return typeof unitId === 'number' || typeof unitId === 'string' ? String(unitId) : null;
}

function groupBy<Key>(units: JsonObject[], getKey: (unit: JsonObject) => Key) {
	const groups = new Map<Key, JsonObject[]>();
	for (const unit of units) {
		const key = getKey(unit);
		const group = groups.get(key);
		if (group) group.push(unit);
		else groups.set(key, [unit]);
	}
	return groups;
}

/**
 * Compares the units of a key. Nobody can tell which one of several has changed, so it counts as removed and added, like a unit
 * that has another ID.
 */
function compareGroup(before: JsonObject[], after: JsonObject[]): Change[] {
	const [previous, unit] = [before[0], after[0]];
	const ids = [...before, ...after].map(formatId);
	const lacksIds = ids.includes(null);
	const isOneUnit = before.length === 1 && after.length === 1 && (lacksIds || ids[0] === ids[1]);
	if (previous && unit && isOneUnit) return compareUnit(previous, unit);
	const getIdentity = (each: JsonObject) =>
		canonicalJson(lacksIds ? { ...each, unitId: null } : each);
	return [
		...subtract(after, before, getIdentity).map((added) => wholeUnit('unitAdded', added)),
		...subtract(before, after, getIdentity).map((gone) => wholeUnit('unitRemoved', gone)),
	];
}

function wholeUnit(kind: 'unitAdded' | 'unitRemoved', unit: JsonObject): Change {
	const name = unit.unitName ?? null;
	const [oldValue, newValue] = kind === 'unitAdded' ? [null, name] : [name, null];
	return { kind, field: null, unit, oldValue, newValue };
}

/** Returns the units that are more often in a list than in another one. */
function subtract(
	units: JsonObject[],
	others: JsonObject[],
	getIdentity: (unit: JsonObject) => string,
): JsonObject[] {
	const equalUnits = groupBy(others, getIdentity);
	return units.filter((unit) => !equalUnits.get(getIdentity(unit))?.pop());
}

const unitKind: Classify = (field) => {
	if (['unitId', 'latitude', 'longitude'].includes(field)) return undefined;
	return field === 'unitName' ? 'unitRenamed' : 'unitChanged';
};

function compareUnit(before: JsonObject, unit: JsonObject): Change[] {
	const [oldValue, newValue] = [formatPosition(before), formatPosition(unit)];
	const moved = { kind: 'unitMoved' as const, field: 'position', oldValue, newValue };
	const changes = differences(before, unit, unitKind);
	return [...changes, ...(oldValue === newValue ? [] : [moved])].map((each) => ({ ...each, unit }));
}

/** Formats latitude and longitude as one value, because both change when a unit moves. */
function formatPosition({ latitude, longitude }: JsonObject): string | null {
	if (isMissing(latitude) && isMissing(longitude)) return null;
	return [latitude, longitude].map((value) => toCell(value) ?? 'unknown').join(', ');
}
