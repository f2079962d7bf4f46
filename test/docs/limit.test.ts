import type { Tokens } from 'marked';
import { TokenCache } from '../../account/tokenCache';
import { plannedMs } from '../../account/limit/plan';
import { Budget } from '../../account/limit/budget';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/duration';
import { LimitedService } from '../../testbed/simulation/limitedService';
import { runAlone } from '../../testbed/simulation/scenarios';
import { PAGES, plainText } from './pages';

/** What the documentation says about an account that may send 100 requests a minute, without line breaks. */
const texts = PAGES.filter(({ file }) => file !== 'docs/messages.md').map(({ text }) =>
	text.replaceAll(/\s+/g, ' '),
);

/** The groups of each place in the documentation that says so; fails where there is none. */
function said(pattern: RegExp): string[][] {
	const found = texts.flatMap((text) => [...text.matchAll(pattern)]);
	if (found.length === 0) throw new Error(`No page says ${pattern.source}`);
	return found.map((match) => match.slice(1));
}

/** The rows of the tables that begin with these headings. */
function rowsOf(first: string, second: RegExp): string[][] {
	const tables = PAGES.flatMap((page) => page.tablesOf(first)).filter(({ header }) =>
		second.test(header[1]?.text ?? ''),
	);
	if (tables.length === 0) throw new Error(`No table begins with ${first}, ${second.source}`);
	const textOf = (cell: Tokens.TableCell) => plainText(cell);
	return tables.flatMap(({ rows }) => rows.map((cells) => cells.map(textOf)));
}

/** "1,000" or "10½", with words before or after it. */
function numberIn(text = ''): number {
	const [, digits = '', half] = /([\d,]*\d)(½)?/.exec(text) ?? [];
	return Number(digits.replaceAll(',', '')) + (half ? 0.5 : 0);
}

const places = Array.from(
	new Map(
		[
			...rowsOf('Sites', /^Time$|^How long/),
			...said(/([\d,]+ sites) take (about [\d½]+ minutes)/g),
		].map(([sites = '', time = '']) => [`${sites}: ${time}`, [sites, time] as const]),
	),
);

jest.setTimeout(120_000);

it.each(places)('the pages say how long a run takes: %s', async (_name, [sites, time]) => {
	const { tookMs } = await runAlone(numberIn(sites));

	if (time === 'seconds') {
		expect(tookMs).toBeLessThan(10 * SECOND_MS);
		return;
	}
	expect(time).toMatch(/^about [\d½]+ minutes$/);
	expect(Math.abs(tookMs / MINUTE_MS / numberIn(time) - 1)).toBeLessThan(0.07);
});

it("the pages say how many sites 'Maximum Wait (Minutes)' allows", () => {
	const budget = new Budget();
	budget.requestsPerMinute = 100;

	for (const [minutes, sites] of said(/(60 minutes|60 by default)[^.|]*?about ([\d,]+) sites/g)) {
		expect(plannedMs(budget, numberIn(sites))).toBeLessThanOrEqual(numberIn(minutes) * MINUTE_MS);
		expect(plannedMs(budget, 1.01 * numberIn(sites))).toBeGreaterThan(
			numberIn(minutes) * MINUTE_MS,
		);
	}
});

it('the pages say how many items of the HTTP Request node can be read', async () => {
	const service = new LimitedService();
	const { budget, clock } = service;
	const endsAt = clock.now() + 5 * MINUTE_MS;
	const others = { queue: budget.others, isUnseen: true, endsAt, concurrency: 1000 };
	const arrived = await service.finish(service.read(1000, others));
	const count = arrived.filter((at) => at !== undefined).length;

	for (const [items] of said(/about ([\d,]+) items/g)) {
		expect(Math.abs(count / numberIn(items) - 1)).toBeLessThan(0.03);
	}
});

it('the pages say how many requests a day triggers may send', () => {
	const budget = new Budget();
	budget.requestsPerMinute = 100;

	for (const [aDay] of said(/at most ([\d,]+) requests a day/g)) {
		expect(numberIn(aDay)).toBe(budget.pollsPerMinute * 60 * 24);
	}
});

it('the pages say how many requests a day polls make', () => {
	for (const [sites, poll = '', requests] of rowsOf('Sites', /^Poll$/)) {
		const everyMinutes = poll.endsWith('hour') ? 60 : numberIn(poll) || 1;
		expect(numberIn(requests)).toBe((numberIn(sites) * 24 * 60) / everyMinutes);
	}
});

it('the pages say how many logins a refused password costs', async () => {
	let now = 0;
	const tokens = new TokenCache(() => now);
	const failure = { message: '', description: '', loginRefused: true };
	const days = [0, 0, 0];
	for (; now < 24 * days.length * HOUR_MS; now += MINUTE_MS) {
		if (tokens.currentFailure()) continue;
		await tokens.renew(async () => await Promise.resolve({ failure }));
		days[Math.floor(now / HOUR_MS / 24)]! += 1;
	}

	for (const [first, later] of said(/some (\d+) on the first day, (\d+) on each later one/g)) {
		expect(Math.abs(days[0]! - numberIn(first))).toBeLessThanOrEqual(1);
		expect(Math.max(...days.slice(1))).toBeLessThanOrEqual(numberIn(later));
	}
});
