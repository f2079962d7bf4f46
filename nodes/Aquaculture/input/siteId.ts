import { INVALID_VALUE, type Invalid } from '../messages/invalid';
import type { Result } from '../utils/result';
import { isEmpty, trimIfText } from './values';

/** Converts full-width digits, which people type with East Asian keyboards, to those of IDs. */
export function toPlainDigits(text: string): string {
	return text.replace(/[\uff10-\uff19]/g, (digit) => digit.normalize('NFKC'));
}

/** An integer as JSON spells it, or as pandas exports it: `1001.0`. */
const INTEGER = /^-?(?:0|[1-9]\d*)(?:\.0+)?$/;

/**
 * Other forms of IDs, most of them from spreadsheets: `007`, `+7`, `1001.`, `1001,0`, `1 001` with any space or other thousands
 * separator, `1.001E3`, and marked as text, `'1001` or `="1001"`.
 */
const OTHER_FORM =
	/^=?["'\u2018-\u201d]?[-+]?(?:\d+(?:[.,]0*){0,2}|\d{1,3}(?:[\s,.'\u2019]\d{3})+|\d+(?:[.,]\d+)?e\+?\d+)["'\u2018-\u201d]?$/i;

/**
 * Accepts the ID of a site, as a number or as digits: an integer of either sign that JSON carries exactly (below 2^53).
 * Refuses other forms: `007` may be a code, and `1 001` or `1001,0` two IDs.
 */
export function checkSiteId(input: unknown): Result<number, Invalid> {
	const entered = trimIfText(input);
	const id = typeof entered === 'string' ? toPlainDigits(entered) : entered;
	if (isEmpty(id)) return { failure: INVALID_VALUE.empty() };
	const isInteger = typeof id === 'string' ? INTEGER.test(id) : Number.isInteger(id);
	if (!isInteger) {
		const isOtherForm = typeof id === 'string' && OTHER_FORM.test(id);
		return { failure: INVALID_VALUE[isOtherForm ? 'idFormat' : 'notWholeNumber'](id) };
	}
	const value = typeof id === 'string' ? parseInt(id, 10) : Number(id);
	if (!Number.isSafeInteger(value)) return { failure: INVALID_VALUE.idTooLarge(id) };
	// A negative zero is 0.
	return { value: value === 0 ? 0 : value };
}

/** Returns whether a text is a number in any form. */
export function looksLikeNumber(text: string): boolean {
	const plain = toPlainDigits(text);
	return OTHER_FORM.test(plain) || /^-?\d+(?:[\s,.'\u2019]\d+)*$/.test(plain);
}
