import { truncate } from '../utils/text';
import { formatDuration } from './timeFormats';

/* What messages about different subjects have in common. */

/** The labels of the fields that messages name. */
export const FIELD_LABELS = {
	additionalIncludes: 'Additional Site Data',
	ignoreMissing: 'Ignore Missing Sites',
	maxWait: 'Maximum Wait (Minutes)',
	timeout: 'Timeout (Seconds)',
} as const;

export const TRY_LATER = {
	description: 'Try again later.',
	note: 'If this continues, contact the operator of the service.',
};
export const CHECK_BASE_URL = {
	description: "Check 'Base URL' in the credential.",
	note: 'If it is right, contact the operator of the service.',
};

/** Sentences that are added to the note of a failure. */
export const SENTENCES = {
	waitAsked: (waitMs: number) => `The service asks n8n to wait for ${formatDuration(waitMs)}.`,
	nextLogin: (waitMs: number) => `n8n waits ${formatDuration(waitMs)} before the next login.`,
	sent: (tries: number) => `The request was sent ${tries} times.`,
	loginAfter401: () =>
		'n8n tried to log in because the service rejected the request with status 401.',
	/** If only some of several items or sites fail. */
	continueWithout: (what: 'site' | 'item' | 'items') =>
		`To continue without ${what === 'items' ? 'these' : 'this'} ${what}, set 'On Error' in the settings of the node to 'Continue'.`,
	ignoreMissingAdvice: () =>
		`To continue without it, turn on '${FIELD_LABELS.ignoreMissing}' under Options.`,
	othersWatched: () => 'The trigger still watches the other sites.',
	nextPoll: () =>
		'The next poll tries again and reports all changes since. Until it succeeds, you get this message at most once an hour.',
	/** About sites that the account may not read. */
	triedAgain: (count: number) =>
		`Other sites are still watched; ${count === 1 ? 'this one is' : 'these are'} tried again at each poll.`,
	/** About sites that the account may not read. @param choice what 'Sites' says. */
	removeGone: (count: number, choice: SitesChoice) => {
		const lists = {
			all: "'Known Sites' in the credential",
			byId: "'Site IDs'",
			fromList: "'Site Names or IDs'",
		};
		return `If ${count === 1 ? 'it' : 'one'} is gone for good, remove it from ${lists[choice]}. Until then, you get this message at most once an hour.`;
	},
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

/** Ends a sentence that begins with lines of 'Known Sites' that add no site. */
export const ADD_NO_SITE = 'do not begin with one site ID, or repeat an ID';

export const CORRECT_LINES =
	"Correct 'Known Sites' in the credential: one site per line, its ID in digits and then its name.";
