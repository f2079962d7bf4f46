import { quote, type CheckedField } from './checked';

/* What a person may type for a request, checked before the request is built. */

/**
 * A site's identifier, typed as a number or as a string of digits: an integer of either sign, small enough to be
 * exact in JSON (below 2^53).
 */
export function checkSiteId(typed: unknown): CheckedField<number> {
	const trimmed = typeof typed === 'string' ? typed.trim() : typed;
	if (trimmed === '' || trimmed === null || trimmed === undefined) return { fault: 'is empty' };

	const isInteger =
		typeof trimmed === 'string' ? /^-?\d+$/.test(trimmed) : Number.isInteger(trimmed);
	if (!isInteger) return { fault: `is not a whole number: ${quote(trimmed)}` };

	const value = Number(trimmed);
	if (!Number.isSafeInteger(value)) {
		return { fault: `is too large for a site ID: ${quote(trimmed)}` };
	}
	return { value: value === 0 ? 0 : value };
}

/**
 * A list of site IDs in the order given, repetitions included: a text in which they are separated by commas, semicolons,
 * blanks or line breaks, or which is a list in JSON; or a list whose elements are IDs or such texts; or a single number.
 * What is left blank between separators, or is null in a list, is passed over.
 */
export function checkSiteIds(typed: unknown): CheckedField<number[]> {
	const MAX_NAMED = 3;
	const given = typed ?? '';
	if (!Array.isArray(given) && typeof given !== 'string' && typeof given !== 'number') {
		return { fault: `is not a list of site IDs: ${quote(given)}` };
	}
	const entries = (Array.isArray(given) ? (given as unknown[]) : [given]).flatMap(splitList);
	if (entries.length === 0) return { fault: 'is empty' };

	const checked = entries.map(checkSiteId);
	const bad = entries.filter((_entry, index) => checked[index]?.fault !== undefined);
	if (bad.length === 0) return { value: checked.map(({ value }) => value as number) };

	const named = bad.slice(0, MAX_NAMED).map(quote).join(', ');
	if (bad.length === 1) return { fault: `holds an entry that is not a site ID: ${named}` };
	const more = bad.length > MAX_NAMED ? ` and ${bad.length - MAX_NAMED} more` : '';
	return { fault: `holds ${bad.length} entries that are not site IDs: ${named}${more}` };
}

/** The entries of a typed list; anything but a text is an entry by itself. */
function splitList(typed: unknown): unknown[] {
	if (typed === null || typed === undefined) return [];
	if (typeof typed !== 'string') return [typed];
	const list = jsonList(typed);
	if (list) return list.flatMap(splitList);
	return typed.split(/[\s,;]/).filter((entry) => entry !== '');
}

/** A list that is written as JSON, as language models write it. */
function jsonList(typed: string): unknown[] | undefined {
	if (!/^\s*\[/.test(typed)) return undefined;
	try {
		return JSON.parse(typed) as unknown[];
	} catch {
		return undefined;
	}
}

/**
 * Further values of `$include`, typed as a list separated by commas: trimmed, without blanks and repetitions.
 * Which values the service knows beyond the documented ones is not shown.
 */
export function checkIncludes(typed: unknown): CheckedField<string[]> {
	if (typed === undefined || typed === null) return { value: [] };
	if (typeof typed !== 'string') return { fault: `is not a text: ${quote(typed)}` };
	if (!typed.isWellFormed()) return { fault: 'holds a character that cannot be sent' };

	const values = typed.split(',').map((value) => value.trim());
	return { value: [...new Set(values)].filter((value) => value !== '') };
}

/** A value of the version header: a date that exists, in the form `YYYY-MM-DD` (interface document, "Versioning"). */
export function checkVersion(typed: unknown): CheckedField<string> {
	const trimmed = typeof typed === 'string' ? typed.trim() : typed;
	if (trimmed === '' || trimmed === null || trimmed === undefined) return { fault: 'is empty' };
	if (typeof trimmed !== 'string' || !isDate(trimmed)) {
		return { fault: `is not a date in the form YYYY-MM-DD: ${quote(trimmed)}` };
	}
	return { value: trimmed };
}

function isDate(text: string): boolean {
	if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
	// The calendar makes another day of one that does not exist, or none.
	return new Date(text).toJSON() === `${text}T00:00:00.000Z`;
}
