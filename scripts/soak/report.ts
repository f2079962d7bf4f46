import { table } from '../bench/table';
import type { Growth } from './checks';
import type { Disturbance } from './load';

/** What a soak has shown, as it is kept. */
export interface Results {
	date: string;
	seed: number;
	minutes: number;
	executionsPerSecond: number;
	versions: { package: string; n8n: string; node: string };
	machine: string;
	executions: number;
	/** Executions that were stopped by a failure. */
	stopped: number;
	disturbances: Record<Disturbance['kind'], number>;
	/** IDs whose items came, and IDs with an error that fits what the service has done. */
	read: number;
	failed: number;
	/** Requests for sites, and the different sites of each execution. */
	requests: number;
	sites: number;
	logins: number;
	/** Passwords entered in n8n that n8n has undone when it stored a token meanwhile. */
	lostEdits: number;
	changes: { made: number; reported: number };
	/** Passwords and tokens that were looked for, and the megabytes that were searched. */
	secrets: { lookedFor: number; searchedMB: number; found: string[] };
	memory: { soaked: Growth; control: Growth };
	/** All that must not be, in sentences. */
	faults: string[];
}

/**
 * How much faster the heap may grow than the control's, in megabytes an hour. At five executions a second that is about
 * 1 KB for each: less than the smallest thing that an execution could leave behind, its credential.
 */
export const MOST_HEAP_PER_HOUR = 20;

/** A shorter soak says nothing of memory: what n8n loads and compiles outweighs what could leak. */
const SHORTEST_MINUTES_FOR_MEMORY = 20;

interface Judgement {
	what: string;
	required: string;
	measured: string;
	/** Undefined where the soak was too short to tell. */
	isMet: boolean | undefined;
}

/** Judges a soak. */
export function judge({ faults, secrets, memory, minutes }: Results): Judgement[] {
	const none = (what: string, found: readonly string[]): Judgement => ({
		what,
		required: '0',
		measured: String(found.length),
		isMet: found.length === 0,
	});
	const growth = memory.soaked.heapPerHour - memory.control.heapPerHour;
	return [
		none('wrong answers, requests, stored executions, changes and lines in the log', faults),
		none('texts that hold a password or a token', secrets.found),
		{
			what: 'heap, MB an hour more than the control',
			required: `≤ ${MOST_HEAP_PER_HOUR}`,
			measured: growth.toFixed(1),
			isMet: minutes < SHORTEST_MINUTES_FOR_MEMORY ? undefined : growth <= MOST_HEAP_PER_HOUR,
		},
	];
}

/** The results as short tables in Markdown. */
export function reportOf(results: Results): string {
	const { minutes, seed, versions, machine, date, memory, changes, secrets } = results;
	const figures = { ...results.disturbances, ...countsOf(results) };
	return [
		`Measured on ${date}: ${minutes} minutes, seed ${seed}; n8n ${versions.n8n} on Node.js ${versions.node}, package ${versions.package}; ${machine}.`,
		table(
			['', 'required', 'measured', ''],
			judge(results).map(({ what, required, measured, isMet }) => [
				what,
				required,
				measured,
				isMet === undefined ? 'too short to tell' : isMet ? 'met' : 'missed',
			]),
		),
		table(
			['', 'number'],
			[
				...Object.entries(figures).map(([name, count]) => [name, count.toLocaleString('en')]),
				['licences that the trigger has reported', `${changes.reported} of ${changes.made}`],
				['megabytes searched for secrets', String(secrets.searchedMB)],
			],
		),
		table(
			['memory', 'heap MB', 'heap MB/h', 'process MB', 'process MB/h', 'samples'],
			Object.entries(memory).map(([name, growth]) => [name, ...cells(growth)]),
		),
	].join('\n\n');
}

function countsOf({ executions, stopped, read, failed, requests, sites, ...others }: Results) {
	return {
		executions,
		'executions stopped by a failure': stopped,
		'sites that were read': read,
		'sites that failed for a reason': failed,
		'requests for sites': requests,
		'different sites of an execution': sites,
		logins: others.logins,
		'edits that n8n has undone': others.lostEdits,
		'secrets looked for': others.secrets.lookedFor,
	};
}

function cells({ heapMB, heapPerHour, rssMB, rssPerHour, samples }: Growth): string[] {
	return [
		...[heapMB, heapPerHour, rssMB, rssPerHour].map((value) => value.toFixed(1)),
		`${samples}`,
	];
}
