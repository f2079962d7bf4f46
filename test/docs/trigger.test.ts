import type { IPollFunctions } from 'n8n-workflow';
import { LONGEST_POLL_MS, LONGEST_SITE } from '../../nodes/Aquaculture/trigger/settings';
import { TriggerState, type PollTurn } from '../../nodes/Aquaculture/trigger/state';
import { MINUTE_MS, SECOND_MS } from '../../texts/duration';
import { LimitedService } from '../../testbed/simulation/limitedService';
import { PAGES, plainText } from './pages';

const page = PAGES.find(({ file }) => file === 'docs/trigger.md');
const text = page?.text.replaceAll(/\s+/g, ' ') ?? '';
const numberIn = (cell: string) => Number(cell.replaceAll(',', ''));

/** How long a poll may take if polls come so far apart, in milliseconds. */
function allowedMs(minutes: number): number {
	jest.useFakeTimers();
	const state = new TriggerState();
	const [, , turn] = [0, 1, 2].map((poll) => {
		const begun = state.begin({} as IPollFunctions, poll === 0, 0) as PollTurn;
		state.end(begun);
		jest.advanceTimersByTime(minutes * MINUTE_MS);
		return begun;
	}) as [PollTurn, PollTurn, PollTurn];
	jest.useRealTimers();
	return turn.endsAt - turn.beganAt;
}

/** How many sites each of some polls reads, so many minutes apart. */
async function pollsOf(sites: number, minutes: number): Promise<number[]> {
	const service = new LimitedService();
	const polls: number[] = [];
	while (polls.length < 4) {
		const [beganAt, before] = [service.clock.now(), service.arrivals.length];
		const endsAt = beganAt + allowedMs(minutes) - SECOND_MS;
		await service.finish(service.read(sites, { kind: 'poll', endsAt }));
		polls.push(service.arrivals.length - before);
		await service.clock.pass(beganAt + minutes * MINUTE_MS - service.clock.now());
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
		expect(allowedMs(30)).toBe(LONGEST_POLL_MS);
		expect(text).toContain('after four minutes');
		const longest = (LONGEST_SITE * LONGEST_POLL_MS) / SECOND_MS;
		expect(text).toContain(`more than ${longest} seconds`);
		const inShort = (LONGEST_SITE * allowedMs(1)) / SECOND_MS;
		expect(text).toContain(`${inShort} seconds with a poll every minute`);
		expect(allowedMs(5)).toBe(4 * MINUTE_MS);
	});
});
