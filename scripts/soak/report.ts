import { table } from '../bench/table';
import { judge, type Verdict } from './bounds';
import type { Growth } from './memory';
import type { Results } from './results';

/** The results as short tables in Markdown. */
export function reportOf(results: Results): string {
	const { minutes, seed, versions, machine, date } = results;
	return [
		`Measured on ${date}: ${minutes} minutes, seed ${seed}; n8n ${versions.n8n} on Node.js ${versions.node}, package ${versions.package}; ${machine}.`,
		table(
			['', 'required', 'measured', ''],
			judge(results).map((verdict) => [
				verdict.what,
				verdict.required,
				verdict.measured,
				wordOf(verdict),
			]),
		),
		table(['', 'number'], figuresOf(results)),
		table(
			['memory', 'heap MB', 'heap MB/h', 'process MB', 'process MB/h', 'samples'],
			[
				['soaked', ...cells(results.memory.soaked)],
				['control', ...cells(results.memory.control)],
			],
		),
	].join('\n\n');
}

function figuresOf({
	calls,
	entries,
	stopped,
	requests,
	exchanges,
	disturbances,
	edits,
	changes,
	secrets,
}: Results): string[][] {
	const whole = (value: number) => value.toLocaleString('en');
	return [
		['executions', whole(calls)],
		['stopped by a failure', whole(stopped)],
		['entries that were read', whole(entries.read)],
		...Object.entries(entries.failed).map(([reason, count]) => [
			`entries that failed: ${reason}`,
			whole(count),
		]),
		['requests for sites', whole(requests.sites)],
		['requests for each site of a call', (requests.sites / requests.asked).toFixed(3)],
		['the most for one site of a call', whole(requests.mostForASite)],
		['token requests', whole(exchanges.requests)],
		...Object.entries(exchanges.causes).map(([cause, count]) => [
			`token requests: ${cause}`,
			whole(count),
		]),
		...Object.entries(disturbances).map(([kind, count]) => [`disturbances: ${kind}`, whole(count)]),
		['passwords entered in n8n', whole(edits.made)],
		['of these, undone when n8n stored a token', whole(edits.lost)],
		['licences told by the trigger', `${changes.told} of ${changes.made}`],
		['secrets looked for', whole(secrets.lookedFor)],
		['megabytes searched for them', whole(secrets.searchedMB)],
	];
}

function cells({ heapMB, heapPerHour, rssMB, rssPerHour, samples }: Growth): string[] {
	return [
		heapMB.toFixed(0),
		heapPerHour.toFixed(1),
		rssMB.toFixed(0),
		rssPerHour.toFixed(1),
		String(samples),
	];
}

function wordOf({ isMet }: Verdict): string {
	if (isMet === undefined) return 'too short to tell';
	return isMet ? 'met' : 'missed';
}
