import type { Checked } from '../messages/checked';
import { MINUTE_MS, SECOND_MS } from '../messages/duration';
import { VALUE_FAULTS } from '../messages/faults';

/* What a person may type in the panel and the credential, checked before a request is built. */

/** A text without its invisible characters: Unicode's category Cf, such as a zero-width space, which are pasted unnoticed. */
export function visible(text: string): string {
	return text.replace(/\p{Cf}/gu, '');
}

/** A typed text without blanks around it and invisible characters; another value as it is. */
export function trimmed(typed: unknown): unknown {
	return typeof typed === 'string' ? visible(typed).trim() : typed;
}

/** A typed text; a number, which an expression may give, is its digits. */
export function checkText(typed: unknown): Checked<string> {
	const text = typeof typed === 'number' ? String(typed) : (typed ?? '');
	return typeof text === 'string' ? { value: text } : VALUE_FAULTS.notText(typed);
}

/** A checkbox, which an expression may also fill with the words true and false. */
export function checkSwitch(typed: unknown): Checked<boolean> {
	if (typed === true || typed === 'true') return { value: true };
	if (typed === false || typed === 'false') return { value: false };
	return VALUE_FAULTS.notSwitch(typed);
}

/** Some of a number of choices, each once, in the order in which they are offered. */
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

/** A waiting time, typed in seconds; the value is in milliseconds. */
export function checkSeconds(typed: unknown, largest: number): Checked<number> {
	const seconds = typedNumber(typed);
	return seconds > 0 && seconds <= largest
		? { value: seconds * SECOND_MS }
		: VALUE_FAULTS.secondsOutside(typed, largest);
}

/** A waiting time, typed in minutes, 0 included; the value is in milliseconds. */
export function checkMinutes(typed: unknown, largest: number): Checked<number> {
	const minutes = typedNumber(typed);
	return minutes >= 0 && minutes <= largest
		? { value: minutes * MINUTE_MS }
		: VALUE_FAULTS.minutesOutside(typed, largest);
}

/** A number, even if it was typed in digits; NaN for anything else. */
function typedNumber(typed: unknown): number {
	if (typeof typed === 'number') return typed;
	const text = trimmed(typed);
	return typeof text === 'string' && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
}

/** An integer as JSON spells it: a zero comes first only in 0 itself. */
const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/** `007`, or `1 001` as spreadsheets show it, with any blank or other thousands separator. */
const OTHER_SPELLING = /^-?(?:0\d+|\d{1,3}(?:[\s,.'\u2019]\d{3})+)$/;

/**
 * A site's identifier, typed as a number or as a string of digits: an integer of either sign, small enough to be
 * exact in JSON (below 2^53). Leading zeros and thousands separators are refused: `007` may be a code, `1 001` two IDs.
 */
export function checkSiteId(typed: unknown): Checked<number> {
	const id = trimmed(typed);
	if (isEmpty(id)) return VALUE_FAULTS.empty();
	if (isSpeltOtherwise(id)) return VALUE_FAULTS.idSpelling(id);
	const isInteger = typeof id === 'string' ? INTEGER.test(id) : Number.isInteger(id);
	if (!isInteger) return VALUE_FAULTS.notWholeNumber(id);
	const value = Number(id);
	if (!Number.isSafeInteger(value)) return VALUE_FAULTS.idTooLarge(id);
	return { value: value === 0 ? 0 : value };
}

/** What is wrong with entries of a list of IDs. */
export function faultOfIds(entries: readonly unknown[]): Checked<never> {
	const fault = VALUE_FAULTS.notIds(entries, entries.every(isSpeltOtherwise));
	return entries.some(isSpeltOtherwise) ? { ...fault, description: VALUE_FAULTS.writeIds } : fault;
}

/** The text between separators. Groups of three digits with one blank between them, no tab or line break, are one entry. */
const ENTRY = /(?<![^\s,;])-?\d{1,3}(?:[^\S\t-\r\u2028\u2029]\d{3})+(?![^\s,;])|[^\s,;]+/g;

/**
 * The entries of a text without letters: IDs between commas, semicolons, blanks or line breaks. A blank that may be a
 * thousands separator (`7 100`) is part of an entry, so that the entry is refused and not guessed.
 */
export function splitIds(text: string): string[] {
	return text.match(ENTRY) ?? [];
}

export function isEmpty(typed: unknown): boolean {
	return trimmed(typed ?? '') === '';
}

function isSpeltOtherwise(entry: unknown): boolean {
	return typeof entry === 'string' && OTHER_SPELLING.test(entry);
}

/** Further values of `$include`, typed as a list separated by commas: trimmed, without blanks and repetitions. */
export function checkIncludes(typed: unknown): Checked<string[]> {
	if (isEmpty(typed)) return { value: [] };
	if (typeof typed !== 'string') return VALUE_FAULTS.notText(typed);
	if (!typed.isWellFormed()) return VALUE_FAULTS.unsendable();
	const values = visible(typed)
		.split(',')
		.map((value) => value.trim());
	return { value: [...new Set(values)].filter((value) => value !== '') };
}

/** A value of the version header: a date that exists, in the form `YYYY-MM-DD` (docs/service-interface.md, "Versioning"). */
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

/** Path of the token endpoint under the base URL (docs/service-interface.md, "POST {base_url}/auth/token"). */
export const TOKEN_PATH = '/auth/token';

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
	if (isEmpty(typed)) return VALUE_FAULTS.empty();
	const checked = checkCount(typed, 0, MAX_REQUESTS_PER_MINUTE);
	return checked.value === 0 ? { value: Infinity } : checked;
}
