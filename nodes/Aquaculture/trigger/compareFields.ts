import canonicalJson from 'fast-json-stable-stringify';
import type { JsonObject } from '../service/body';
import type { ChangeKind } from './triggerSettings';

export interface Change {
	kind: ChangeKind;
	/** Null for a unit that was added or removed. */
	field: string | null;
	/** Absent if the change concerns the site itself. */
	unit?: JsonObject;
	/** Null if there was no value. */
	oldValue: unknown;
	newValue: unknown;
}

/** Returns the kind of change; undefined for a field that is an ID, or that is compared in another way. */
export type Classify = (field: string, before: unknown, after: unknown) => ChangeKind | undefined;

/** Compares the fields of two objects. A missing field equals null. */
export function differences(before: JsonObject, after: JsonObject, classify: Classify): Change[] {
	const fields = new Set([...Object.keys(after), ...Object.keys(before)]);
	return [...fields].flatMap((field) => {
		const [oldValue, newValue] = [getField(before, field), getField(after, field)];
		const kind = classify(field, oldValue, newValue);
		if (!kind || oldValue === newValue) return [];
		const isSame = canonicalJson(oldValue) === canonicalJson(newValue);
		return isSame ? [] : [{ kind, field, oldValue, newValue }];
	});
}

/** Returns the value of a field, which may have a name such as `constructor`. */
function getField(fields: JsonObject, field: string): unknown {
	return Object.hasOwn(fields, field) ? (fields[field] ?? null) : null;
}

/** Drops fields without a value, and rounds the position to about 10 cm, so that no digits count that a calculation left. */
export function normalise(fields: JsonObject): JsonObject {
	const present = Object.entries(fields).filter(([, value]) => !isMissing(value));
	const rounded = present.map(([field, value]) => {
		const isCoordinate = typeof value === 'number' && ['latitude', 'longitude'].includes(field);
		return [field, isCoordinate ? Number(value.toFixed(6)) : value];
	});
	return Object.fromEntries(rounded) as JsonObject;
}

export function isMissing(value: unknown): boolean {
	return (value ?? null) === null;
}
