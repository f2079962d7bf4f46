import { Console } from 'node:console';
import { PassThrough } from 'node:stream';
import { inspect } from 'node:util';
import type { IDataObject } from 'n8n-workflow';
import { knownSitesOf, SITES } from '../emulator/sites';
import type { Cleanup } from '../testbed/cleanup';
import { ActiveTrigger } from '../testbed/engine/activeTrigger';
import { Harness } from '../testbed/engine/harness';
import { say } from '../testbed/progress';
import { command } from './commandLine';

/** A pipe has no columns, and some terminals say 0. */
const WIDTH = process.stdout.columns || 80;

/** Prints values without the quotes that `console.table` puts around text. */
const unquoted = (value: unknown) => ({ [inspect.custom]: () => String(value) });

function drawTable(rows: readonly IDataObject[], columns: readonly string[]): string[] {
	const cells = rows.map((row) =>
		Object.fromEntries(columns.map((column) => [column, unquoted(row[column] ?? '')])),
	);
	const drawn = new PassThrough({ encoding: 'utf8' });
	new Console(drawn).table(cells);
	const lines = String(drawn.read()).trimEnd().split('\n');
	// Drop the first column, which numbers the rows.
	return lines.map((line) => line.replace(/^(.)[^┬│┼┴]*[┬│┼┴]/, '$1'));
}

/** Prints as many of the columns as fit the terminal, and names the others. */
function printTable(rows: readonly IDataObject[]): void {
	const columns = Object.keys(rows[0] ?? {});
	let shown = columns.length;
	let lines = drawTable(rows, columns);
	while (shown > 1 && (lines[0] ?? '').length > WIDTH) {
		shown -= 1;
		lines = drawTable(rows, columns.slice(0, shown));
	}
	console.log(lines.join('\n'));
	const left = columns.slice(shown);
	if (left.length > 0) console.log(`Each row also has ${left.join(', ')}.`);
}

function print(item: IDataObject | undefined): void {
	// A line may be eight columns shorter than this (Node.js 20 to 24).
	const breakLength = WIDTH + 8;
	console.log(inspect(item, { breakLength, colors: process.stdout.isTTY, depth: null }));
}

async function main(cleanup: Cleanup): Promise<void> {
	say("Running the built package in n8n's engine, against an emulated service");
	const harness = await cleanup.use(Harness.start());
	harness.setCredential({ knownSites: knownSitesOf(SITES) });
	const run = async (parameters: IDataObject) => {
		const { items, error } = await harness.run(parameters);
		if (error) throw error;
		return items.map(({ json }) => json);
	};

	console.log('\nGet Many Sites: a row for each site\n');
	printTable(await run({ operation: 'getManySites', sites: 'all' }));

	console.log('\nGet Site: a site with its info and units\n');
	print((await run({ operation: 'getSite', siteId: '1004' }))[0]);

	console.log('\nAquaculture Trigger: an item for each change between two polls\n');
	const trigger = new ActiveTrigger(harness, { siteIds: '1001' });
	await trigger.activate();
	harness.emulator.changeSite(1001, (site) => ({
		...site,
		info: { ...site.info, license: 'M-H-0202' },
	}));
	const { items, errors } = await trigger.poll();
	if (errors[0]) throw errors[0];
	print(items?.[0]);

	console.log("\nTo see the same in n8n's editor, run: npm start");
}

command(main);
