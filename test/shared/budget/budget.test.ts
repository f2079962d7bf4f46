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

/** Whether a wait is over. */
const isOver = async (wait: Promise<unknown>) =>
	await Promise.race([wait.then(() => true), settled().then(() => false)]);

/** Expects a wait to be over in so many milliseconds, and not before. */
async function expectAfter(ms: number, service: LimitedService, wait: Promise<unknown>) {
	await service.clock.pass(ms - 1);
	expect(await isOver(wait)).toBe(false);
	await service.clock.pass(1);
	expect(await isOver(wait)).toBe(true);
}

let service: LimitedService;

beforeEach(() => {
	service = serviceWith();
});

describe('how long requests take', () => {
	it.each<[string, Partial<ServiceSettings>, number, number, number]>([
		['90 sites do not wait at all', {}, 90, 100, 5 * 50],
		['without a limit nothing waits', { limit: Infinity }, 5000, Infinity, 250 * 50],
		['250 sites wait for two minutes', {}, 250, 100, 2 * MINUTE],
	])('%s', async (_name, settings, count, requestsPerMinute, ms) => {
		service = serviceWith(settings);
		const lane = new Lane();

		const arrived = await finish(service, service.read(count, { lane, requestsPerMinute }));

		expect(lastOf(arrived)).toBeGreaterThanOrEqual(ms);
		expect(lastOf(arrived)).toBeLessThan(1.02 * ms);
		expect(service.refusals).toEqual([]);
		expect(service.busiestMinute()).toBeLessThanOrEqual(requestsPerMinute);
		expect(service.budget.waitedMs(lane) > 0.95 * ms).toBe(ms > MINUTE);
		if (ms < MINUTE) expect(service.budget.waitedMs(lane)).toBe(0);
	});

	it('executions take turns: ten sites are not stuck behind a thousand', async () => {
		const large = service.read(1000);
		await service.clock.pass(SECOND);
		const small = await finish(service, service.read(10));

		expect(lastOf(small)).toBeLessThan(MINUTE + 2 * SECOND);
		expect((await finish(service, large)).every((at) => at !== undefined)).toBe(true);
	});

	it('what is urgent goes first', async () => {
		void service.read(300);
		await service.clock.pass(SECOND);

		const urgent = service.read(3, { isUrgent: true });
		await service.clock.pass(MINUTE);

		expect(lastOf(await urgent)).toBe(service.arrivals[102]!.at + 25);
	});

	it('what has had its turn goes before the others of its lane', async () => {
		const entry = { lane: new Lane(), requestsPerMinute: 1 };
		(await service.enter(entry))?.accept();
		const order: number[] = [];
		[false, true, true].forEach((hadItsTurn, index) => {
			void service.enter({ ...entry, hadItsTurn }).then((place) => {
				order.push(index);
				place?.accept();
			});
		});

		await service.clock.pass(4 * MINUTE);

		expect(order).toEqual([1, 2, 0]);
	});

	it('a place that is given back is free at once', async () => {
		const entry = { requestsPerMinute: 1, maxWaitMs: 0 };
		const place = await service.enter(entry);
		await expect(service.enter(entry)).resolves.toBeUndefined();

		place?.giveBack();

		await expect(service.enter(entry)).resolves.toBeDefined();
	});

	it('a request whose answer nobody sees counts for 62 seconds', async () => {
		const entry = { lane: service.budget.others, requestsPerMinute: 1 };
		await service.enter({ ...entry, isUnseen: true });

		await expectAfter(62 * SECOND, service, service.enter(entry));
	});

	it('a request counts for a minute after an answer that takes a minute itself', async () => {
		const entry = { requestsPerMinute: 2 };
		const places = await Promise.all([service.enter(entry), service.enter(entry)]);
		const next = service.enter(entry);

		await service.clock.pass(MINUTE);
		for (const place of places) place?.accept();
		await service.clock.pass(0);

		expect(service.budget.requestsPerMinute()).toBe(2);
		await expectAfter(MINUTE, service, next);
	});
});

describe('where credentials of one account differ', () => {
	it('the smaller number applies', async () => {
		const reads = [60, 100].map(
			async (requestsPerMinute) => await service.read(90, { requestsPerMinute }),
		);
		await finish(service, Promise.all(reads));

		expect(service.busiestMinute()).toBe(60);
	});

	it('an edited number applies a minute later at the latest', async () => {
		await finish(service, service.read(5, { requestsPerMinute: 10 }));
		await service.clock.pass(2 * MINUTE);
		const from = service.clock.now();

		const arrived = await finish(service, service.read(90));

		expect(lastOf(arrived) - from).toBeLessThan(SECOND);
	});

	it('a number is kept as long as requests that use it are under way or wait', async () => {
		const { clock } = service;
		const entry = { requestsPerMinute: 2, maxWaitMs: 10 * MINUTE };
		const slow = [await service.enter(entry), await service.enter(entry)];
		let admitted = 0;
		for (let count = 0; count < 3; count++) void service.enter(entry).then(() => (admitted += 1));

		await clock.pass(3 * MINUTE);
		expect([admitted, service.budget.requestsPerMinute()]).toEqual([0, 2]);

		for (const place of slow) place?.accept();
		await clock.pass(MINUTE);
		expect(admitted).toBe(2);
	});

	it('a number is kept until a minute after the answer to the last request that uses it', async () => {
		const slow = await service.enter({ requestsPerMinute: 10 });
		await service.clock.pass(30 * SECOND);
		slow?.accept();
		await service.clock.pass(45 * SECOND);

		for (let count = 0; count < 9; count++) {
			expect(await service.enter({ maxWaitMs: 0 })).toBeDefined();
		}
		expect(await service.enter({ maxWaitMs: 0 })).toBeUndefined();
	});
});

describe('a wait', () => {
	it('that is longer than it may be is not begun', async () => {
		void service.read(100);
		await service.clock.pass(SECOND);

		await expect(service.enter({ maxWaitMs: 5 * SECOND })).resolves.toBeUndefined();
	});

	it('ends when it has lasted for too long', async () => {
		const entry = { requestsPerMinute: 1, maxWaitMs: 5 * SECOND };
		// No answer to this one is known, and so no time at which the next place is free.
		await service.enter(entry);

		const late = service.enter(entry);
		await service.clock.pass(5 * SECOND);

		await expect(late).resolves.toBeUndefined();
	});

	it('is ended by its signal, and the next one takes the turn', async () => {
		await finish(service, service.read(1, { requestsPerMinute: 1 }));
		const controller = new AbortController();
		const entry = { lane: new Lane(), requestsPerMinute: 1 };
		const cancelled = service.enter({ ...entry, signal: controller.signal });
		const other = service.enter(entry);

		controller.abort();

		await expect(cancelled).resolves.toBeUndefined();
		await service.clock.pass(MINUTE);
		await expect(other).resolves.toBeDefined();
		await expect(service.enter({ ...entry, signal: controller.signal })).resolves.toBeUndefined();
	});

	it.each([false, true])(
		'of an urgent request that is over leaves the others of its lane waiting (unseen: %j)',
		async (isUnseen) => {
			const entry = { lane: service.budget.others, requestsPerMinute: 1, isUnseen };
			(await service.enter(entry))?.accept();
			const other = service.enter(entry);

			const urgent = service.enter({ ...entry, isUrgent: true, maxWaitMs: 5 * SECOND });

			await expect(urgent).resolves.toBeUndefined();
			await service.clock.pass(62 * SECOND);
			await expect(other).resolves.toBeDefined();
		},
	);

	it('that a refusal makes too long is ended at once', async () => {
		const entry = { requestsPerMinute: 1, maxWaitMs: 10 * MINUTE };
		const first = await service.enter(entry);
		const late = service.enter(entry);

		first?.refuse(HOUR);

		await expect(late).resolves.toBeUndefined();
		expect(service.budget.stoppedMs()).toBe(HOUR);
	});
});

describe('thousands of requests that wait', () => {
	const crowd = (entry: Partial<Entry> = {}) => {
		const { others: lane } = service.budget;
		for (let count = 0; count < 5000; count++) {
			void service.enter({ lane, maxWaitMs: 5 * MINUTE, isUnseen: true, ...entry });
		}
	};

	it('keep the process busy for less than a second when they come', () => {
		const from = performance.now();

		crowd();

		expect(performance.now() - from).toBeLessThan(SECOND);
	});

	it('take turns with others also where each has had its turn before a login', async () => {
		crowd({ hadItsTurn: true });

		expect(lastOf(await finish(service, service.read(10)))).toBeLessThan(63 * SECOND);
	});
});

describe('triggers', () => {
	it('take at most half, however much they ask for', async () => {
		const polls = [1, 2, 3].map(
			async () => await service.read(60, { lane: new Lane(true), maxWaitMs: 28 * SECOND }),
		);
		const arrived = (await finish(service, Promise.all(polls))).flat();

		expect(arrived.filter((at) => at !== undefined)).toHaveLength(50);
		expect(service.busiestMinute()).toBe(50);
	});

	it('leave the other half to people at once', async () => {
		void service.read(200, { lane: new Lane(true) });
		await service.clock.pass(SECOND);

		expect(lastOf(await finish(service, service.read(50)))).toBeLessThan(2 * SECOND);
	});

	it('take at least one request, where the account may send but one', async () => {
		const read = service.read(2, { lane: new Lane(true), requestsPerMinute: 1 });

		expect(lastOf(await finish(service, read))).toBeLessThan(61 * SECOND);
	});
});

describe('a refusal', () => {
	/** The refusals that came later than those of the requests that were under way with the first one. */
	const laterRefusals = () =>
		service.refusals.filter(({ at }) => at > service.refusals[0]!.at + SECOND);

	/** Somebody else sends so many requests, again and again. */
	const useElsewhere = async (count: number, everyMs: number, times: number) => {
		for (let round = 0; round < times; round++) {
			service.useElsewhere(count);
			await service.clock.sleep(everyMs);
		}
	};

	it.each([undefined, 10 * SECOND, 10 * MINUTE])(
		'stops the account for as long as the service asks (%j), else for a minute; then one goes first',
		async (retryAfterMs) => {
			service = serviceWith({ limit: 30, retryAfterMs });

			const arrived = await finish(service, service.read(60));

			const [first] = service.refusals;
			const [probe, next] = service.arrivals.filter(({ at }) => at > first!.at + SECOND);
			expect(probe!.at).toBeGreaterThanOrEqual(first!.at + (retryAfterMs ?? MINUTE));
			expect(probe!.at).toBeLessThan(first!.at + (retryAfterMs ?? MINUTE) + MINUTE);
			expect(next!.at).toBeGreaterThanOrEqual(probe!.at + 50);
			expect(arrived).toHaveLength(60);
			if (!retryAfterMs) expect(lastOf(arrived)).toBeLessThan(5 * MINUTE);
		},
	);

	it('that asks for two seconds is followed by one request after two seconds', async () => {
		(await service.enter())?.accept();
		(await service.enter())?.refuse(2 * SECOND);

		await expectAfter(2 * SECOND, service, service.enter());
	});

	it('of the one request doubles the wait, up to a quarter of an hour', async () => {
		service = serviceWith({ limit: 0 });

		void service.read(5, { concurrency: 1 });
		await service.clock.pass(2 * HOUR);

		const times = service.arrivals.map(({ at }) => at);
		const waits = times.slice(1).map((at, index) => Math.round((at - times[index]!) / MINUTE));
		expect(waits.slice(0, 7)).toEqual([1, 2, 4, 8, 15, 15, 15]);
	});

	it('is not over where the one request gets no answer: the next one goes alone again', async () => {
		(await service.enter())?.refuse();
		const [first, second, third] = [service.enter(), service.enter(), service.enter()];

		await service.clock.pass(MINUTE);
		(await first)?.fail();
		await service.clock.pass(MINUTE);
		(await second)?.accept();
		await service.clock.pass(MINUTE);

		await expect(third).resolves.toBeDefined();
	});

	it('costs at most a handful an hour where somebody else uses up most of the limit', async () => {
		const elsewhere = useElsewhere(70, MINUTE, 3 * 60);

		const arrived = await finish(service, service.read(60 * 30));
		await finish(service, elsewhere);

		const later = laterRefusals();
		expect(service.refusals.length - later.length).toBeLessThanOrEqual(20);
		for (const hour of [0, 1, 2]) {
			expect(later.filter(({ at }) => Math.floor(at / HOUR) === hour).length).toBeLessThanOrEqual(
				8,
			);
		}
		expect(arrived.every((at) => at !== undefined)).toBe(true);
	});

	it('costs one request each time that somebody else uses up the limit in between', async () => {
		const elsewhere = useElsewhere(100, 7 * MINUTE, 9);

		await finish(service, service.read(1000));
		await finish(service, elsewhere);

		expect(laterRefusals().length).toBeGreaterThan(0);
		expect(laterRefusals().length).toBeLessThanOrEqual(9);
	});

	it('where nothing is set is over soon all the same', async () => {
		service = serviceWith({ limit: 1 });
		const read = service.read(60, { requestsPerMinute: Infinity });
		await service.clock.pass(MINUTE / 2);
		service.settings.limit = Infinity;

		expect(lastOf(await finish(service, read))).toBeLessThan(5 * MINUTE);
	});

	it('while the number grows restores the last good one', async () => {
		service = serviceWith({ limit: 30 });

		void service.read(1000);
		await service.clock.pass(4 * MINUTE);

		expect(service.budget.requestsPerMinute()).toBe(30);
		expect(service.refusals.length).toBeLessThanOrEqual(20 + 3);
	});

	it('is forgotten after an hour without another one', async () => {
		service = serviceWith({ limit: 5 });
		void service.read(6);
		await service.clock.pass(10 * MINUTE);
		expect(service.budget.isIdle()).toBe(false);

		await service.clock.pass(2 * HOUR);

		expect(service.budget.isIdle()).toBe(true);
		expect(service.budget.requestsPerMinute()).toBe(100);
	});

	it('that was never followed by a request is forgotten as well, and another one counts', async () => {
		(await service.enter())?.refuse();
		await service.clock.pass(3 * HOUR);
		expect(service.budget.isIdle()).toBe(true);

		(await service.enter())?.refuse();
		await service.clock.pass(MINUTE);
		(await service.enter())?.accept();

		expect(service.budget.requestsPerMinute()).toBe(1);
	});

	it('is forgotten when the service takes the whole number again', async () => {
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
		const lane = service.budget.others;
		(await service.enter({ lane }))?.refuse();
		const unseen = [1, 2].map(async () => await service.enter({ lane, isUnseen: true }));

		await service.clock.pass(3 * MINUTE);

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
		service = new LimitedService({ limit, latencyMs });
		const reads: Array<Promise<Array<number | undefined>>> = [];
		for (const { waitMs, count, concurrency, isPoll } of planned) {
			await service.clock.pass(waitMs);
			const lane = new Lane(isPoll);
			reads.push(service.read(count, { lane, concurrency, requestsPerMinute: setting }));
		}
		const arrived = (await finish(service, Promise.all(reads))).flat();
		return arrived;
	}

	it('no minute holds more than the limit, triggers take at most half, and everything arrives', async () => {
		await fc.assert(
			fc.asyncProperty(world, async (happenings) => {
				const { setting } = happenings;
				const arrived = await play(happenings, setting);

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
				const arrived = await play(happenings, limit);

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
		await budget.enter({ lane: new Lane(), requestsPerMinute: 100, maxWaitMs: Infinity });
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
