import type { IPollFunctions } from 'n8n-workflow';
import { MAX_POLL_MS, MAX_SITE_SHARE } from '../../nodes/Aquaculture/trigger/triggerSettings';
import { PollLock, type ActivePoll } from '../../nodes/Aquaculture/trigger/pollLock';
import { LimitedService } from '../../testbed/simulation/limitedService';
import { MINUTE_MS, SECOND_MS } from '../../nodes/Aquaculture/utils/time';
import { Page } from '../docs/pages';

const limit = new Page('docs/limit.md');
const trigger = new Page('docs/trigger.md');
const numberIn = (text: string) => Number(/[\d,.]*\d/.exec(text)?.[0].replaceAll(',', '') ?? 1);

it.each(limit.rowsOf('Sites'))(
	'docs/limit.md is right that %s sites take %s',
	async (sites, time = '') => {
		const service = new LimitedService();
		const minutes = (await service.settle(service.read(numberIn(sites ?? '')))) / MINUTE_MS;

		const digits = /\.(\d+)/.exec(time)?.[1]?.length ?? 0;
		expect(minutes < 0.1 ? 'seconds' : `${minutes.toFixed(digits)} minutes`).toBe(time);
	},
);

/** Returns the milliseconds that a poll may take at this interval. */
function allowedMs(minutes: number): number {
	jest.useFakeTimers();
	const lock = new PollLock();
	const polls = [true, false, false].map((isActivation) => {
		const poll = lock.begin({} as IPollFunctions, isActivation) as ActivePoll;
		lock.end(poll);
		jest.advanceTimersByTime(minutes * MINUTE_MS);
		return poll;
	});
	jest.useRealTimers();
	const { beganAt = NaN, endsAt = NaN } = polls[2] ?? {};
	return endsAt - beganAt;
}

/** Returns the fewest sites that one of four polls reads. */
async function readByPolls(sites: number, minutes: number): Promise<number> {
	const service = new LimitedService();
	const read: number[] = [];
	while (read.length < 4) {
		const [beganAt, before] = [service.clock.now(), service.arrivals.length];
		const endsAt = beganAt + allowedMs(minutes) - SECOND_MS;
		await service.settle(service.read(sites, { kind: 'poll', deadline: endsAt }));
		read.push(service.arrivals.length - before);
		await service.clock.advance(beganAt + minutes * MINUTE_MS - service.clock.now());
	}
	return Math.min(...read);
}

const SITES = 'Sites of all triggers of the account';
const { header = [] } = trigger.tables.find((table) => table.header[0]?.text === SITES) ?? {};
const cells = trigger.rowsOf(SITES).flatMap(([sites = '', ...said]) =>
	said.map((often, index): [string, number, string] => {
		return [sites, numberIn(header[index + 1]?.text ?? ''), often];
	}),
);

it.each(cells)(
	'docs/trigger.md is right that %s sites with a poll every %d minutes are read %s',
	async (sites, minutes, often) => {
		const polls = Math.ceil(numberIn(sites) / (await readByPolls(numberIn(sites), minutes)));

		expect(polls === 1 ? 'each poll' : `every ${polls} polls`).toBe(often);
	},
);

it('docs/trigger.md has the maximum times of a poll and a site', () => {
	expect(allowedMs(30)).toBe(MAX_POLL_MS);
	expect(trigger.text).toContain('after four minutes');
	expect(trigger.text).toContain(`${(MAX_SITE_SHARE * MAX_POLL_MS) / SECOND_MS} at most`);
	expect(allowedMs(5)).toBe(4 * MINUTE_MS);
});
