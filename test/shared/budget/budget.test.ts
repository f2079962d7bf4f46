import fc from 'fast-check';
import type { Entry } from '../../../shared/budget/budget';
import { Lane } from '../../../shared/budget/lane';
import { LimitedService, type ServiceSettings } from './service';
import { settled } from './virtualClock';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const serviceWith = (settings: Partial<ServiceSettings> = {}) =>
	new LimitedService({ limit: 100, latencyMs: () => 25, ...settings });

/** Lets time pass until the work is done, at the most a day. */
async function finish<T>(service: LimitedService, work: Promise<T>): Promise<T> {
	let isDone = false;
	void work.finally(() => {
		isDone = true;
	});
	for (let minutes = 0; !isDone && minutes < 24 * 60; minutes++) await service.clock.pass(MINUTE);
	expect(isDone).toBe(true);
	return await work;
}

const lastOf = (times: ReadonlyArray<number | undefined>) =>
	Math.max(...times.map((time) => time ?? Infinity));

describe('below the limit', () => {
	it('90 sites do not wait at all', async () => {
		const service = serviceWith();
		const lane = new Lane();

		const arrived = await finish(service, service.read(90, { lane }));

		expect(lastOf(arrived)).toBe(5 * 50);
		expect(service.budget.waitedMs(lane)).toBe(0);
	});

	it('no limit is kept where none is set', async () => {
		const service = serviceWith({ limit: Infinity });

		const arrived = await finish(service, service.read(5000, { requestsPerMinute: Infinity }));

		expect(lastOf(arrived)).toBe(250 * 50);
	});
});

describe('above the limit', () => {
	it('250 sites take two minutes and little more, and none is refused', async () => {
		const service = serviceWith();
		const lane = new Lane();

		const arrived = await finish(service, service.read(250, { lane }));

		expect(lastOf(arrived)).toBeGreaterThan(2 * MINUTE);
		expect(lastOf(arrived)).toBeLessThan(2.02 * MINUTE);
		expect(service.refusals).toEqual([]);
		expect(service.busiestMinute()).toBe(100);
		expect(service.budget.waitedMs(lane)).toBeGreaterThan(1.9 * MINUTE);
	});

	it('executions take turns: ten sites are not stuck behind a thousand', async () => {
		const service = serviceWith();

		const large = service.read(1000);
		await service.clock.pass(SECOND);
		const small = service.read(10);
		const smallArrived = await finish(service, small);

		expect(lastOf(smallArrived)).toBeLessThan(MINUTE + 2 * SECOND);
		expect((await finish(service, large)).every((at) => at !== undefined)).toBe(true);
	});

	it('what is urgent goes first', async () => {
		const service = serviceWith();
		void service.read(300);
		await service.clock.pass(SECOND);

		const urgent = service.read(3, { isUrgent: true });
		await service.clock.pass(MINUTE);

		const firstOfSecondMinute = service.arrivals.slice(100, 103);
		expect(lastOf(await urgent)).toBe(firstOfSecondMinute.at(-1)!.at + 25);
	});

	it('what has had its turn goes before the others of its lane', async () => {
		const service = serviceWith();
		const entry = { lane: new Lane(), requestsPerMinute: 1, patienceMs: Infinity };
		(await service.budget.enter(entry))?.accept();
		const order: number[] = [];
		[false, true, true].forEach((hadItsTurn, index) => {
			void service.budget.enter({ ...entry, hadItsTurn }).then((place) => {
				order.push(index);
				place?.accept();
			});
		});

		await service.clock.pass(4 * MINUTE);

		expect(order).toEqual([1, 2, 0]);
	});

	it('where credentials of one account differ, the smaller number applies', async () => {
		const service = serviceWith();

		const both = Promise.all([
			service.read(90, { requestsPerMinute: 60 }),
			service.read(90, { requestsPerMinute: 100 }),
		]);
		await finish(service, both);

		expect(service.busiestMinute()).toBe(60);
	});

	it('an edited number applies a minute later at the latest', async () => {
		const service = serviceWith();
		await finish(service, service.read(5, { requestsPerMinute: 10 }));

		await service.clock.pass(2 * MINUTE);
		const from = service.clock.now();
		const arrived = await finish(service, service.read(90, { requestsPerMinute: 100 }));

		expect(lastOf(arrived) - from).toBeLessThan(SECOND);
	});

	it('the number of requests applies for a minute after an answer that takes a minute itself', async () => {
		const service = serviceWith();
		const entry = { lane: new Lane(), requestsPerMinute: 2, patienceMs: Infinity };
		const places = await Promise.all([service.budget.enter(entry), service.budget.enter(entry)]);
		const next = service.budget.enter({ ...entry, lane: new Lane() });
		let isIn = false;
		void next.then(() => (isIn = true));

		await service.clock.pass(MINUTE);
		for (const place of places) place?.accept();
		await service.clock.pass(MINUTE - 1);

		expect(isIn).toBe(false);
		expect(service.budget.requestsPerMinute()).toBe(2);
		await service.clock.pass(1);
		expect(isIn).toBe(true);
	});

	it('a request whose answer nobody sees counts for 62 seconds', async () => {
		const service = serviceWith();
		const entry = { lane: service.budget.others, requestsPerMinute: 1, patienceMs: Infinity };

		await service.budget.enter({ ...entry, isUnseen: true });
		const next = service.budget.enter(entry);
		let isIn = false;
		void next.then(() => (isIn = true));

		await service.clock.pass(62 * SECOND - 1);
		expect(isIn).toBe(false);
		await service.clock.pass(1);
		expect(isIn).toBe(true);
	});

	it('a place that is given back is free at once', async () => {
		const service = serviceWith();
		const entry = { lane: new Lane(), requestsPerMinute: 1, patienceMs: 0 };

		const place = await service.budget.enter(entry);
		await expect(service.budget.enter(entry)).resolves.toBeUndefined();
		place?.giveBack();

		await expect(service.budget.enter(entry)).resolves.toBeDefined();
	});
});

describe('a wait', () => {
	it('that is longer than the patience is not begun', async () => {
		const service = serviceWith();
		void service.read(100);
		await service.clock.pass(SECOND);
		const from = service.clock.now();

		const place = await service.budget.enter({
			lane: new Lane(),
			requestsPerMinute: 100,
			patienceMs: 5 * SECOND,
		});

		expect(place).toBeUndefined();
		expect(service.clock.now()).toBe(from);
	});

	it('ends with the patience', async () => {
		const service = serviceWith();
		const entry = { lane: new Lane(), requestsPerMinute: 1, patienceMs: 5 * SECOND };
		// Its answer does not come, so that nobody can say when the next place is free.
		await service.budget.enter(entry);

		const late = service.budget.enter(entry);
		await service.clock.pass(5 * SECOND);

		await expect(late).resolves.toBeUndefined();
	});

	it('is ended by its signal, and the next one takes the turn', async () => {
		const service = serviceWith();
		await finish(service, service.read(1, { requestsPerMinute: 1 }));
		const controller = new AbortController();
		const entry = { lane: new Lane(), requestsPerMinute: 1, patienceMs: Infinity };

		const cancelled = service.budget.enter({ ...entry, signal: controller.signal });
		const other = service.budget.enter(entry);
		controller.abort();
		await settled();

		await expect(cancelled).resolves.toBeUndefined();
		await service.clock.pass(MINUTE);
		await expect(other).resolves.toBeDefined();
		await expect(
			service.budget.enter({ ...entry, signal: controller.signal }),
		).resolves.toBeUndefined();
	});

	it('of an urgent request that is over leaves the others of its lane waiting', async () => {
		const service = serviceWith();
		const lane = service.budget.others;
		void service.read(100);
		await service.clock.pass(SECOND);
		const patient = service.read(1, { lane });
		await service.clock.pass(SECOND);

		const urgent = service.read(1, { lane, isUrgent: true, patienceMs: 5 * SECOND });

		await expect(finish(service, urgent)).resolves.toEqual([undefined]);
		await expect(finish(service, patient)).resolves.toEqual([expect.any(Number)]);
	});

	it('that a refusal makes too long is ended at once', async () => {
		const service = serviceWith({ limit: 1, retryAfterMs: HOUR });
		const first = service.budget.enter({
			lane: new Lane(),
			requestsPerMinute: 1,
			patienceMs: Infinity,
		});
		const late = service.budget.enter({
			lane: new Lane(),
			requestsPerMinute: 1,
			patienceMs: 10 * MINUTE,
		});

		(await first)?.refuse(HOUR);

		await expect(late).resolves.toBeUndefined();
		expect(service.budget.stoppedMs()).toBe(HOUR);
	});
});

describe('what waits together with something urgent of the same lane', () => {
	it('goes on waiting when that is refused a place', async () => {
		const service = serviceWith();
		const { budget, clock } = service;
		const entry = { lane: budget.others, requestsPerMinute: 1, isUnseen: true };
		await budget.enter({ ...entry, patienceMs: 0 });
		const waiting = budget.enter({ ...entry, patienceMs: 5 * MINUTE });
		let isIn = false;
		void waiting.then((place) => (isIn = place !== undefined));

		const urgent = await budget.enter({ ...entry, patienceMs: 5 * SECOND, isUrgent: true });
		await clock.pass(62 * SECOND);

		expect(urgent).toBeUndefined();
		expect(isIn).toBe(true);
	});
});

describe('the number that applies', () => {
	it('is kept as long as requests that use it are under way or wait', async () => {
		const service = serviceWith();
		const { budget, clock } = service;
		const entry = { lane: new Lane(), requestsPerMinute: 2, patienceMs: 10 * MINUTE };
		const slow = [await budget.enter(entry), await budget.enter(entry)];
		let admitted = 0;
		for (let count = 0; count < 3; count++) void budget.enter(entry).then(() => (admitted += 1));

		await clock.pass(3 * MINUTE);
		expect(admitted).toBe(0);
		expect(budget.requestsPerMinute()).toBe(2);

		for (const place of slow) place?.accept();
		await clock.pass(MINUTE);
		expect(admitted).toBe(2);
	});

	it('is kept until a minute after the answer to the last request that uses it', async () => {
		const service = serviceWith();
		const { budget, clock } = service;
		const entry = { lane: new Lane(), patienceMs: 0 };
		const slow = await budget.enter({ ...entry, requestsPerMinute: 10 });

		await clock.pass(30 * SECOND);
		slow?.accept();
		await clock.pass(45 * SECOND);

		for (let count = 0; count < 9; count++) {
			expect(await budget.enter({ ...entry, requestsPerMinute: 100 })).toBeDefined();
		}
		expect(await budget.enter({ ...entry, requestsPerMinute: 100 })).toBeUndefined();
	});
});

describe('thousands of requests that wait', () => {
	const crowd = (service: LimitedService, entry: Partial<Entry> = {}) =>
		Array.from(
			{ length: 5000 },
			async () =>
				await service.budget.enter({
					lane: service.budget.others,
					requestsPerMinute: 100,
					patienceMs: 5 * MINUTE,
					isUnseen: true,
					...entry,
				}),
		);

	it('keep the process busy for less than a second when they come', () => {
		const service = serviceWith();
		const from = performance.now();

		void crowd(service);

		expect(performance.now() - from).toBeLessThan(SECOND);
	});

	it('take turns with others also where each has had its turn before a login', async () => {
		const service = serviceWith();
		void crowd(service, { hadItsTurn: true });

		const arrived = await finish(service, service.read(10));

		expect(lastOf(arrived)).toBeLessThan(63 * SECOND);
	});
});

describe('triggers', () => {
	it('take at most half, however much they ask for', async () => {
		const service = serviceWith();

		const polls = [1, 2, 3].map(
			async () => await service.read(60, { lane: new Lane(true), patienceMs: 28 * SECOND }),
		);
		const arrived = (await finish(service, Promise.all(polls))).flat();

		expect(arrived.filter((at) => at !== undefined)).toHaveLength(50);
		expect(service.busiestMinute()).toBe(50);
	});

	it('leave the other half to people at once', async () => {
		const service = serviceWith();
		void service.read(200, { lane: new Lane(true) });
		await service.clock.pass(SECOND);

		const arrived = await finish(service, service.read(50));

		expect(lastOf(arrived)).toBeLessThan(2 * SECOND);
	});

	it('take at least one request, where the account may send but one', async () => {
		const service = serviceWith();

		const read = service.read(2, { lane: new Lane(true), requestsPerMinute: 1 });

		expect(lastOf(await finish(service, read))).toBeLessThan(61 * SECOND);
	});
});

describe('a refusal', () => {
	it('stops the account for a minute, then one request goes first', async () => {
		const service = serviceWith({ limit: 30 });

		const arrived = await finish(service, service.read(60));

		const [first] = service.refusals;
		const after = service.arrivals.filter(({ at }) => at > first!.at + SECOND);
		expect(after[0]!.at).toBeGreaterThanOrEqual(first!.at + MINUTE);
		expect(after[1]!.at).toBeGreaterThanOrEqual(after[0]!.at + 50);
		expect(arrived).toHaveLength(60);
		expect(lastOf(arrived)).toBeLessThan(5 * MINUTE);
	});

	it.each([10 * SECOND, 10 * MINUTE])(
		'stops it for as long as the service asks: %d',
		async (ms) => {
			const service = serviceWith({ limit: 30, retryAfterMs: ms });

			void service.read(60);
			await service.clock.pass(ms + MINUTE + 2 * SECOND);

			const [first] = service.refusals;
			const after = service.arrivals.filter(({ at }) => at > first!.at + SECOND);
			expect(after.length).toBeGreaterThan(0);
			expect(after.every(({ at }) => at >= first!.at + ms)).toBe(true);
		},
	);

	it('of the one request doubles the wait, up to a quarter of an hour', async () => {
		const service = serviceWith({ limit: 0 });

		void service.read(5, { concurrency: 1 });
		await service.clock.pass(2 * HOUR);

		const times = service.arrivals.map(({ at }) => at);
		const waits = times.slice(1).map((at, index) => Math.round((at - times[index]!) / MINUTE));
		expect(waits.slice(0, 7)).toEqual([1, 2, 4, 8, 15, 15, 15]);
	});

	it('without an answer does not count as one: the next request goes alone again', async () => {
		const service = serviceWith();
		const enter = async () =>
			await service.budget.enter({
				lane: new Lane(),
				requestsPerMinute: 100,
				patienceMs: Infinity,
			});
		(await enter())?.refuse();
		const [first, second, third] = [enter(), enter(), enter()];

		await service.clock.pass(MINUTE);
		(await first)?.fail();
		await service.clock.pass(MINUTE);
		(await second)?.accept();
		await service.clock.pass(MINUTE);

		await expect(third).resolves.toBeDefined();
	});

	it('costs at most a handful an hour where somebody else uses up most of the limit', async () => {
		const service = serviceWith();
		const minutes = 3 * 60;
		const elsewhere = (async () => {
			for (let minute = 0; minute < minutes; minute++) {
				service.useElsewhere(70);
				await service.clock.sleep(MINUTE);
			}
		})();

		const arrived = await finish(service, service.read(60 * 30));
		await finish(service, elsewhere);

		const [first] = service.refusals;
		const atFirst = service.refusals.filter(({ at }) => at < first!.at + SECOND);
		expect(atFirst.length).toBeLessThanOrEqual(20);
		const later = service.refusals.filter(({ at }) => at >= first!.at + SECOND);
		for (let hour = 0; hour < 3; hour++) {
			const within = later.filter(({ at }) => at >= hour * HOUR && at < (hour + 1) * HOUR);
			expect(within.length).toBeLessThanOrEqual(8);
		}
		expect(arrived.every((at) => at !== undefined)).toBe(true);
	});

	it('that asks for two seconds is followed by one request after two seconds', async () => {
		const service = serviceWith();
		const entry = { lane: new Lane(), requestsPerMinute: 100, patienceMs: Infinity };
		(await service.budget.enter(entry))?.accept();
		(await service.budget.enter(entry))?.refuse(2 * SECOND);
		const next = service.budget.enter(entry);
		let isIn = false;
		void next.then(() => (isIn = true));

		await service.clock.pass(2 * SECOND - 1);
		expect(isIn).toBe(false);
		await service.clock.pass(2);
		expect(isIn).toBe(true);
	});

	it('where nothing is set is over soon all the same', async () => {
		const service = serviceWith({ limit: 1 });
		const read = service.read(60, { requestsPerMinute: Infinity });
		await service.clock.pass(MINUTE / 2);
		service.settings.limit = Infinity;

		expect(lastOf(await finish(service, read))).toBeLessThan(5 * MINUTE);
	});

	it('costs one request each time that somebody else uses up the limit in between', async () => {
		const service = serviceWith();
		const elsewhere = (async () => {
			for (let minute = 0; minute < 60; minute += 7) {
				service.useElsewhere(100);
				await service.clock.sleep(7 * MINUTE);
			}
		})();

		await finish(service, service.read(1000));
		await finish(service, elsewhere);

		const [first] = service.refusals;
		const later = service.refusals.filter(({ at }) => at > first!.at + SECOND);
		expect(later.length).toBeGreaterThan(0);
		expect(later.length).toBeLessThanOrEqual(9);
	});

	it('while the number grows restores the last good one', async () => {
		const service = serviceWith({ limit: 30 });

		void service.read(1000);
		await service.clock.pass(4 * MINUTE);

		expect(service.budget.requestsPerMinute()).toBe(30);
		expect(service.refusals.length).toBeLessThanOrEqual(20 + 3);
	});

	it('is forgotten after an hour without another one', async () => {
		const service = serviceWith({ limit: 5 });
		void service.read(6);
		await service.clock.pass(10 * MINUTE);
		expect(service.budget.isIdle()).toBe(false);

		await service.clock.pass(2 * HOUR);

		expect(service.budget.isIdle()).toBe(true);
		expect(service.budget.requestsPerMinute()).toBe(100);
	});

	it('that was never followed by a request is forgotten as well, and another one counts', async () => {
		const service = serviceWith();
		const entry = { lane: new Lane(), requestsPerMinute: 100, patienceMs: 0 };
		(await service.budget.enter(entry))?.refuse();
		await service.clock.pass(3 * HOUR);
		expect(service.budget.isIdle()).toBe(true);

		(await service.budget.enter(entry))?.refuse();
		await service.clock.pass(MINUTE);
		(await service.budget.enter(entry))?.accept();

		expect(service.budget.requestsPerMinute()).toBe(1);
	});

	it('is forgotten when the service takes the whole number again', async () => {
		const service = serviceWith();
		service.useElsewhere(70);
		await finish(service, service.read(60));

		await finish(service, service.read(1500));
		await service.clock.pass(2 * MINUTE);
		const from = service.clock.now();
		const arrived = await finish(service, service.read(100));

		expect(lastOf(arrived) - from).toBeLessThan(SECOND);
		expect(service.budget.requestsPerMinute()).toBe(100);
	});

	it('of a request whose answer nobody sees cannot stop the account', async () => {
		const service = serviceWith();
		const { budget, clock } = service;
		const entry = { lane: budget.others, requestsPerMinute: 100, patienceMs: Infinity };
		(await budget.enter(entry))?.refuse();
		const unseen = [1, 2].map(async () => await budget.enter({ ...entry, isUnseen: true }));

		await clock.pass(3 * MINUTE);

		await expect(Promise.all(unseen)).resolves.toHaveLength(2);
	});
});

describe('whatever happens', () => {
	type Load = { waitMs: number; count: number; concurrency: number; isPoll: boolean };
	type World = { loads: Load[]; setting: number; longestMs: number; seed: number };
	const loads = fc.array(
		fc.record({
			waitMs: fc.nat(90_000),
			count: fc.integer({ min: 1, max: 100 }),
			concurrency: fc.integer({ min: 1, max: 50 }),
			isPoll: fc.boolean(),
		}),
		{ minLength: 1, maxLength: 5 },
	);
	const world = fc.record({
		loads,
		setting: fc.integer({ min: 1, max: 120 }),
		longestMs: fc.integer({ min: 1, max: 3000 }),
		seed: fc.nat(1000),
	});

	/** Plays the loads to a service that takes as many requests as are set, or fewer. */
	async function play({ loads: planned, setting, longestMs, seed }: World, limit: number) {
		let state = seed;
		const latencyMs = () => {
			state = (state * 1103515245 + 12345) % 2147483648;
			return 1 + (state % longestMs);
		};
		const service = new LimitedService({ limit, latencyMs });
		const reads: Array<Promise<Array<number | undefined>>> = [];
		for (const { waitMs, count, concurrency, isPoll } of planned) {
			await service.clock.pass(waitMs);
			const lane = new Lane(isPoll);
			reads.push(service.read(count, { lane, concurrency, requestsPerMinute: setting }));
		}
		const arrived = (await finish(service, Promise.all(reads))).flat();
		return { service, arrived };
	}

	it('no minute holds more than the limit, triggers take at most half, and everything arrives', async () => {
		await fc.assert(
			fc.asyncProperty(world, async (happenings) => {
				const { setting } = happenings;
				const { service, arrived } = await play(happenings, setting);

				const polls = service.arrivals.filter(({ isPoll }) => isPoll);
				expect(service.busiestMinute()).toBeLessThanOrEqual(setting);
				expect(service.busiestMinute(polls)).toBeLessThanOrEqual(
					Math.max(1, Math.floor(setting / 2)),
				);
				expect(service.refusals).toEqual([]);
				expect(arrived).not.toContain(undefined);
			}),
			{ numRuns: 25, seed: 20_250_101 },
		);
	}, 120_000);

	it('where the service takes fewer, everything arrives, and few requests are refused', async () => {
		await fc.assert(
			fc.asyncProperty(world, fc.integer({ min: 1, max: 100 }), async (happenings, percentage) => {
				const limit = Math.max(1, Math.floor((happenings.setting * percentage) / 100));
				const { service, arrived } = await play(happenings, limit);

				const [first] = service.refusals;
				const underWay = Math.max(0, ...happenings.loads.map(({ concurrency }) => concurrency));
				const hours = Math.ceil(service.clock.now() / HOUR);
				expect(arrived).not.toContain(undefined);
				if (first) {
					const later = service.refusals.filter(({ at }) => at > first.at + 6 * SECOND);
					expect(later.length).toBeLessThanOrEqual(underWay + 8 * hours);
				}
			}),
			{ numRuns: 10, seed: 20_250_101 },
		);
	}, 120_000);
});

it('a refusal without Retry-After stops the account for a minute, also after one that asked for less', async () => {
	const { budget, clock } = serviceWith();
	const enter = async () =>
		await budget.enter({ lane: new Lane(), requestsPerMinute: 100, patienceMs: Infinity });
	const [first, underWay] = [await enter(), await enter()];

	first?.refuse(7 * SECOND);
	expect(budget.stoppedMs()).toBe(7 * SECOND);
	underWay?.refuse();
	expect(budget.stoppedMs()).toBe(MINUTE);

	await clock.pass(MINUTE);
	(await enter())?.refuse(7 * SECOND);
	await clock.pass(HOUR);
	(await enter())?.refuse();
	expect(budget.stoppedMs()).toBeGreaterThanOrEqual(MINUTE);
});
