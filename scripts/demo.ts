import type { IDataObject } from 'n8n-workflow';
import { knownSitesOf, SITES } from '../emulator/sites';
import type { Cleanup } from '../testbed/cleanup';
import { ActiveTrigger } from '../testbed/engine/activeTrigger';
import { Harness } from '../testbed/engine/harness';
import { say } from '../testbed/progress';
import { command } from './commandLine';

/** A terminal of 80 columns has room for these. */
const SHOWN = ['siteId', 'siteName', 'license', 'maxTotalBiomass', 'numberOfUnits'];
/** A terminal shows these twice as wide as Latin letters. */
const WIDE_LETTER = /[\u3000-\u9fff]/g;

const widthOf = (text: string) => text.length + (text.match(WIDE_LETTER)?.length ?? 0);

function printTable(rows: readonly IDataObject[]): void {
	const lines = [SHOWN, ...rows.map((row) => SHOWN.map((column) => String(row[column] ?? '')))];
	const widths = SHOWN.map((_, column) =>
		Math.max(...lines.map((cells) => widthOf(cells[column] ?? ''))),
	);
	for (const cells of lines) {
		const padded = cells.map(
			(cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)),
		);
		console.log(padded.join('  ').trimEnd());
	}
	const others = Object.keys(rows[0] ?? {}).filter((column) => !SHOWN.includes(column));
	console.log(`\nNot shown: ${others.join(', ')}.`);
}

function print(item: IDataObject | undefined): void {
	console.dir(item, { breakLength: 80, depth: null });
}

async function main(cleanup: Cleanup): Promise<void> {
	say("Running the built package in n8n's engine, against an emulated service");
	const harness = await cleanup.use(new Harness().start());
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
