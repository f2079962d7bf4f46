import type { IPollFunctions } from 'n8n-workflow';
import { LONGEST_POLL_MS, LONGEST_SITE } from '../../nodes/Aquaculture/trigger/settings';
import { pollTimeOf } from '../../nodes/Aquaculture/trigger/pollTimes';
import { Queue } from '../../account/limit/queue';
import { MINUTE_MS, SECOND_MS } from '../../texts/duration';
import { LimitedService } from '../../testbed/simulation/limitedService';
import { PAGES, plainText } from './pages';

const page = PAGES.find(({ file }) => file === 'docs/trigger.md');
const text = page?.text.replaceAll(/\s+/g, ' ') ?? '';
const numberIn = (cell: string) => Number(cell.replaceAll(',', ''));

/** Poll times that lead to polls so far apart. */
const contextOf = (minutes: number) => {
	const item = [{ mode: 'everyX', unit: 'minutes', value: minutes }];
	return { getNodeParameter: () => ({ item }) } as unknown as IPollFunctions;
};
const timeOf = (minutes: number) => pollTimeOf(contextOf(minutes));

/** How many sites each of some polls reads, so many minutes apart. */
async function pollsOf(sites: number, minutes: number): Promise<number[]> {
	const { allowedMs, intervalMs } = timeOf(minutes);
	const service = new LimitedService();
	const polls: number[] = [];
	while (polls.length < 4) {
		const beganAt = service.clock.now();
		const endsAt = beganAt + allowedMs - SECOND_MS;
		const queue = new Queue({ kind: 'poll', planned: sites, endsAt });
		const arrived = await service.finish(service.read(sites, { queue }));
		polls.push(arrived.filter((at) => at !== undefined).length);
		await service.clock.pass(beganAt + intervalMs - service.clock.now());
	}
	return polls;
}

describe('docs/trigger.md is right about', () => {
	const [table] = page?.tablesOf('Sites of all triggers of the account') ?? [];
	const columns = table?.header.slice(1).map((cell) => Number(/\d+/.exec(cell.text)?.[0] ?? 1));
	const cells = (table?.rows ?? []).flatMap((row) => {
		const [sites = '', ...said] = row.map((cell) => plainText(cell));
		return said.map((often, index) => [sites, columns?.[index] ?? 0, often] as const);
	});

	it.each(cells)(
		'how often each of %s sites is read, with a poll every %d minutes: %s',
		async (sites, minutes, often) => {
			const read = await pollsOf(numberIn(sites), minutes);

			const polls = Math.ceil(numberIn(sites) / Math.min(...read));
			expect(often).toBe(polls === 1 ? 'each poll' : `every ${polls} polls`);
		},
	);

	it('how long a poll takes, and a site in it', () => {
		expect(timeOf(30).allowedMs).toBe(LONGEST_POLL_MS);
		expect(text).toContain('after four minutes');
		const longest = (LONGEST_SITE * LONGEST_POLL_MS) / SECOND_MS;
		expect(text).toContain(`more than ${longest} seconds`);
		const inShort = (LONGEST_SITE * timeOf(1).allowedMs) / SECOND_MS;
		expect(text).toContain(`${inShort} seconds with a poll every minute`);
		expect(timeOf(5).allowedMs).toBe(4 * MINUTE_MS);
	});
});
