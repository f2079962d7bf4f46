import type { Answer, Contact, Target } from './contact';

/** The headers that are shown: other names may name the operator. */
const SHOWN = [
	...['age', 'cache-control', 'content-type', 'date', 'etag', 'expires', 'last-modified', 'pragma'],
	...['retry-after', 'vary', 'ratelimit', 'ratelimit-policy'],
	...['', 'x-'].flatMap((prefix) =>
		['ratelimit', 'rate-limit'].flatMap((name) =>
			['limit', 'remaining', 'reset'].map((part) => `${prefix}${name}-${part}`),
		),
	),
];

/** The words of a value that are shown. Others, such as `application/vnd.operator+json` or the version header, are not. */
const HARMLESS = new RegExp(
	`^(?:${[
		'-?\\d{1,13}',
		'(?:limit|remaining|reset|q|r|t|w|max-age|s-maxage|stale-while-revalidate|stale-if-error)=\\d{1,13}',
		'no-store|no-cache|no-transform|private|public|must-revalidate|proxy-revalidate|immutable',
		'\\*|accept|accept-encoding|accept-language|authorization|origin',
		'application/json|application/problem\\+json|application/xml|text/html|text/json|text/plain|text/xml',
		'charset="?(?:utf-?8|utf-16|us-ascii|iso-8859-15?|windows-1252)"?',
	].join('|')})$`,
	'i',
);

const DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * The headers of an answer as they may be shown in public: only words that {@link HARMLESS} lists, and nothing at all of a
 * value that contains a secret.
 */
export function shownHeaders(
	headers: Readonly<Record<string, unknown>>,
	secrets: readonly string[],
): Record<string, string> {
	return Object.fromEntries(
		SHOWN.flatMap((name) => {
			const value = headers[name];
			return typeof value === 'string' ? [[name, shown(value.trim(), secrets)]] : [];
		}),
	);
}

function shown(value: string, secrets: readonly string[]): string {
	const lowerCase = value.toLowerCase();
	if (secrets.some((secret) => lowerCase.includes(secret.toLowerCase()))) return 'withheld';
	if (DATE.test(value)) return 'a date';
	const words = lowerCase.split(/[\s,;]+/).filter(Boolean);
	const harmless = words.filter((word) => HARMLESS.test(word));
	const others = words.length - harmless.length;
	return [...harmless, ...(others > 0 ? [`${others} not shown`] : [])].join(', ') || 'empty';
}

/** What no header may repeat: the account, its tokens, and the sites that were asked for. */
export function secretsOf({ tokens, answers }: Contact, { connection, siteId }: Target): string[] {
	const { username, password } = connection;
	const sites = [siteId, ...answers.flatMap(siteIdIn)].map(String);
	return [username, password, ...tokens, ...sites].filter((secret) => secret !== '');
}

function siteIdIn({ body }: Answer): unknown[] {
	const { siteId } = (body?.json ?? {}) as Record<string, unknown>;
	return typeof siteId === 'number' || typeof siteId === 'string' ? [siteId] : [];
}

/** What a value is, in words that say nothing of what it holds. */
export function typeOf(value: unknown): string {
	if (value === undefined) return 'missing';
	if (value === null) return 'null';
	if (Array.isArray(value)) return value.length === 0 ? 'empty list' : 'list';
	if (typeof value === 'number') {
		if (!Number.isInteger(value)) return 'number';
		return Number.isSafeInteger(value) ? 'whole number' : 'whole number beyond 2^53';
	}
	if (typeof value === 'string') {
		if (value.trim() === '') return 'empty text';
		return Number.isFinite(Number(value)) ? 'number in a text' : 'text';
	}
	return typeof value === 'boolean' ? 'true or false' : 'object';
}
