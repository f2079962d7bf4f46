import type { IDataObject, TriggerTime } from 'n8n-workflow';
import { makeSites } from '../../emulator/sites';
import type { ActiveTrigger, PollOutcome } from '../../testbed/engine/activeTrigger';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import { messagesOf, NOTHING, useTrigger } from '../../testbed/engine/useTrigger';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
/** n8n's default time zone is New York. */
const SIX_O_CLOCK = Date.parse('2026-03-09T06:00:30-04:00');

const EVERY_MINUTE: TriggerTime = { mode: 'everyMinute' } as TriggerTime;
const QUARTERLY: TriggerTime = { mode: 'everyX', unit: 'minutes', value: 15 } as TriggerTime;
const DAILY: TriggerTime = { mode: 'everyDay', hour: 6, minute: 0 } as TriggerTime;

const idsOf = (count: number) => makeSites(count).map(({ siteId }) => siteId);

describe('a trigger at 50 requests a minute', () => {
	const { settle, advance } = useFakeTime();
	/** The package keeps the state of a trigger beyond a test. */
	let count = 0;

	beforeEach(() => {
		jest.setSystemTime(SIX_O_CLOCK - 6 * 60 * MINUTE);
	});
	const use = useTrigger({ requestsPerMinute: 50, sites: makeSites(150) });
	const { harness, relicense } = use;
	beforeEach(() => harness.setCredential({ requestsPerMinute: 50 }));

	const trigger = (
		siteIds: readonly number[],
		time: TriggerTime,
		settings: Parameters<typeof use.trigger>[1] = {},
		more: IDataObject = {},
	) => {
		const pollTimes = { item: [time] } as unknown as IDataObject;
		const parameters = { siteIds: siteIds.join(), changes: ['infoChanged'], pollTimes, ...more };
		count += 1;
		return use.trigger(parameters, { name: `Trigger ${count}`, ...settings });
	};
	const restUntil = (time: number) => jest.advanceTimersByTime(time - Date.now());
	const sleepUntil = async (time: number) =>
		await new Promise((resolve) => setTimeout(resolve, time - Date.now()));
	/** Polls at each of these times, like n8n also while another poll is running. */
	const pollEach = async (
		active: Pick<ActiveTrigger, 'poll'>,
		first: number,
		everyMs: number,
		count: number,
	) => {
		const polls: Array<Promise<PollOutcome>> = [];
		for (let poll = 0; poll < count; poll++) {
			const time = first + poll * everyMs;
			await settle(Promise.race([Promise.all(polls), sleepUntil(time)]));
			restUntil(Math.max(time, Date.now()));
			polls.push(active.poll());
		}
		return await settle(Promise.all(polls));
	};
	/** Returns the requested site IDs in order. */
	const asked = (from = 0) =>
		harness.emulator.journal
			.of('site')
			.slice(from)
			.map(({ url }) => Number(url.match(/\d+/)?.[0]));
	const changed = (outcomes: PollOutcome[]) =>
		outcomes.map(({ items }) => items?.map(({ siteId }) => siteId) ?? []);

	it('reads all of 75 sites once a day, unread ones first', async () => {
		const active = trigger(idsOf(75), DAILY);
		const activation = await settle(active.activate());
		const first = asked().length;
		const missing = idsOf(75).filter((siteId) => !asked().includes(siteId));
		relicense(5001, 'NEW');

		const polls = await pollEach(active, SIX_O_CLOCK, DAY, 3);

		expect(messagesOf([activation, ...polls]).flat()).toEqual([]);
		expect(changed(polls)).toEqual([[5001], [], []]);
		expect(asked(first)).toHaveLength(3 * 75);
		expect(missing).not.toEqual([]);
		expect(asked(first).slice(0, missing.length).sort()).toEqual(missing);
	});

	it("reads 150 sites in turns within the scheduler's budget, without a failure", async () => {
		const [DAYS, BUDGET_MS, A_POLL] = [7, 36_000, 25];
		const active = trigger(idsOf(150), DAILY, { budgetMs: BUDGET_MS });
		await settle(active.activate());
		const from = asked().length;
		const outcomes: PollOutcome[] = [];
		for (let day = 0; day < DAYS; day++) {
			const beganAt = SIX_O_CLOCK + day * DAY;
			restUntil(beganAt);
			outcomes.push(await settle(active.poll()));
			expect(Date.now() - beganAt).toBeLessThan(BUDGET_MS);
		}

		expect(messagesOf(outcomes).flat()).toEqual([]);
		expect(new Set(asked(from)).size).toBe(150);
		// A login takes a slot.
		expect(asked(from).length).toBeGreaterThanOrEqual(DAYS * (A_POLL - 1));
		expect(asked(from).length).toBeLessThanOrEqual(DAYS * A_POLL);
	});

	it('reads 30 sites every minute, although one hangs', async () => {
		harness.emulator.fail({ route: 'site', siteId: 5015, fault: { kind: 'hang' } });
		const active = trigger(idsOf(30), EVERY_MINUTE);
		const activation = await settle(active.activate());
		const from = asked().length;

		const polls = await pollEach(active, Date.now() + MINUTE, MINUTE, 12);

		const counts = idsOf(30).map(
			(siteId) => asked(from).filter((askedId) => askedId === siteId).length,
		);
		expect(Math.min(...counts)).toBeGreaterThanOrEqual(9);
		expect(messagesOf([activation, ...polls]).flat()).toEqual([
			'Site 5015 took longer than 10 seconds',
		]);
	});

	it('says that the service answers nothing, and not that there are too many sites', async () => {
		const active = trigger(idsOf(150), QUARTERLY);
		await settle(active.activate());
		harness.emulator.fail({ route: 'site', fault: { kind: 'hang' } });

		const polls = await pollEach(active, Date.now() + MINUTE, 15 * MINUTE, 2);

		expect(messagesOf(polls)).toEqual([
			['The service seems to be down, so no more requests were sent'],
			[],
		]);
	});

	it('reads all sites in turns beside other triggers, without a failure', async () => {
		harness.credential.requestsPerMinute = 4;
		const active = trigger(idsOf(20), EVERY_MINUTE);
		const others = [idsOf(40).slice(20), idsOf(60).slice(40)];
		const triggers = [active, ...others.map((ids) => trigger(ids, EVERY_MINUTE))];
		await settle(active.activate());
		const poll = async () => {
			const [outcome] = await Promise.all(triggers.map(async (each) => await each.poll()));
			return outcome as PollOutcome;
		};

		const polls = await pollEach({ poll }, Date.now() + MINUTE, MINUTE, 30);

		expect(messagesOf(polls).flat()).toEqual([]);
		expect(asked()).toEqual(expect.arrayContaining(idsOf(20)));
	});

	it('fetches a test event although most sites wait', async () => {
		harness.credential.requestsPerMinute = 20;

		await expect(settle(trigger(idsOf(25), DAILY).fetchTestEvent())).resolves.toMatchObject([
			{ summary: expect.stringMatching(/^Sample: /) as unknown },
		]);
		expect(asked().length).toBeLessThan(25);
	});

	it('aborts a poll at an activation', async () => {
		const active = trigger(idsOf(100), DAILY);
		await settle(active.activate());
		const { stored } = active;
		restUntil(SIX_O_CLOCK);
		relicense(5001, 'NEW');
		const ended = active.poll();
		await advance(30 * SECOND);

		const activation = await settle(active.activate({ siteIds: '5001', changes: ['any'] }));

		const from = asked().length;
		expect(await settle(ended)).toEqual(NOTHING);
		expect(changed([activation])).toEqual([[5001]]);
		await advance(5 * MINUTE);
		expect(asked(from)).toEqual([]);
		expect(JSON.stringify(stored)).not.toContain('NEW');
	});

	describe('without time for a site, within 30 seconds', () => {
		const useUpLimit = async () => {
			harness.credential.requestsPerMinute = 5;
			await settle(harness.getMany(idsOf(4)));
		};
		const hangLogin = () =>
			harness.emulator.fail({ route: 'token', fault: { kind: 'hang' }, times: 4 });

		it.each<[string, () => unknown, RegExp]>([
			['the request limit', useUpLimit, /^The account has reached its request limit and may send/],
			['a login that hangs', hangLogin, /^The login took longer than 28 seconds$/],
		])('a test event tells of %s, an activation does not', async (_what, prepare, message) => {
			await prepare();
			const active = trigger(idsOf(5), DAILY);
			const from = Date.now();

			expect(messagesOf([await settle(active.activate())])).toEqual([[]]);
			const testEvent = active.fetchTestEvent();
			await expect(settle(testEvent)).rejects.toThrow(message);
			expect(Date.now() - from).toBeLessThan(60 * SECOND);
			// A login continues for a minute.
			await advance(MINUTE);
		});
	});

	describe('during a cooldown', () => {
		const toldAt = (polls: PollOutcome[]) =>
			messagesOf(polls).flatMap((told, poll) => (told.length > 0 ? [poll] : []));

		it('reports once an hour when the account may send again', async () => {
			const active = trigger(idsOf(3), EVERY_MINUTE);
			await settle(active.activate());
			harness.failSites(429, { retryAfter: 3 * 3600 });

			const polls = await pollEach(active, SIX_O_CLOCK, MINUTE, 70);

			expect(toldAt(polls)).toEqual([0, 60]);
			const [error] = polls[0]?.errors ?? [];
			expect(error?.message).toBe(
				'The account has reached its request limit and may send again in 3 hours',
			);
			expect(error?.description).toMatch(
				/^That is 2026-03-09 13:00 UTC\.\n.+, so fewer are sent for a while\. The next poll tries again/,
			);
			// After an accepted login, slow start allows two requests.
			expect(asked(3)).toHaveLength(2);
		});

		it('reports repeated cooldowns after ten minutes, also with an unusable line of Known Sites', async () => {
			harness.setCredential({ requestsPerMinute: 100, knownSites: '5001 A\n5002 B\n5003 C\nD' });
			const active = trigger(idsOf(3), EVERY_MINUTE, {}, { sites: 'all' });
			await settle(active.activate());
			harness.failSites(429);

			const polls = await pollEach(active, Date.now() + MINUTE, MINUTE, 30);

			const [error, ...others] = polls.flatMap(({ errors }) => errors);
			expect(toldAt(polls)[0]).toBeGreaterThanOrEqual(10);
			expect(toldAt(polls)[0]).toBeLessThanOrEqual(15);
			expect(others).toEqual([]);
			expect(error?.message).toMatch(/^The account has reached its request limit/);
			expect(error?.description).toMatch(/^The account .+\nSome lines of 'Known Sites' /);
		});
	});

	describe('with status reports', () => {
		const HOURLY: TriggerTime = { mode: 'everyHour' } as TriggerTime;
		const HOUR = 60 * MINUTE;
		const REPORTING = { statusReport: 'daily' };
		const reporting = (settings = {}) => trigger(idsOf(3), HOURLY, settings, REPORTING);
		/** Polls at these times, and returns the summaries of the status reports. */
		const reportsAt = async (active: ActiveTrigger, ...times: number[]) => {
			const summaries: unknown[] = [];
			for (const time of times) {
				restUntil(time);
				const { items = [] } = await settle(active.poll());
				const report = items.find(({ change }) => change === 'statusReport');
				summaries.push(report?.summary);
			}
			return summaries;
		};

		it('returns one at the first poll after six, and makes up for a missed day', async () => {
			const active = reporting();
			expect((await settle(active.activate())).items).toBeUndefined();
			const [six, nine] = [SIX_O_CLOCK, SIX_O_CLOCK + 3 * DAY + 3 * HOUR];

			await expect(reportsAt(active, six - MINUTE, six)).resolves.toEqual([
				undefined,
				'All is well: 3 sites, last read 06:00. 0 changes since the trigger started (00:00).',
			]);
			relicense(5001, 'NEW');
			await expect(
				reportsAt(active, six + HOUR, nine, nine + HOUR, six + 4 * DAY),
			).resolves.toEqual([
				undefined,
				'All is well: 3 sites, last read 09:00. 1 change since 2026-03-09 06:00.',
				undefined,
				'All is well: 3 sites, last read 06:00. 0 changes since 2026-03-12 09:00.',
			]);
			// The week's Monday is before the day of the last report.
			const activate = async (statusReport: string) =>
				await settle(active.activate({ siteIds: '5001', statusReport }));
			await expect(activate('weekly')).resolves.toEqual(NOTHING);
			// A time without reports needs none.
			for (const interval of ['daily', 'off']) await activate(interval);
			restUntil(six + 9 * DAY);
			await expect(activate('daily')).resolves.toEqual(NOTHING);
		});

		it('names what fails, and since when', async () => {
			const active = reporting();
			await settle(active.activate());
			harness.failSites(404, { siteId: 5002 });

			const summaries = await reportsAt(active, SIX_O_CLOCK, SIX_O_CLOCK + DAY);

			// It is not among those that were not read, too.
			expect(summaries).toEqual([
				'Not all is well: 3 sites, last read between 00:00 and 06:00. The service does not know site 5002 (last read 00:00). 0 changes since the trigger started (00:00).',
				'Not all is well: 3 sites, last read between 2026-03-09 00:00 and 06:00. The service does not know site 5002 (last read 2026-03-09 00:00). 0 changes since 2026-03-09 06:00.',
			]);
		});

		it('returns the same ID again after a crash, and continues after a restart', async () => {
			const active = reporting();
			await settle(active.activate());
			const [[name = '', memory] = []] = Object.entries(active.stored);
			const pollAt = async (time: number) => {
				restUntil(time);
				return (await settle(active.poll())).items ?? [];
			};
			const [first] = await pollAt(SIX_O_CLOCK);

			const restarted = reporting({ name: name.replace('node:', ''), stored: { [name]: memory } });
			const { items } = await settle(restarted.activate());

			expect(items).toEqual([
				{ ...first, summary: items?.[0]?.summary, seenAt: items?.[0]?.seenAt },
			]);
			await settle(restarted.poll());
			restUntil(SIX_O_CLOCK + DAY);
			const { items: next } = await settle(restarted.poll());
			expect(next?.[0]?.changeId).not.toBe(first?.changeId);
		});
	});
});
