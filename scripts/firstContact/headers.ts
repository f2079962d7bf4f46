/*
 * Headers as they may be shown in public. A value is never repeated: it is taken apart, and only numbers and words that are
 * listed here are shown. Host names, and words such as `application/vnd.operator+json`, are not.
 */

/** Says what a value is. */
type Describe = (value: string) => string;

const WITHHELD = 'in another form';

/** Longer numbers may be more than a number. Times in milliseconds have 13 digits. */
const NUMBER = /^-?\d{1,13}$/;

const DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

const MEDIA_TYPES = [
	'application/json',
	'application/problem+json',
	'application/xml',
	'text/html',
	'text/json',
	'text/plain',
	'text/xml',
];

const CHARSETS = [
	'utf-8',
	'utf8',
	'utf-16',
	'us-ascii',
	'iso-8859-1',
	'iso-8859-15',
	'windows-1252',
];

/** RFC 9111, 5.2.2, and RFC 5861. */
const CACHE_DIRECTIVE =
	/^(?:no-store|no-cache|no-transform|private|public|must-revalidate|proxy-revalidate|must-understand|immutable|(?:max-age|s-maxage|stale-while-revalidate|stale-if-error)=\d{1,10})$/i;

/** Among them is often the name of the version header, which is not shown. */
const VARY = /^(?:\*|accept|accept-encoding|accept-language|authorization|origin)$/i;

/** A number, by itself or under a name that the drafts of the `RateLimit` headers use. */
const RATE = /^(?:(?:limit|remaining|reset|q|r|t|w)=)?\d{1,13}$/i;

const rate: Describe = (value) => listed(value, RATE);
const date: Describe = (value) => (DATE.test(value) ? 'a date' : WITHHELD);
const numberOrDate: Describe = (value) => (NUMBER.test(value) ? value : date(value));

const SHOWN: Record<string, Describe> = {
	'content-type': contentType,
	date,
	age: (value) => (NUMBER.test(value) ? value : WITHHELD),
	'cache-control': (value) => listed(value, CACHE_DIRECTIVE),
	etag: () => 'there',
	expires: numberOrDate,
	'last-modified': date,
	pragma: (value) => listed(value, /^no-cache$/i),
	vary: (value) => listed(value, VARY),
	'retry-after': numberOrDate,
	ratelimit: rate,
	'ratelimit-limit': rate,
	'ratelimit-policy': rate,
	'ratelimit-remaining': rate,
	'ratelimit-reset': rate,
	'x-rate-limit-limit': rate,
	'x-rate-limit-remaining': rate,
	'x-rate-limit-reset': rate,
	'x-ratelimit-limit': rate,
	'x-ratelimit-remaining': rate,
	'x-ratelimit-reset': rate,
};

/** What may be shown of the headers of an answer. */
export function shownHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(SHOWN).flatMap(([name, describe]) => {
			const value = headers[name];
			return typeof value === 'string' ? [[name, describe(value.trim())]] : [];
		}),
	);
}

function contentType(value: string): string {
	const [typed = '', ...parameters] = value.toLowerCase().split(';');
	const type = typed.trim();
	const other = type.endsWith('json') ? 'another type of JSON' : 'another type';
	const charset = parameters
		.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(parameter)?.[1])
		.find((found) => found !== undefined);
	return [
		MEDIA_TYPES.includes(type) ? type : other,
		...(charset === undefined
			? []
			: [CHARSETS.includes(charset) ? `charset ${charset}` : 'another charset']),
	].join(', ');
}

/** The words of a value that may be shown, and how many others there are. */
function listed(value: string, known: RegExp): string {
	const words = value.split(/[\s,;]+/).filter((word) => word !== '');
	const shown = words.filter((word) => known.test(word)).map((word) => word.toLowerCase());
	const others = words.length - shown.length;
	return [...shown, ...(others > 0 ? [`${others} not shown`] : [])].join(', ') || 'empty';
}
