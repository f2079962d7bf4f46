import type { LimitState } from '../limit/grantPolicy';
import { cutQuotedValue, plural, quote } from '../utils/text';
import { formatDuration, formatTime } from './duration';
import { failureLines, type FailureText } from './failureText';
import { WRONG_TYPE, type Invalid } from './invalid';
import {
	ADD_NO_SITE,
	CORRECT_LINES,
	FIELD_LABELS,
	listLines,
	listNames,
	SENTENCES,
	type Lines,
} from './phrases';
import { LIMIT_MESSAGES } from './request';

/** Who reads a message about a field of the node. */
interface Audience {
	/** Whether it is for an AI agent, which can only call the tool again. */
	isTool: boolean;
	/** Whether the field is evaluated for each item. */
	hasItems: boolean;
}

function howToCorrect(label: string, { isTool, hasItems }: Audience): string {
	if (isTool) return 'Call this tool again with a value that is accepted, or ask the user for one.';
	const check = hasItems
		? 'check what the previous node returns for this item'
		: 'check its result';
	return `Correct '${label}' in the node. If it contains an expression, ${check}.`;
}

/** About the fields and input items of a node. */
export const NODE_MESSAGES = {
	/** Shown instead of a list of sites. */
	noSites: () => "Enter 'Known Sites' in the credential, or choose 'By ID'",
	field: (
		label: string,
		{ reason, description, toolDescription }: Invalid,
		audience: Audience,
	): FailureText => ({
		message: `'${label}' ${reason}`,
		description:
			(audience.isTool ? toolDescription : undefined) ??
			description ??
			howToCorrect(label, audience),
		// Not the value: an expression may change it at each poll.
		failureKey: `${label} ${cutQuotedValue(reason)}`,
	}),
	/**
	 * @param items the unusable items, counted from 1.
	 * @param advice what to do about the first one.
	 */
	unusableItems: (
		items: ReadonlyArray<{ number: number; message: string }>,
		advice: string,
	): FailureText => {
		const MAX_NAMED = 3;
		const [first, ...others] = items;
		const continueWithout = SENTENCES.continueWithout(others.length === 0 ? 'item' : 'items');
		if (first && others.length === 0) {
			return {
				message: `${first.message} (input item ${first.number})`,
				description: `${advice} ${continueWithout}`,
			};
		}
		const named = items.slice(0, MAX_NAMED);
		const unnamed = items.length - named.length;
		return {
			message: `${items.length} input items cannot be used (first: item ${first?.number})`,
			description: [
				...named.map(({ number, message }) => `Item ${number}: ${message}.`),
				...(unnamed > 0 ? [`${plural(unnamed, 'more item')} cannot be used either.`] : []),
				`${advice} ${continueWithout}`,
			].join('\n'),
		};
	},
	customApiCall: (): FailureText => ({
		message: 'This node does not support custom API calls',
		description: "Choose an operation, or use n8n's HTTP Request node with this credential.",
	}),
	operation: (name: string): FailureText => ({
		message: `The operation ${quote(name)} does not exist`,
		description:
			'Choose an operation in the node. The workflow may have been made for another version of it.',
	}),
};

/** What a trigger says in a failed execution. */
export const TRIGGER_MESSAGES = {
	/** 'Sites' is 'All Sites'. */
	skippedLines: (lines: Lines): FailureText => ({
		message: `Some lines of 'Known Sites' in the credential ${ADD_NO_SITE}`,
		description: CORRECT_LINES,
		note: `Left out: ${listLines(lines)}.`,
		failureKey: `knownSites ${listLines(lines)}`,
	}),
	several: (names: readonly string[]) =>
		`${names.length} sites could not be read: ${listNames(names)}`,
	/** 'Ignore Missing Sites' is on. */
	leftOut: (names: readonly string[]): FailureText => ({
		message: `The service does not know ${plural(names.length, 'site')}, left out because of '${FIELD_LABELS.ignoreMissing}': ${listNames(names)}`,
		description: `If ${names.length === 1 ? 'it' : 'one of them'} exists, check its ID.`,
	}),
	/** 'Ignore Missing Sites' is on. */
	noneKnown: () => ({
		description: "Check 'Base URL' in the credential, then the site IDs.",
		note: 'The service knows none of the sites.',
	}),
	/** No site was requested. */
	noSlot: (limit: LimitState): FailureText => ({
		...LIMIT_MESSAGES.reached(limit),
		description: `That is ${formatTime(new Date(Date.now() + limit.delayMs))}.`,
	}),
	/** Reading all sites in turns takes longer than it should. */
	unread: (names: readonly string[], total: number, polls: number): FailureText => ({
		message: `${names.length} of ${plural(total, 'site')} ${names.length === 1 ? 'has' : 'have'} not been read for more than ten minutes and ${plural(polls, 'poll')}`,
		description: 'If this continues, poll more often or at other times, or watch fewer sites.',
		note: `${names.length === 1 ? 'It is' : 'They are'}: ${listNames(names)}. ${names.length === 1 ? 'It comes' : 'They come'} first in the next poll.`,
		failureKey: 'unread',
	}),
	/** The summary of a status report, in one line. */
	status: ({ sites, readAt, startedAt, failures, changes, refused }: TriggerStatus): string => {
		const start = `the trigger started (${startedAt})`;
		const [oldest, newest] = [readAt[0], readAt.at(-1)];
		const read = oldest === newest ? oldest : `between ${oldest} and ${newest}`;
		const unread = sites - readAt.length;
		const lines = failures.map(({ message, readAt: last }) => ({
			message: last ? `${message} (last read ${last})` : message,
		}));
		return [
			`${failures.length === 0 ? 'All is well' : 'Not all is well'}: ${plural(sites, 'site')}${oldest ? `, last read ${read}` : ''}.`,
			...(unread > 0 ? [`${plural(unread, 'site')} not read since ${start}.`] : []),
			...failureLines(lines),
			`${plural(changes.count, 'change')} since ${changes.since ?? start}.`,
			...(refused.count > 0
				? [
						`The service refused ${plural(refused.count, 'request')} since ${refused.since} (known to this n8n process only).`,
					]
				: []),
		].join(' ');
	},
};

/** What a status report says. Times are those of the workflow's time zone. */
interface TriggerStatus {
	sites: number;
	/** When the sites were read last, the longest ago first. Those that this process has not read are missing. */
	readAt: readonly string[];
	/** When this process started the trigger. It knows nothing about the time before. */
	startedAt: string;
	/** `readAt` is when the site was read last; absent if that is not known, or if sites share the failure. */
	failures: ReadonlyArray<{ message: string; readAt: string | undefined }>;
	/** `since` is null if this is the first report of this process. */
	changes: { count: number; since: string | null };
	refused: { count: number; since: string };
}

const errorLocation = (hasErrorOutput: boolean) =>
	hasErrorOutput ? "see the tab 'Error Branch'" : "see the field 'error'";
const IF_WRONG = "If that is wrong, check 'Base URL' in the credential";

/** For the output panel of a node that has succeeded, and for AI agents. */
export const NOTICES = {
	nothingFound: () => 'Nothing was found',
	missing: (missing: readonly string[], count: number) => {
		if (count === 1) return `The site does not exist and was left out. ${IF_WRONG}`;
		if (missing.length === count) return `None of the ${count} sites exist. ${IF_WRONG}`;
		return `Sites that do not exist were left out: ${listNames(missing)}`;
	},
	failed: (failed: number, count: number, hasErrorOutput: boolean) =>
		`${count === 1 ? 'The site' : `${failed} of ${count} sites`} could not be read: ${errorLocation(hasErrorOutput)}`,
	unusableItems: (count: number, hasErrorOutput: boolean) =>
		`${plural(count, 'input item')} could not be used: ${errorLocation(hasErrorOutput)}`,
	noUnits: (names: readonly string[], count: number) =>
		count === 1 ? 'The site has no units' : `Sites without units: ${listNames(names)}`,
	readOnce: (inputItems: number) =>
		`With 'All Sites', the node runs once, with the settings of the first of ${inputItems} input items`,
	absent: (part: string, absent: number, count: number) =>
		`The service sent no ${part} for ${count === 1 ? 'the site' : `${absent} of ${count} sites`}`,
	/** @param reason one of `WRONG_TYPE`. */
	deviation: (
		{ field, reason, isSkipped }: { field: string; reason: string; isSkipped: boolean },
		sites: number,
	) => {
		const returned =
			reason === WRONG_TYPE.exactNumber
				? 'returned, but its last digits may be wrong'
				: 'returned as the service sent it';
		return `'${field}' ${reason} for ${plural(sites, 'site')}: ${isSkipped ? 'left out of the rows' : returned}`;
	},
	skippedLines: (lines: Lines) =>
		`Lines of 'Known Sites' in the credential that ${ADD_NO_SITE} were left out: ${listLines(lines)}. Write one site per line, its ID first`,
	/** 'Include Input Fields' is on. */
	replacedFields: (names: readonly string[]) =>
		`Fields of the site or its failure replaced input fields of the same name: ${listNames(names)}. To keep both, rename the input fields in the previous node`,
	waited: (
		count: number,
		{ tookMs, limitCause }: { tookMs: number; limitCause: LimitState['limitCause'] },
	) => {
		const took = `${plural(count, 'site')} took ${formatDuration(tookMs, Math.round)}`;
		return limitCause === 'rate'
			? `${took} because of the request limit of the account. Other workflows and triggers share it`
			: `${took} because the service refused requests: there were too many. Other programs may use the account`;
	},
};
