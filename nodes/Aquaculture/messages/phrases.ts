import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../utils/time';

/* What messages about different subjects have in common. */

export const TRY_LATER = {
	description: 'Try again later.',
	note: 'If this continues, contact the operator of the service.',
};
export const CHECK_BASE_URL = {
	description: "Check 'Base URL' in the credential.",
	note: 'If it is right, contact the operator of the service.',
};

export const ASK_ADMINISTRATOR = 'Ask the administrator of your n8n';

/** Sentences that are added to the note of a failure. */
export const SENTENCES = {
	waitAsked: (waitMs: number) =>
		`The service expects to answer again in ${formatDuration(waitMs)}.`,
	/** In the credential's window. */
	saveAgain: () => 'You can save again immediately.',
	nextLogin: (waitMs: number) => `n8n waits ${formatDuration(waitMs)} before the next login.`,
	sent: (tries: number) => `The request was sent ${tries} times.`,
	/** If only some of several items or sites fail. */
	continueWithout: (what: 'site' | 'item' | 'items') =>
		`To continue without ${what === 'items' ? 'these' : 'this'} ${what}, set 'On Error' in the settings of the node to 'Continue'.`,
	ignoreMissingAdvice: () =>
		`To continue without it, turn on 'Ignore Missing Sites' under Options.`,
};

/** What the field 'Sites' says. */
export type SitesChoice = 'all' | 'byId' | 'fromList';

export const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Names at most ten: "1001, Vik (1002) and 3 more". */
export function listNames(names: ReadonlyArray<string | number>): string {
	const MAX_NAMED = 10;
	const others = names.length - MAX_NAMED;
	const shown = names.slice(0, MAX_NAMED).map((name) => truncate(String(name), 100));
	return `${shown.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

/** Lines of 'Known Sites', counted from 1. */
export type Lines = ReadonlyArray<{ line: number; text: string }>;

export const listLines = (lines: Lines) =>
	listNames(lines.map(({ line, text }) => `line ${line} (${truncate(text)})`));

/** What to do about lines of 'Known Sites' that add no site. */
export const CORRECT_LINES = `Correct 'Known Sites' in the credential: one site per line, its ID in digits and then a name with a letter, each ID once, and no totals. If a number belongs to a name, put the name in double quotes: 1001 "Storvågen 1002".`;

/** Quotes a value so that people recognise it, cut to a readable length. */
export function quote(value: unknown): string {
	return truncate(typeof value === 'object' ? JSON.stringify(value) : `"${String(value)}"`);
}

/** Cuts a text to a readable length, but not within a character. */
export function truncate(text: string, maxCharacters = 60): string {
	if (text.length <= maxCharacters) return text;
	return `${text.slice(0, maxCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Counts something: "1 site", "2 sites". */
export function plural(count: number, one: string): string {
	return `${count} ${one}${count === 1 ? '' : 's'}`;
}

/**
 * Formats a time as people say it: "45 seconds", "3 minutes".
 *
 * @param round how to round. A time to wait is rounded up, except hours; pass `Math.round` for a time that has passed.
 */
export function formatDuration(
	milliseconds: number,
	round: (count: number) => number = Math.ceil,
): string {
	const seconds = Math.max(1, round(milliseconds / SECOND_MS));
	if (seconds < 120) return plural(seconds, 'second');
	const minutes = round(milliseconds / MINUTE_MS);
	if (minutes < 120) return `${minutes} minutes`;
	// 121 minutes are two hours, not three.
	const roundHours = round === Math.ceil ? Math.round : round;
	return `${roundHours(milliseconds / HOUR_MS)} hours`;
}

/** Formats a time as "2026-03-02 14:05 UTC". */
export function formatTime(date: Date): string {
	return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Formats a time as a clock in the time zone shows it: "2026-03-02 15:05". */
export function formatLocalTime(date: Date, timeZone: string): string {
	// Put together from parts: a Node.js that knows only English would ignore another locale.
	const parts = new Intl.DateTimeFormat('en', {
		timeZone,
		calendar: 'gregory',
		numberingSystem: 'latn',
		hourCycle: 'h23',
		year: 'numeric',
		month: '2-digit',
		day: '2-digit',
		hour: '2-digit',
		minute: '2-digit',
	}).formatToParts(date);
	const get = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? '';
	return `${get('year')}-${get('month')}-${get('day')} ${get('hour')}:${get('minute')}`;
}
