import {
	plural,
	CORRECT_LINES,
	listLines,
	listNames,
	formatTime,
	type Lines,
	type SitesChoice,
} from './phrases';
import { failureLines, type Failure } from './failure';

/** What a trigger says in a failed execution. */
export const TRIGGER_MESSAGES = {
	/** 'Sites' is 'All Sites'. */
	skippedLines: (lines: Lines): Failure => ({
		message: "Some lines of 'Known Sites' in the credential add no site",
		description: CORRECT_LINES,
		note: `Left out: ${listLines(lines)}.`,
	}),
	several: (names: readonly string[]) =>
		`${names.length} sites could not be read: ${listNames(names)}`,
	/** What to do about a site that the service does not know. @param choice what 'Sites' says. */
	notFound: (choice: SitesChoice) => ({
		description:
			choice === 'all'
				? "Correct its line in 'Known Sites' in the credential."
				: 'Check the site ID.',
		note: `${choice === 'all' ? "If you cannot edit the credential, choose 'By ID' under 'Sites'. " : ''}If no site is found, check 'Base URL' in the credential.`,
	}),
	/** When requests are sent again, if no site was requested. */
	sendsAgain: ({ delayMs }: { delayMs: number }) => ({
		description: `That is ${formatTime(new Date(Date.now() + delayMs))}.`,
	}),
	// What becomes of the sites after a failed execution.
	othersWatched: () => 'The trigger still watches the other sites.',
	nextPoll: () =>
		'The next poll tries again and reports all changes since. Until it succeeds, you get this message at most once an hour.',
	/** About failing sites, of which the account may not read some. */
	triedAgain: (count: number) =>
		`Other sites are still watched; ${count === 1 ? 'this one is' : 'these are'} tried again at each poll.`,
	/** About the same sites. @param choice what 'Sites' says. */
	removeGone: (count: number, choice: SitesChoice) => {
		const lists = {
			all: "'Known Sites' in the credential",
			byId: "'Site IDs'",
			fromList: "'Site Names or IDs'",
		};
		return `If ${count === 1 ? 'it' : 'one'} is gone for good, remove it from ${lists[choice]}. Until then, you get this message at most once an hour.`;
	},
	/** The summary of a status report, in one line. */
	status: (report: TriggerStatus): string => {
		const { sites, readTimes, since, failures, unread, changes } = report;
		const otherwise = unread > 0 ? 'Not all sites were read' : 'All is well';
		const [oldest, newest] = [readTimes[0], readTimes.at(-1)];
		const read = oldest === newest ? oldest : `between ${oldest} and ${newest}`;
		const lines = failures.map(({ message, lastReadAt }) => ({
			message: lastReadAt ? `${message} (last read ${lastReadAt})` : message,
		}));
		return [
			`${failures.length > 0 ? 'Not all is well' : otherwise}: ${plural(sites, 'site')}${oldest ? `, last read ${read}` : ''}.`,
			...failureLines(lines),
			...(unread > 0 ? [`${plural(unread, 'site')} not read since ${since}.`] : []),
			`${plural(changes, 'change')} since ${since}.`,
		].join(' ');
	},
};

/** What a status report says. Times are those of the workflow's time zone. */
interface TriggerStatus {
	sites: number;
	/** When the sites were read last, the longest ago first. Those that this process has not read are missing. */
	readTimes: readonly string[];
	/** The last report, or when this process started the trigger: it knows nothing about the time before. */
	since: string;
	/** `lastReadAt` is undefined if that is not known, or if it is not the failure of a single site. */
	failures: ReadonlyArray<{ message: string; lastReadAt: string | undefined }>;
	/** How many sites were not read since then, and do not fail either. */
	unread: number;
	changes: number;
}
