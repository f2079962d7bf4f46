import type { Checked } from '../texts/checked';
import { VALUE_FAULTS } from '../texts/faults';

/* What a person may type for a request, checked before the request is built. */

/** An integer as JSON spells it: a zero comes first only in 0 itself. */
const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/** `007`, or `1 001` as spreadsheets show it, with any blank or other thousands separator. */
const OTHER_SPELLING = /^-?(?:0\d+|\d{1,3}(?:[\s,.'\u2019]\d{3})+)$/;

/**
 * A site's identifier, typed as a number or as a string of digits: an integer of either sign, small enough to be
 * exact in JSON (below 2^53). Leading zeros and thousands separators are refused: `007` may be a code, `1 001` two IDs.
 */
export function checkSiteId(typed: unknown): Checked<number> {
	const trimmed = typeof typed === 'string' ? typed.trim() : typed;
	if (trimmed === '' || trimmed === null || trimmed === undefined) return VALUE_FAULTS.empty();

	if (isSpeltOtherwise(trimmed)) return VALUE_FAULTS.idSpelling(trimmed);
	const isInteger = typeof trimmed === 'string' ? INTEGER.test(trimmed) : Number.isInteger(trimmed);
	if (!isInteger) return VALUE_FAULTS.notWholeNumber(trimmed);

	const value = Number(trimmed);
	if (!Number.isSafeInteger(value)) return VALUE_FAULTS.idTooLarge(trimmed);
	return { value: value === 0 ? 0 : value };
}

function isSpeltOtherwise(entry: unknown): boolean {
	return typeof entry === 'string' && OTHER_SPELLING.test(entry);
}

/**
 * A list of site IDs in the order given, repetitions included: a text in which they are separated by commas, semicolons,
 * blanks or line breaks, or which is a list in JSON; or a list whose elements are IDs or such texts; or a single number.
 * Blank entries, and null in a list, are skipped. A blank that may be a thousands separator (`7 100`) counts as one, so
 * that the entry is refused and not guessed.
 */
export function checkSiteIds(typed: unknown): Checked<number[]> {
	const given = typed ?? '';
	if (!Array.isArray(given) && typeof given !== 'string' && typeof given !== 'number') {
		return VALUE_FAULTS.notIdList(given);
	}
	const entries = (Array.isArray(given) ? (given as unknown[]) : [given]).flatMap(splitList);
	if (entries.length === 0) return VALUE_FAULTS.empty();

	const checked = entries.map(checkSiteId);
	const bad = entries.filter((_entry, index) => checked[index]?.fault !== undefined);
	if (bad.length === 0) return { value: checked.map(({ value }) => value as number) };
	const spellings = VALUE_FAULTS.idSpellings(bad);
	if (bad.every(isSpeltOtherwise)) return spellings;
	const { description } = spellings;
	return { ...VALUE_FAULTS.notIds(bad), ...(bad.some(isSpeltOtherwise) && { description }) };
}

/** The text between separators. Groups of three digits with one blank between them, no tab or line break, are one entry. */
const ENTRY = /(?<![^\s,;])-?\d{1,3}(?:[^\S\t-\r\u2028\u2029]\d{3})+(?![^\s,;])|[^\s,;]+/g;

/** The entries of a typed list; anything but a text is an entry by itself. */
function splitList(typed: unknown): unknown[] {
	if (typed === null || typed === undefined) return [];
	if (typeof typed !== 'string') return [typed];
	return jsonList(typed)?.flatMap(splitList) ?? typed.match(ENTRY) ?? [];
}

/** A list that is written as JSON, as language models write it. */
export function jsonList(typed: string): unknown[] | undefined {
	const trimmed = typed.trim();
	if (!trimmed.startsWith('[')) return undefined;
	try {
		return JSON.parse(trimmed) as unknown[];
	} catch {
		return undefined;
	}
}

/**
 * Further values of `$include`, typed as a list separated by commas: trimmed, without blanks and repetitions.
 * Which values the service knows beyond the documented ones is not shown.
 */
export function checkIncludes(typed: unknown): Checked<string[]> {
	if (typed === undefined || typed === null) return { value: [] };
	if (typeof typed !== 'string') return VALUE_FAULTS.notText(typed);
	if (!typed.isWellFormed()) return VALUE_FAULTS.unsendable();

	const values = typed.split(',').map((value) => value.trim());
	return { value: [...new Set(values)].filter((value) => value !== '') };
}

/** A value of the version header: a date that exists, in the form `YYYY-MM-DD` (docs/service-interface.md, "Versioning"). */
export function checkVersion(typed: unknown): Checked<string> {
	const trimmed = typeof typed === 'string' ? typed.trim() : typed;
	if (trimmed === '' || trimmed === null || trimmed === undefined) return VALUE_FAULTS.empty();
	if (typeof trimmed !== 'string' || !isDate(trimmed)) return VALUE_FAULTS.notDate(trimmed);
	return { value: trimmed };
}

function isDate(text: string): boolean {
	if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
	// `Date` turns a day that does not exist into another day or an invalid date.
	return new Date(text).toJSON() === `${text}T00:00:00.000Z`;
}

/** The name of the version header in docs/service-interface.md, which has a neutral word in place of the service's name. */
export const VERSION_HEADER = 'Service-Version';

/** The limit that the operator publishes (docs/service-interface.md, "Rate Limits"). */
export const REQUESTS_PER_MINUTE = 100;
export const MAX_REQUESTS_PER_MINUTE = 10_000;

/**
 * How many requests an account may send in a minute; Infinity if 0 is typed.
 *
 * @param typed undefined in a credential that was stored before there was this field.
 */
export function checkRequestsPerMinute(typed: unknown = REQUESTS_PER_MINUTE): Checked<number> {
	const text = typeof typed === 'number' ? `${typed}` : typed;
	if (text === null || (typeof text === 'string' && text.trim() === '')) {
		return VALUE_FAULTS.empty();
	}
	const count = typeof text === 'string' && /^\s*\d+\s*$/.test(text) ? Number(text) : NaN;
	if (!(count <= MAX_REQUESTS_PER_MINUTE)) {
		return VALUE_FAULTS.countOutside(typed, 0, MAX_REQUESTS_PER_MINUTE);
	}
	return { value: count === 0 ? Infinity : count };
}
