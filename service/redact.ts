/** Takes the secrets out of a text. */
export type Redact = (text: string) => string;

const MASK = '*****';

/** How many times over a secret may be escaped. */
const MAX_ESCAPES = 3;

/** How many levels of a JSON value are looked into. */
const MAX_DEPTH = 100;

/**
 * Builds the function that takes secrets out of a text: services and proxies are known to repeat what they were sent.
 * A secret is replaced where the text holds it as it is. A text that holds it in JSON's escapes, percent-encoded or in base64
 * is replaced as a whole.
 */
export function redactor(secrets: readonly unknown[]): Redact {
	const longestFirst = secrets
		.filter((secret): secret is string => typeof secret === 'string' && secret !== '')
		.sort((one, other) => other.length - one.length);
	return (text) => longestFirst.reduce(mask, text);
}

function mask(text: string, secret: string): string {
	if (text.length < secret.length) return text;
	const masked = text.replaceAll(secret, MASK);
	return holds(masked, [secret, ...base64Of(secret)].map(withBlanks), MAX_ESCAPES) ? MASK : masked;
}

/** Whether a text holds one of the spellings, as it is or after escapes in it are undone. */
function holds(text: string, spellings: readonly string[], escapes: number): boolean {
	const found = withBlanks(text);
	if (spellings.some((spelling) => found.includes(spelling))) return true;
	if (escapes === 0) return false;
	return [withoutJsonEscapes, percentDecoded].some((undo) => {
		const plain = undo(text);
		return plain !== text && holds(plain, spellings, escapes - 1);
	});
}

/** Forms write a blank as a plus sign. */
function withBlanks(text: string): string {
	return text.replaceAll('+', ' ');
}

/* The number of escapes that are undone at once is limited, or else V8 runs out of stack. */

function withoutJsonEscapes(text: string): string {
	return text.replace(
		/(?:\\(?:u[\da-fA-F]{4}|["\\/bfnrt])){1,9999}/g,
		(escapes) => JSON.parse(`"${escapes}"`) as string,
	);
}

function percentDecoded(text: string): string {
	return text.replace(/(?:%[\da-fA-F]{2}){1,9999}/g, (encoded) =>
		Buffer.from(encoded.replaceAll('%', ''), 'hex').toString(),
	);
}

/** In UTF-8, without padding. */
function base64Of(text: string): string[] {
	const bytes = Buffer.from(text);
	return [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
}

/**
 * Takes the secrets out of all names and texts in a JSON value. What is nested too deep to be looked into is left out.
 *
 * @param text what the value has been parsed from, if it is known: without a secret, the value is not searched.
 * @returns the same value if it contains no secret.
 */
export function redactJson(json: unknown, redact: Redact, text?: string): unknown {
	return text !== undefined && redact(text) === text ? json : redactValue(json, redact, MAX_DEPTH);
}

function redactValue(value: unknown, redact: Redact, levels: number): unknown {
	if (typeof value === 'string') return redact(value);
	if (typeof value !== 'object' || value === null) return value;
	if (levels === 0) return MASK;
	const redacted = (element: unknown) => redactValue(element, redact, levels - 1);
	if (Array.isArray(value)) return value.map(redacted);
	return Object.fromEntries(
		Object.entries(value).map(([name, element]) => [redact(name), redacted(element)]),
	);
}
