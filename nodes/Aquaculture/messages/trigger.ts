import { formatTime } from './duration';
import type { FailureText } from './failureText';
import {
	CORRECT_LINES,
	FIELD_LABELS,
	LINE_PROBLEMS,
	listLines,
	listNames,
	plural,
	type LineProblem,
	type Lines,
} from './phrases';
import { LIMIT_MESSAGES, type LimitState } from './request';

/** What a trigger says in a failed execution. */
export const TRIGGER_MESSAGES = {
	/** 'Sites' is 'All Sites'. */
	linesLeftOut: (problem: LineProblem, lines: Lines): FailureText => ({
		message: `Some lines of 'Known Sites' in the credential ${LINE_PROBLEMS[problem]}`,
		description: CORRECT_LINES,
		note: `Left out: ${listLines(lines)}.`,
		failureKey: `knownSites ${listLines(lines)}`,
	}),
	several: (names: readonly string[]) =>
		`${names.length} sites could not be read: ${listNames(names)}`,
	/** 'Ignore Missing Sites' is on. */
	skipped: (names: readonly string[]): FailureText => ({
		message: `The service does not know ${plural(names.length, 'site')}, left out because of '${FIELD_LABELS.ignoreMissing}': ${listNames(names)}`,
		description: `If ${names.length === 1 ? 'it' : 'one of them'} exists, check its ID.`,
	}),
	/** No site was requested. */
	noSlot: (limit: LimitState): FailureText => ({
		...LIMIT_MESSAGES.reached(limit),
		description: `That is ${formatTime(new Date(Date.now() + limit.delayMs))}.`,
	}),
	/** There are more sites than the account can read in ten minutes, or in two polls if polls are rare. */
	unread: (names: readonly string[], total: number): FailureText => ({
		message: `${names.length} of ${plural(total, 'site')} ${names.length === 1 ? 'has' : 'have'} not been read for more than ten minutes and two polls`,
		description: 'If this continues, poll more often or watch fewer sites.',
		note: `${names.length === 1 ? 'It is' : 'They are'}: ${listNames(names)}. ${names.length === 1 ? 'It comes' : 'They come'} first in the next poll.`,
		failureKey: 'unread',
	}),
};
