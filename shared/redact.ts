import { LastUsed } from './lastUsed';

/** Takes the secrets out of a text. */
export type Redact = (text: string) => string;

const MASK = '*****';

/** How many levels of a JSON value are looked into. */
const MAX_DEPTH = 100;

/** How many secrets are remembered: those of a few accounts, before and after a renewal. */
const MAX_SECRETS = 20;

/** How many characters of a secret go into the first expression. One for a whole token would be slow or too large to compile. */
const FIRST_PART_LENGTH = 32;

/** What finds a secret in a text. */
interface Pattern {
	/** No spelling is shorter. */
	length: number;
	/** Finds the beginning. */
	first: RegExp;
	/** Match what follows it, one after the other. */
	rest: readonly RegExp[];
}

const patterns = new LastUsed(MAX_SECRETS, patternsOf);

/** What was built last: the secrets stay the same for thousands of texts. */
let latest: { secrets: readonly unknown[]; redact: Redact } | undefined;

/**
 * Builds the function that replaces every occurrence of a secret. Services and proxies are known to repeat what they
 * were sent in their answers, and to escape it on the way.
 *
 * Each character is recognised as it is, as JSON escapes it (by `\uXXXX` or shorter, up to three times over), and
 * percent-encoded (up to three times over); the secret as a whole also in base64 and base64url.
 */
export function redactor(secrets: readonly unknown[]): Redact {
	if (latest && isSame(secrets, latest.secrets)) return latest.redact;
	const longestFirst = secrets
		.filter((secret) => typeof secret === 'string' && secret !== '')
		.sort((a, b) => (b as string).length - (a as string).length)
		.flatMap((secret) => patterns.get(secret as string));
	const redact: Redact = (text) => longestFirst.reduce(maskAll, text);
	latest = { secrets, redact };
	return redact;
}

function isSame(secrets: readonly unknown[], others: readonly unknown[]): boolean {
	return (
		secrets.length === others.length && secrets.every((secret, index) => secret === others[index])
	);
}

function maskAll(text: string, { length, first, rest }: Pattern): string {
	if (text.length < length) return text;
	let masked = '';
	let end = 0;
	first.lastIndex = 0;
	for (let found = first.exec(text); found; found = first.exec(text)) {
		let position = first.lastIndex;
		const isWhole = rest.every((part) => {
			part.lastIndex = position;
			const isNext = part.test(text);
			position = part.lastIndex;
			return isNext;
		});
		if (isWhole) {
			masked += text.slice(end, found.index) + MASK;
			end = position;
		}
		first.lastIndex = isWhole ? end : found.index + 1;
	}
	return end === 0 ? text : masked + text.slice(end);
}

/**
 * Takes the secrets out of all names and texts in a JSON value. What is nested too deep to be looked into is left out.
 *
 * @param text what the value has been parsed from: if it contains neither a backslash nor a secret, the value is not
 *   searched.
 * @returns the same value if it contains no secret.
 */
export function redactJson(json: unknown, redact: Redact, text?: string): unknown {
	const isClean = text !== undefined && !text.includes('\\') && redact(text) === text;
	return isClean ? json : redactValue(json, redact, MAX_DEPTH);
}

function redactValue(value: unknown, redact: Redact, levels: number): unknown {
	if (typeof value === 'string') return redact(value);
	if (typeof value !== 'object' || value === null) return value;
	if (levels === 0) return MASK;
	if (Array.isArray(value)) {
		const elements = value.map((element) => redactValue(element, redact, levels - 1));
		return elements.every((element, index) => element === value[index]) ? value : elements;
	}
	let isChanged = false;
	const entries = Object.entries(value).map(([name, element]): [string, unknown] => {
		const redacted: [string, unknown] = [redact(name), redactValue(element, redact, levels - 1)];
		isChanged ||= redacted[0] !== name || redacted[1] !== element;
		return redacted;
	});
	return isChanged ? Object.fromEntries(entries) : value;
}

function patternsOf(secret: string): readonly Pattern[] {
	const base64 = patternOf(base64Of(secret), BASE64_ALIKE);
	const padding = new RegExp(`(?:${spelling('=')}){0,2}`, 'y');
	return [patternOf(secret, TEXT_ALIKE), { ...base64, rest: [...base64.rest, padding] }];
}

function patternOf(text: string, alike: Alike): Pattern {
	const [first = [], ...rest] = partsOf(text);
	const expressions = new Map<string, RegExp>();
	const expressionOf = (part: string[]) => {
		const source = spellings(part, alike);
		const expression = expressions.get(source) ?? new RegExp(source, 'y');
		expressions.set(source, expression);
		return expression;
	};
	return {
		length: text.length,
		first: new RegExp(spellings(first, alike), 'g'),
		rest: rest.map(expressionOf),
	};
}

/**
 * The first characters as one part, then each character as a part of its own. A backslash or a percent sign stays in one
 * part with the character after it, since the two can be matched in more than one way.
 */
function partsOf(text: string): string[][] {
	const parts: string[][] = [];
	let part: string[] = [];
	for (const character of text) {
		if (part.length === 0) parts.push(part);
		part.push(character);
		const isLongEnough = parts.length > 1 || part.length >= FIRST_PART_LENGTH;
		if (isLongEnough && !/[\\%]/.test(character)) part = [];
	}
	return parts;
}

/** Other characters that stand for a character: forms write a blank as a plus sign. */
type Alike = (character: string) => string | undefined;

/** A lone surrogate cannot be encoded in UTF-8. */
const TEXT_ALIKE: Alike = (character) =>
	character === ' ' ? '+' : character.isWellFormed() ? undefined : '\ufffd';

const BASE64_ALIKE: Alike = (character) => ({ '+': '-', '/': '_' })[character];

const BACKSLASH = '\\';

/** The source of a pattern that matches these characters, each in any of its spellings. */
function spellings(characters: readonly string[], alike: Alike): string {
	let source = '';
	let backslashes = 0;
	characters.forEach((character, index) => {
		if (character === BACKSLASH) {
			backslashes += 1;
			return;
		}
		source += backslashRun(backslashes, characters.slice(index).join(''));
		const escape = backslashes > 0 ? '' : '\\\\{1,7}';
		const other = alike(character);
		const all = other === undefined ? [character] : [character, other];
		source += `(?:${all.map((each) => spelling(each, escape)).join('|')})`;
		backslashes = 0;
	});
	return source + backslashRun(backslashes, '');
}

/**
 * One pattern for a run of backslashes, including those that escape the character after it: with a pattern for each
 * backslash, there would be countless ways to match a long run.
 *
 * @param following what comes after the run. If it begins like a spelling of a backslash, that spelling is not recognised,
 *   for the same reason.
 */
function backslashRun(count: number, following: string): string {
	if (count === 0) return '';
	const spelled = [
		/^u005c/i.test(following) ? '\\\\' : '\\\\(?:u005[cC])?',
		...(/^%(?:25)*5c/i.test(following) ? [] : [percentEncoded(BACKSLASH)]),
	];
	return `(?:${spelled.join('|')}){${count},${8 * count + 7}}`;
}

const SHORT_ESCAPES: Partial<Record<string, string>> = {
	'"': '"',
	'/': '/',
	'\b': 'b',
	'\f': 'f',
	'\n': 'n',
	'\r': 'r',
	'\t': 't',
};

/**
 * @param escape the pattern of the backslashes that escape the character: 1, 3 or 7 where it is done three times over.
 */
function spelling(character: string, escape = '\\\\{1,7}'): string {
	const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
	const [first, ...rest] = units.map((unit) => `u${anyCase(unit, 4)}`);
	const short = SHORT_ESCAPES[character];
	const spelled = [
		// First, since "%25" begins with what it stands for.
		percentEncoded(character),
		`${escape}${[first, ...rest].join('\\\\{1,7}')}`,
		...(short === undefined ? [] : [escape + short]),
		units.map(literal).join(''),
	];
	return spelled.join('|');
}

function percentEncoded(character: string): string {
	const bytes = [...new TextEncoder().encode(character)];
	return bytes.map((byte) => `%(?:25){0,2}${anyCase(byte, 2)}`).join('');
}

function literal(unit: number): string {
	const character = String.fromCharCode(unit);
	return /\w/.test(character) ? character : `\\u${hex(unit, 4)}`;
}

function anyCase(value: number, digits: number): string {
	return hex(value, digits).replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function hex(value: number, digits: number): string {
	return value.toString(16).padStart(digits, '0');
}

/** Base64 in UTF-8, without padding. */
function base64Of(text: string): string {
	const bytes = [...new TextEncoder().encode(text)];
	return btoa(bytes.map((byte) => String.fromCharCode(byte)).join('')).replace(/=+$/, '');
}
