import canonicalJson from 'fast-json-stable-stringify';

/** Fields of a site, of its info or of a unit. */
export type Fields = Record<string, unknown>;

export interface FieldChange {
	field: string;
	/** Null where there was no value. */
	oldValue: unknown;
	newValue: unknown;
}

export interface FieldComparison {
	changes: FieldChange[];
	/** What to remember from now on: values only, no nulls. */
	kept: Fields;
	/** Whether the memory has values that were not known before. */
	hasLearned: boolean;
}

/** Positions closer than this are the same, in degrees: a tenth of a metre. */
const TOLERANCE_DEGREES = 1e-6;

/**
 * Compares fields with what is remembered of them. A missing field is the same as null, and the order of fields does not
 * matter, at any depth. The remembered value is kept until a change is found.
 *
 * @param isKnown whether a field was watched when the remembered ones were read.
 */
export function compareFields(
	before: Fields,
	now: Fields,
	isKnown: (field: string) => boolean,
): FieldComparison {
	const changes: FieldChange[] = [];
	const kept: Array<[string, unknown]> = [];
	let hasLearned = false;
	for (const field of new Set([...Object.keys(now), ...Object.keys(before)])) {
		const oldValue = valueOf(before, field);
		const newValue = valueOf(now, field);
		const isSame = isKnown(field) && isSameValue(field, oldValue, newValue);
		const value = isSame ? oldValue : newValue;
		if (value !== null) kept.push([field, value]);
		if (isSame) continue;
		if (isKnown(field)) changes.push({ field, oldValue, newValue });
		else if (newValue !== null) hasLearned = true;
	}
	return { changes, kept: Object.fromEntries(kept), hasLearned };
}

function valueOf(fields: Fields, field: string): unknown {
	return Object.hasOwn(fields, field) ? (fields[field] ?? null) : null;
}

function isSameValue(field: string, one: unknown, other: unknown): boolean {
	const isCoordinate = field === 'longitude' || field === 'latitude';
	return isCoordinate && typeof one === 'number' && typeof other === 'number'
		? Math.abs(one - other) < TOLERANCE_DEGREES
		: one === other || canonicalJson(one) === canonicalJson(other);
}
