import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../testbed/failure';
import { MINUTE_MS, SECOND_MS } from '../texts/duration';
import {
	afterOneRefusal,
	besideALongRun,
	besideSmallRuns,
	constantUse,
	COUNTING,
	heavyUse,
	runAlone,
	twoLongRuns,
	usedUpMinute,
} from '../testbed/simulation/scenarios';
import { command, readOptions } from './commandLine';
import { table, withBetween } from './figures';

const USAGE = `npm run simulate [-- --check]

  --check  writes nothing, and fails if the page has another table`;

const PAGE = path.resolve(__dirname, '../docs/performance.md');
const MARKS = [
	'<!-- account table: written by npm run simulate -->',
	'<!-- end of account table -->',
] as const;

const spell = (ms: number) =>
	ms < 2 * MINUTE_MS
		? `${(ms / SECOND_MS).toFixed(ms < 10 * SECOND_MS ? 1 : 0)} s`
		: `${(ms / MINUTE_MS).toFixed(1)} min`;

/** The most of a figure, however the service counts. */
async function worst<T>(scenario: (counting: (typeof COUNTING)[number]) => Promise<T>) {
	const all = await Promise.all(COUNTING.map(scenario));
	return (figure: (result: T) => number) => Math.max(...all.map(figure));
}

async function constantRows(): Promise<string[][]> {
	const rows: string[][] = [];
	for (const others of [30, 70, 90]) {
		const most = await worst(async (counting) => await constantUse(others, counting));
		const first = most(({ refusals }) => refusals[0] ?? NaN);
		const later = most(({ refusals }) => Math.max(...refusals.slice(1)));
		const unused = most(({ used }) => 1 - used);
		rows.push([
			`Others always send ${others} a minute, beside runs without end`,
			`${first} refusals in the first hour, ${later} in each later one at most; ${Math.floor(100 * (1 - unused))} % of the rest is used at least`,
		]);
	}
	return rows;
}

/** What people meet who share an account, in Markdown. */
async function accountTable(): Promise<string> {
	const alone = await runAlone(420);
	const beside = await besideALongRun();
	const two = await twoLongRuns();
	const small = await besideSmallRuns(90);
	const refused = await Promise.all(
		[0, 1, 5, 50].map(async (sites) => await afterOneRefusal(sites)),
	);
	const otherNode = await afterOneRefusal(5, { isOther: true });
	const used = await usedUpMinute();
	const heavy = await worst(heavyUse);
	const longest = Math.max(...refused.map(({ tookMs }) => tookMs));
	const rows = [
		['A run of 420 sites, alone', spell(alone.tookMs)],
		[
			'The same beside the next three, and what it takes of its time alone',
			`${spell(beside.runMs)}, ${(beside.runMs / alone.tookMs).toFixed(2)}`,
		],
		['– a credential test', spell(beside.testMs)],
		['– a run of ten sites', spell(beside.tenMs)],
		[
			'– four triggers of five sites each, every minute',
			`${beside.pollsRead} of ${beside.polls} polls read them`,
		],
		['Two runs of 420 sites at the same time', spell(two.tookMs)],
		[
			'A run of 420 sites beside 90 runs of one site a minute, and the longest of those',
			`${spell(small.runMs)}, ${spell(small.smallMs)}`,
		],
		['One refusal; a minute later 60 sites of 0.6 s beside a request that hangs', spell(longest)],
		['– 220 items of the HTTP Request node instead', `all, in ${spell(otherNode.tookMs)}`],
		['Others have used up the minute; 60 sites', `${spell(used.tookMs)}, ${used.refusals} refused`],
		[
			'Others send 150 a minute for a quarter of an hour; full speed after that',
			`${spell(heavy(({ fullAfterMs }) => fullAfterMs))} at most`,
		],
		...(await constantRows()),
	];
	return table(['What happens', 'How it ends'], rows);
}

const cellsOf = (page: string) => page.replace(/ +/g, ' ');

/** Simulates people who share an account, prints what they meet, and writes it into the page on performance. */
async function main(): Promise<void> {
	const { check } = readOptions({ check: { type: 'boolean', default: false } });
	const made = await accountTable();
	console.log(made);
	const before = await readFile(PAGE, 'utf8');
	const page = withBetween(before, MARKS, made);
	if (!check) return await writeFile(PAGE, page);
	if (cellsOf(page) !== cellsOf(before)) {
		throw new Failure('docs/performance.md has another table. Run npm run simulate.');
	}
}

command(main, USAGE);
