/** The headers that are shown: other names may name the operator. */
const SHOWN = /^(content-type|retry-after|(x-)?rate-?limit(-(limit|remaining|reset|policy))?)$/;

/** The words of a value that are shown. Others, such as `application/vnd.operator+json`, are not. */
const HARMLESS =
	/^(-?\d{1,13}|(limit|remaining|reset|q|r|t|w)=\d{1,13}|application\/(problem\+)?json|text\/(html|plain)|charset=utf-8)$/;

const DATE = /^[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d gmt$/;

/**
 * The headers of an answer as they may be shown in public: only words that {@link HARMLESS} lists, and nothing at all of a
 * value that contains a secret.
 */
export function shownHeaders(
	headers: Readonly<Record<string, unknown>>,
	secrets: readonly string[],
): Array<[name: string, value: string]> {
	return Object.entries(headers)
		.filter(([name]) => SHOWN.test(name))
		.map(([name, value]) => [name, shown(String(value).trim().toLowerCase(), secrets)]);
}

function shown(value: string, secrets: readonly string[]): string {
	if (secrets.some((secret) => value.includes(secret.toLowerCase()))) return 'withheld';
	if (DATE.test(value)) return 'a date';
	const words = value.split(/[\s,;]+/).filter(Boolean);
	const harmless = words.filter((word) => HARMLESS.test(word));
	const others = words.length - harmless.length;
	return [...harmless, ...(others > 0 ? [`${others} not shown`] : [])].join(', ');
}

/** What a value is, in words that say nothing of what it holds. */
export function typeOf(value: unknown): string {
	if (value === undefined) return 'missing';
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'list';
	if (typeof value === 'number') return Number.isInteger(value) ? 'whole number' : 'number';
	if (typeof value === 'boolean') return 'true or false';
	if (typeof value === 'object') return 'object';
	const isNumber = String(value).trim() !== '' && Number.isFinite(Number(value));
	return isNumber ? 'number in a text' : 'text';
}
