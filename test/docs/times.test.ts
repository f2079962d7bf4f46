import type { Tokens } from 'marked';
import { MINUTE_MS, SECOND_MS } from '../../texts/duration';
import { runAlone } from '../../testbed/simulation/scenarios';
import { PAGES, plainText } from './pages';

/** The rows of the tables that begin with these headings. */
function rowsOf(first: string, second: RegExp): string[][] {
	const tables = PAGES.flatMap((page) => page.tablesOf(first)).filter(({ header }) =>
		second.test(header[1]?.text ?? ''),
	);
	if (tables.length === 0) throw new Error(`No table begins with ${first}, ${second.source}`);
	return tables.flatMap(({ rows }) =>
		rows.map((cells) => cells.map((cell: Tokens.TableCell) => plainText(cell))),
	);
}

/** The number in a cell such as "1,000 sites" or "about 10½ minutes". */
function numberIn(text = ''): number {
	const [, digits = '', half] = /([\d,]*\d)(½)?/.exec(text) ?? [];
	return Number(digits.replaceAll(',', '')) + (half ? 0.5 : 0);
}

const times = new Map(
	rowsOf('Sites', /^Time$|^How long/).map(([sites = '', time = '']) => [
		sites + time,
		[sites, time],
	]),
);

it.each([...times.values()])(
	'the tables say how long a run takes: %s sites, %s',
	async (sites = '', time = '') => {
		const { tookMs } = await runAlone(numberIn(sites));

		if (time === 'seconds') expect(tookMs).toBeLessThan(10 * SECOND_MS);
		else expect(Math.abs(tookMs / MINUTE_MS / numberIn(time) - 1)).toBeLessThan(0.07);
	},
	120_000,
);

it('the tables say how many requests a day polls make', () => {
	for (const [sites, poll = '', requests] of rowsOf('Sites', /^Poll$/)) {
		const everyMinutes = poll.endsWith('hour') ? 60 : numberIn(poll) || 1;
		expect(numberIn(requests)).toBe((numberIn(sites) * 24 * 60) / everyMinutes);
	}
});
