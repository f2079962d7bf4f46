import type { LimitState } from '../limit/rateLimiter';
import {
	plural,
	ADD_NO_SITE,
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
		message: `Some lines of 'Known Sites' in the credential ${ADD_NO_SITE}`,
		description: CORRECT_LINES,
		note: `Left out: ${listLines(lines)}.`,
		failureKey: `knownSites ${listLines(lines)}`,
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
	/** No site was requested. */
	sendsAgain: (limit: LimitState) => ({
		description: `That is ${formatTime(new Date(Date.now() + limit.delayMs))}.`,
	}),
	/** Reading all sites in turns takes longer than it should. */
	unread: (names: readonly string[], total: number, polls: number): Failure => ({
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
