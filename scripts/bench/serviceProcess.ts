import { Emulator, UNLIMITED } from '../../emulator/server';
import { madeUpSite } from '../../emulator/sites';
import type { Conditions, Order, Seen } from './service';
import { MOST_SITES, siteIds } from './siteIds';

/** Runs the emulator for the process that has started this one, and ends with it. */
async function main(): Promise<void> {
	const emulator = await Emulator.start({
		...UNLIMITED,
		sites: siteIds(MOST_SITES).map(madeUpSite),
		token: { lifetimeSeconds: 24 * 60 * 60 },
	});
	process.on('message', (order: Order) => {
		process.send?.('prepare' in order ? prepare(emulator, order.prepare) : seen(emulator));
	});
	process.on('disconnect', () => process.exit());
	process.send?.(emulator.baseUrl);
}

function prepare(emulator: Emulator, { faults = [], ...settings }: Conditions): string {
	emulator.reset();
	Object.assign(emulator.settings, settings);
	for (const rule of faults) emulator.fail(rule);
	return 'ready';
}

function seen({ journal }: Emulator): Seen {
	const { connections, exchanges, peakConcurrency, refusals } = journal;
	return { requests: journal.count('site'), connections, exchanges, peakConcurrency, refusals };
}

void main();
