import * as z from 'zod/v4-mini';
import type { Checked } from './checked';

/*
 * What a person may type for a request, checked before the request is built. A fault completes a sentence that
 * begins with the name of the field: "The 'Site ID' parameter" + "is empty".
 */

/**
 * A site's identifier, typed as a number or as a string of digits: an integer of either sign, small enough to be
 * exact in JSON (below 2^53).
 */
export function checkSiteId(typed: unknown): Checked<number> {
	const trimmed = typeof typed === 'string' ? typed.trim() : typed;
	if (trimmed === '' || trimmed === null || trimmed === undefined) return { fault: 'is empty' };

	const isInteger =
		typeof trimmed === 'number' ? Number.isInteger(trimmed) : /^-?\d+$/.test(asText(trimmed));
	if (!isInteger) return { fault: `is not a whole number: ${quote(trimmed)}` };

	const value = Number(trimmed);
	if (!Number.isSafeInteger(value))
		return { fault: `is too large for a site ID: ${quote(trimmed)}` };
	return { value: value === 0 ? 0 : value };
}

/**
 * Further values of `$include`, typed as a list separated by commas: trimmed, without blanks and repetitions.
 * Which values the service knows beyond the documented ones is not shown.
 */
export function checkIncludes(typed: unknown): Checked<string[]> {
	if (typed === undefined || typed === null) return { value: [] };
	if (typeof typed !== 'string') return { fault: `is not a text: ${quote(typed)}` };
	if (!typed.isWellFormed()) return { fault: 'holds a character that cannot be sent' };

	const values = typed.split(',').map((value) => value.trim());
	return { value: [...new Set(values)].filter((value) => value !== '') };
}

/** A value of the version header: a date that exists, in the form `YYYY-MM-DD` (interface document, "Versioning"). */
export function checkVersion(typed: unknown): Checked<string> {
	const trimmed = typeof typed === 'string' ? typed.trim() : typed;
	if (trimmed === '' || trimmed === null || trimmed === undefined) return { fault: 'is empty' };
	if (!z.iso.date().safeParse(trimmed).success) {
		return { fault: `is not a date in the form YYYY-MM-DD: ${quote(trimmed)}` };
	}
	return { value: String(trimmed) };
}

/** A waiting time, typed in seconds; the value is in milliseconds. */
export function checkSeconds(typed: unknown): Checked<number> {
	const MAX_SECONDS = 3600;
	const seconds = typeof typed === 'string' && typed.trim() !== '' ? Number(typed) : typed;
	if (typeof seconds !== 'number' || !(seconds > 0 && seconds <= MAX_SECONDS)) {
		return {
			fault: `is not a number of seconds above 0 and up to ${MAX_SECONDS}: ${quote(typed)}`,
		};
	}
	return { value: seconds * 1000 };
}

/** A checkbox, which an expression may also fill with the words true and false. */
export function checkSwitch(typed: unknown): Checked<boolean> {
	if (typed === true || typed === 'true') return { value: true };
	if (typed === false || typed === 'false') return { value: false };
	return { fault: `is neither true nor false: ${quote(typed)}` };
}

function asText(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** The typed value as a person would recognise it, cut to a readable length. */
function quote(value: unknown): string {
	const text = typeof value === 'object' ? JSON.stringify(value) : `"${String(value)}"`;
	return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
