import { MINUTE_MS, SECOND_MS } from '../utils/time';
import { INVALID_VALUE, type Invalid } from '../messages/invalid';
import type { Result } from '../messages/failure';

/* Checks what people, expressions and AI agents enter, and converts it into the values that requests use. */

/** Removes invisible characters (Unicode's category Cf), such as zero-width spaces, which people paste unnoticed. */
export function stripInvisible(text: string): string {
	return text.replace(/\p{Cf}/gu, '');
}

/** Removes invisible characters and outer spaces of a text; returns any other value as it is. */
function trimIfText(input: unknown): unknown {
	return typeof input === 'string' ? stripInvisible(input).trim() : input;
}

export function isBlank(input: unknown): boolean {
	return trimIfText(input ?? '') === '';
}

/** Accepts a text with its outer spaces, for passwords and 'Known Sites'. An expression may return a number, which becomes its digits. */
export function checkRawText(input: unknown): Result<string, Invalid> {
	const text = typeof input === 'number' ? String(input) : (input ?? '');
	return typeof text === 'string' ? { value: text } : { failure: INVALID_VALUE.notText(input) };
}

/** Accepts a text, without invisible characters and outer spaces. */
export function checkText(input: unknown): Result<string, Invalid> {
	return checkRawText(trimIfText(input));
}

/** Accepts a boolean. An expression may return the words true and false. */
export function checkBoolean(input: unknown): Result<boolean, Invalid> {
	if (input === true || input === 'true') return { value: true };
	if (input === false || input === 'false') return { value: false };
	return { failure: INVALID_VALUE.notBoolean(input) };
}

/** Accepts one choice from a list. */
export function checkChoice<T extends string>(
	input: unknown,
	offered: readonly T[],
): Result<T, Invalid> {
	const choice = offered.find((each) => each === input);
	return choice === undefined ? { failure: INVALID_VALUE.unknownChoice(input) } : { value: choice };
}

/** Accepts choices from a list. Returns each once, in the order of the list. */
export function checkChoices<T extends string>(
	input: unknown,
	offered: readonly T[],
): Result<T[], Invalid> {
	if (!Array.isArray(input)) return { failure: INVALID_VALUE.notChoices(input) };
	const unknown = (input as unknown[]).find((choice) => !offered.includes(choice as T));
	if (unknown !== undefined) return { failure: INVALID_VALUE.unknownChoice(unknown) };
	return { value: offered.filter((choice) => input.includes(choice)) };
}

export function checkCount(input: unknown, min: number, max: number): Result<number, Invalid> {
	const count = toNumber(input);
	return Number.isInteger(count) && count >= min && count <= max
		? { value: count }
		: { failure: INVALID_VALUE.countOutOfRange(input, min, max) };
}

const UNITS_MS = { seconds: SECOND_MS, minutes: MINUTE_MS };

/** Accepts a duration in this unit. Returns milliseconds. */
export function checkDuration(
	input: unknown,
	unit: keyof typeof UNITS_MS,
	min: number,
	max: number,
): Result<number, Invalid> {
	const duration = toNumber(input);
	return duration >= min && duration <= max
		? { value: duration * UNITS_MS[unit] }
		: { failure: INVALID_VALUE.durationOutOfRange(input, unit, min, max) };
}

/** Returns NaN for anything but a number, or a decimal number as text. */
function toNumber(input: unknown): number {
	if (typeof input === 'number') return input;
	const text = trimIfText(input);
	return typeof text === 'string' && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
}

/** Accepts further values of `$include`, separated by commas. Returns each once. */
export function checkIncludes(input: unknown): Result<string[], Invalid> {
	if (isBlank(input)) return { value: [] };
	if (typeof input !== 'string') return { failure: INVALID_VALUE.notText(input) };
	if (!input.isWellFormed()) return { failure: INVALID_VALUE.unsendable() };
	const values = stripInvisible(input)
		.split(',')
		.map((value) => value.trim());
	return { value: [...new Set(values)].filter((value) => value !== '') };
}

/** Accepts an existing date as `YYYY-MM-DD`, as the service names its versions. */
export function checkVersion(input: unknown): Result<string, Invalid> {
	const date = trimIfText(input);
	if (isBlank(date)) return { failure: INVALID_VALUE.empty() };
	// `Date` turns a day that does not exist, such as 30 February, into another one or into an invalid date.
	const isDate =
		typeof date === 'string' &&
		/^\d{4}-\d\d-\d\d$/.test(date) &&
		new Date(date).toJSON() === `${date}T00:00:00.000Z`;
	return isDate ? { value: date } : { failure: INVALID_VALUE.notDate(date) };
}

/**
 * Parses an address, or returns undefined. It does not use `URL.canParse`, which after many calls rejects host names with letters
 * such as å (Node.js 20.20 and 22.23).
 */
export function parseUrl(address: string): URL | undefined {
	try {
		return new URL(address);
	} catch {
		return undefined;
	}
}
