import { MINUTE_MS, SECOND_MS } from '../messages/duration';
import { VALUE_FAULTS, type Checked } from '../messages/faults';
import { MAX_REQUESTS_PER_MINUTE, REQUESTS_PER_MINUTE } from '../service/constants';

/* What the panel, the credential, expressions and AI agents give, turned into the values that requests use. */

/** Removes the characters of Unicode's category Cf, such as zero-width spaces: people paste them unnoticed. */
export function visible(text: string): string {
	return text.replace(/\p{Cf}/gu, '');
}

/** Removes invisible characters and outer spaces of a text; returns any other value as it is. */
export function trimmed(typed: unknown): unknown {
	return typeof typed === 'string' ? visible(typed).trim() : typed;
}

export function isEmpty(typed: unknown): boolean {
	return trimmed(typed ?? '') === '';
}

/** A text with its spaces, for passwords. A number, which an expression may give, is its digits. */
export function checkVerbatim(typed: unknown): Checked<string> {
	const text = typeof typed === 'number' ? String(typed) : (typed ?? '');
	return typeof text === 'string' ? { value: text } : VALUE_FAULTS.notText(typed);
}

/** A text without invisible characters and outer spaces. */
export function checkText(typed: unknown): Checked<string> {
	return checkVerbatim(trimmed(typed));
}

/** A checkbox, for which an expression may give the words true and false. */
export function checkSwitch(typed: unknown): Checked<boolean> {
	if (typed === true || typed === 'true') return { value: true };
	if (typed === false || typed === 'false') return { value: false };
	return VALUE_FAULTS.notSwitch(typed);
}

/** Choices from a list, each once and in the list's order. */
export function checkChoices<T extends string>(
	typed: unknown,
	offered: readonly T[],
): Checked<T[]> {
	if (!Array.isArray(typed)) return VALUE_FAULTS.notChoices(typed);
	const unknown = (typed as unknown[]).find((choice) => !offered.includes(choice as T));
	if (unknown !== undefined) return VALUE_FAULTS.unknownChoice(unknown);
	return { value: offered.filter((choice) => typed.includes(choice)) };
}

export function checkCount(typed: unknown, smallest: number, largest: number): Checked<number> {
	const count = typedNumber(typed);
	return Number.isInteger(count) && count >= smallest && count <= largest
		? { value: count }
		: VALUE_FAULTS.countOutside(typed, smallest, largest);
}

/** Seconds, as milliseconds. */
export function checkSeconds(typed: unknown, largest: number): Checked<number> {
	const seconds = typedNumber(typed);
	return seconds > 0 && seconds <= largest
		? { value: seconds * SECOND_MS }
		: VALUE_FAULTS.secondsOutside(typed, largest);
}

/** Minutes, as milliseconds. */
export function checkMinutes(typed: unknown, largest: number): Checked<number> {
	const minutes = typedNumber(typed);
	return minutes >= 0 && minutes <= largest
		? { value: minutes * MINUTE_MS }
		: VALUE_FAULTS.minutesOutside(typed, largest);
}

/** @returns NaN for anything but a number and a text of digits. */
function typedNumber(typed: unknown): number {
	if (typeof typed === 'number') return typed;
	const text = trimmed(typed);
	return typeof text === 'string' && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
}

/** An integer as JSON spells it, or as pandas exports it: `1001.0`. */
const INTEGER = /^-?(?:0|[1-9]\d*)(?:\.0+)?$/;

/** `007`, `1001,0`, or `1 001` as spreadsheets show it, with any space or other thousands separator. */
const OTHER_SPELLING = /^-?(?:0\d+|\d+,0+|\d{1,3}(?:[\s,.'\u2019]\d{3})+)$/;

/**
 * A site's ID, as a number or as digits: an integer of either sign that JSON carries without loss (below 2^53). Other
 * spellings are refused: `007` may be a code, and `1 001` or `1001,0` two IDs.
 */
export function checkSiteId(typed: unknown): Checked<number> {
	const id = trimmed(typed);
	if (isEmpty(id)) return VALUE_FAULTS.empty();
	if (typeof id === 'string' && OTHER_SPELLING.test(id)) return VALUE_FAULTS.idSpelling(id);
	const isInteger = typeof id === 'string' ? INTEGER.test(id) : Number.isInteger(id);
	if (!isInteger) return VALUE_FAULTS.notWholeNumber(id);
	const value = typeof id === 'string' ? parseInt(id, 10) : Number(id);
	if (!Number.isSafeInteger(value)) return VALUE_FAULTS.idTooLarge(id);
	// A negative zero is 0.
	return { value: value === 0 ? 0 : value };
}

/** Further values of `$include`, separated by commas, each once. */
export function checkIncludes(typed: unknown): Checked<string[]> {
	if (isEmpty(typed)) return { value: [] };
	if (typeof typed !== 'string') return VALUE_FAULTS.notText(typed);
	if (!typed.isWellFormed()) return VALUE_FAULTS.unsendable();
	const values = visible(typed)
		.split(',')
		.map((value) => value.trim());
	return { value: [...new Set(values)].filter((value) => value !== '') };
}

/** A date that exists, as `YYYY-MM-DD`: the value of the version header (docs/service-interface.md, "Versioning"). */
export function checkVersion(typed: unknown): Checked<string> {
	const date = trimmed(typed);
	if (isEmpty(date)) return VALUE_FAULTS.empty();
	// `Date` turns a day that does not exist into another day or an invalid date.
	const isDate =
		typeof date === 'string' &&
		/^\d{4}-\d\d-\d\d$/.test(date) &&
		new Date(date).toJSON() === `${date}T00:00:00.000Z`;
	return isDate ? { value: date } : VALUE_FAULTS.notDate(date);
}

/**
 * How many requests an account may send in a minute; Infinity if 0 is typed.
 *
 * @param typed undefined in a credential that was stored before there was this field.
 */
export function checkRequestsPerMinute(typed: unknown = REQUESTS_PER_MINUTE): Checked<number> {
	if (isEmpty(typed)) return VALUE_FAULTS.empty();
	const checked = checkCount(typed, 0, MAX_REQUESTS_PER_MINUTE);
	return checked.value === 0 ? { value: Infinity } : checked;
}
