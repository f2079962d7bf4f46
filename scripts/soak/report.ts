import { table } from '../figures';
import type { Growth } from './checks';

/** What a soak has shown, as it is kept. */
export interface Results {
	date: string;
	seed: number;
	minutes: number;
	executionsPerSecond: number;
	versions: Record<'package' | 'n8n' | 'node', string>;
	machine: string;
	/** How much there was of what the key names. */
	counts: Record<string, number>;
	memory: Record<'soaked' | 'control', Growth>;
	/** All that must not be, in sentences. */
	faults: string[];
	/** The texts that hold a password or a token. */
	leaks: string[];
}

/**
 * How much faster the heap may grow than the control's, in megabytes an hour. At five executions a second that is about
 * 1 KB for each: less than the smallest thing that an execution could leave behind, its credential.
 */
export const MAX_HEAP_PER_HOUR = 20;

/** A shorter soak says nothing of memory: what n8n loads and compiles outweighs what could leak. */
const MIN_MINUTES_FOR_MEMORY = 20;

interface Requirement {
	what: string;
	atMost: number;
	measured: number;
	/** Undefined where the soak was too short to tell. */
	isMet: boolean | undefined;
}

/** What is required of a soak, with what was measured. */
export function requirementsOf({ faults, leaks, memory, minutes }: Results): Requirement[] {
	const growth = memory.soaked.heapPerHour - memory.control.heapPerHour;
	const isLong = minutes >= MIN_MINUTES_FOR_MEMORY;
	return [
		{
			what: 'wrong answers, requests, stored executions, changes and lines in the log',
			atMost: 0,
			measured: faults.length,
			isMet: faults.length === 0,
		},
		{
			what: 'texts that hold a password or a token',
			atMost: 0,
			measured: leaks.length,
			isMet: leaks.length === 0,
		},
		{
			what: 'heap, MB an hour more than the control',
			atMost: MAX_HEAP_PER_HOUR,
			measured: growth,
			isMet: isLong ? growth <= MAX_HEAP_PER_HOUR : undefined,
		},
	];
}

/** The results as short tables in Markdown. */
export function reportOf(results: Results): string {
	const { minutes, seed, versions, machine, date, memory, counts } = results;
	const number = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 });
	return [
		`Measured on ${date}: ${minutes} minutes, seed ${seed}; n8n ${versions.n8n} on Node.js ${versions.node}, package ${versions.package}; ${machine}.`,
		table(
			['', 'at most', 'measured', ''],
			requirementsOf(results).map(({ what, atMost, measured, isMet }) => [
				what,
				number(atMost),
				number(measured),
				isMet === undefined ? 'too short to tell' : isMet ? 'met' : 'missed',
			]),
		),
		table(
			['', 'number'],
			Object.entries(counts).map(([name, count]) => [name, number(count)]),
		),
		table(
			['memory', 'heap MB', 'heap MB/h', 'process MB', 'samples'],
			Object.entries(memory).map(([name, { heapMB, heapPerHour, rssMB, samples }]) => [
				name,
				...[heapMB, heapPerHour, rssMB, samples].map(number),
			]),
		),
	].join('\n\n');
}
