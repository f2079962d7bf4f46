import type { Results } from './results';

/**
 * How much faster the heap may grow than the control's, in megabytes an hour. At five executions a second that is about
 * 1 KB for each: less than the smallest thing that an execution could leave behind, its credential.
 */
export const MOST_HEAP_PER_HOUR = 20;

/** A shorter soak says nothing of memory: what n8n loads and compiles outweighs what could leak. */
const SHORTEST_MINUTES_FOR_MEMORY = 20;

/** What is required, and whether it was reached; undefined where the soak was too short to tell. */
export interface Verdict {
	what: string;
	required: string;
	measured: string;
	isMet: boolean | undefined;
}

/** Judges a soak. */
export function judge(results: Results): Verdict[] {
	const { exchanges, requests, secrets, memory, faults, minutes } = results;
	const none = (what: string, measured: number): Verdict => ({
		what,
		required: '0',
		measured: String(measured),
		isMet: measured === 0,
	});
	const growth = memory.soaked.heapPerHour - memory.control.heapPerHour;
	return [
		none('answers, executions and changes that are wrong', faults.length),
		none('requests for a site without need', requests.needless),
		none('token requests that were not due', exchanges.unexplained),
		none('texts that hold a password or a token', secrets.found.length),
		{
			what: 'heap, MB an hour more than the control',
			required: `≤ ${MOST_HEAP_PER_HOUR}`,
			measured: growth.toFixed(1),
			isMet: minutes < SHORTEST_MINUTES_FOR_MEMORY ? undefined : growth <= MOST_HEAP_PER_HOUR,
		},
	];
}
