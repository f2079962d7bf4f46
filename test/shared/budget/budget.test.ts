import fc from 'fast-check';
import type { Entry } from '../../../shared/budget/budget';
import { Lane } from '../../../shared/budget/lane';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/duration';
import { settled } from '../virtualClock';
import { LimitedService, type ServiceSettings } from './service';

const serviceWith = (settings: Partial<ServiceSettings> = {}) =>
	new LimitedService({ limit: 100, latencyMs: () => 25, ...settings });

let service: LimitedService;

beforeEach(() => {
	service = serviceWith();
});

/** Lets time pass until the work is done, a day at most. */
async function finish<T>(work: Promise<T>): Promise<T> {
	let isDone = false;
	void work.finally(() => {
		isDone = true;
	});
	for (let minutes = 0; !isDone && minutes < 24 * 60; minutes++)
		await service.clock.pass(MINUTE_MS);
	expect(isDone).toBe(true);
	return await work;
}

const lastOf = (times: ReadonlyArray<number | undefined>) =>
	Math.max(...times.map((time) => time ?? Infinity));

/** Whether a wait is over. */
const isOver = async (wait: Promise<unknown>) =>
	await Promise.race([wait.then(() => true), settled().then(() => false)]);

/** Expects a wait to be over in so many milliseconds, and not before. */
async function expectAfter(ms: number, wait: Promise<unknown>) {
	await service.clock.pass(ms - 1);
	expect(await isOver(wait)).toBe(false);
	await service.clock.pass(1);
	expect(await isOver(wait)).toBe(true);
}

describe('how long requests take', () => {
	it.each<[string, Partial<ServiceSettings>, number, number, number]>([
		['90 sites do not wait at all', {}, 90, 100, 5 * 50],
		['without a limit nothing waits', { limit: Infinity }, 5000, Infinity, 250 * 50],
		['250 sites wait for two minutes', {}, 250, 100, 2 * MINUTE_MS],
	])('%s', async (_name, settings, count, requestsPerMinute, ms) => {
		service = serviceWith(settings);
		const lane = new Lane();

		const arrived = await finish(service.read(count, { lane, requestsPerMinute }));

		expect(lastOf(arrived)).toBeGreaterThanOrEqual(ms);
		expect(lastOf(arrived)).toBeLessThan(1.02 * ms);
		expect(service.refusals).toEqual([]);
		expect(service.busiestMinute()).toBeLessThanOrEqual(requestsPerMinute);
		expect(service.budget.waitedMs(lane) > 0.95 * ms).toBe(ms > MINUTE_MS);
		if (ms < MINUTE_MS) expect(service.budget.waitedMs(lane)).toBe(0);
	});

	it('executions take turns: ten sites are not stuck behind a thousand', async () => {
		const large = service.read(1000);
		await service.clock.pass(SECOND_MS);
		const small = await finish(service.read(10));

		expect(lastOf(small)).toBeLessThan(MINUTE_MS + 2 * SECOND_MS);
		expect((await finish(large)).every((at) => at !== undefined)).toBe(true);
	});

	it('what is urgent goes first', async () => {
		void service.read(300);
		await service.clock.pass(SECOND_MS);

		const urgent = service.read(3, { isUrgent: true });
		await service.clock.pass(MINUTE_MS);

		expect(lastOf(await urgent)).toBe(service.arrivals[102]!.at + 25);
	});

	it('what has had its turn goes before the others of its lane', async () => {
		const entry = { lane: new Lane(), requestsPerMinute: 1 };
		(await service.enter(entry))?.accept();
		const order: number[] = [];
		[false, true, true, false].forEach((hadItsTurn, index) => {
			void service.enter({ ...entry, hadItsTurn }).then((place) => {
				order.push(index);
				place?.accept();
			});
		});

		await service.clock.pass(5 * MINUTE_MS);

		expect(order).toEqual([1, 2, 0, 3]);
	});

	it.each([false, true])(
		'a place that is given back is free at once (unseen: %j)',
		async (isUnseen) => {
			const entry = { requestsPerMinute: 1, maxWaitMs: 0, isUnseen };
			const place = await service.enter(entry);
			await expect(service.enter(entry)).resolves.toBeUndefined();

			place?.giveBack();

			await expect(service.enter(entry)).resolves.toBeDefined();
		},
	);

	it('a request counts for a minute after its answer, or for 62 seconds if nobody sees that', async () => {
		const entry = { lane: service.budget.others, requestsPerMinute: 2 };
		await service.enter({ ...entry, isUnseen: true });
		(await service.enter(entry))?.accept();
		const [first, second] = [service.enter(entry), service.enter(entry)];

		await expectAfter(MINUTE_MS, first);
		await expectAfter(2 * SECOND_MS, second);
	});

	it('a request counts for a minute after an answer that takes a minute itself', async () => {
		const entry = { requestsPerMinute: 2 };
		const places = await Promise.all([service.enter(entry), service.enter(entry)]);
		const next = service.enter(entry);

		await service.clock.pass(MINUTE_MS);
		for (const place of places) place?.accept();
		await service.clock.pass(0);

		expect(service.budget.requestsPerMinute()).toBe(2);
		await expectAfter(MINUTE_MS, next);
	});
});

describe('where credentials of one account differ', () => {
	it('the smaller number applies', async () => {
		const reads = [60, 100].map(
			async (requestsPerMinute) => await service.read(90, { requestsPerMinute }),
		);
		await finish(Promise.all(reads));

		expect(service.busiestMinute()).toBe(60);
	});

	it('an edited number applies a minute later at the latest', async () => {
		await finish(service.read(5, { requestsPerMinute: 10 }));
		await service.clock.pass(2 * MINUTE_MS);
		const from = service.clock.now();

		const arrived = await finish(service.read(90));

		expect(lastOf(arrived) - from).toBeLessThan(SECOND_MS);
	});

	it('a number is kept as long as requests that use it are under way or wait', async () => {
		const { clock } = service;
		const entry = { requestsPerMinute: 2, maxWaitMs: 10 * MINUTE_MS };
		const slow = [await service.enter(entry), await service.enter(entry)];
		let admitted = 0;
		for (const requestsPerMinute of [2, 2, 100]) {
			void service.enter({ ...entry, requestsPerMinute }).then(() => (admitted += 1));
		}

		await clock.pass(3 * MINUTE_MS);
		expect([admitted, service.budget.requestsPerMinute()]).toEqual([0, 2]);

		for (const place of slow) place?.accept();
		await clock.pass(MINUTE_MS);
		expect(admitted).toBe(2);
	});

	it('a number is kept until a minute after the answer to the last request that uses it', async () => {
		const slow = await service.enter({ requestsPerMinute: 10 });
		await service.clock.pass(30 * SECOND_MS);
		slow?.accept();
		await service.clock.pass(45 * SECOND_MS);

		for (let count = 0; count < 9; count++) {
			expect(await service.enter({ maxWaitMs: 0 })).toBeDefined();
		}
		expect(await service.enter({ maxWaitMs: 0 })).toBeUndefined();
	});
});

describe('a wait', () => {
	it.each([
		['is not begun if it would last too long', true, 0],
		['ends when it has lasted too long, where no answer shows how long it would last', false, 5000],
	])('%s', async (_name, isAnswered, ms) => {
		const entry = { requestsPerMinute: 1, maxWaitMs: 5 * SECOND_MS };
		const place = await service.enter(entry);
		if (isAnswered) place?.accept();

		const late = service.enter(entry);

		expect(await isOver(late)).toBe(isAnswered);
		await service.clock.pass(ms);
		await expect(late).resolves.toBeUndefined();
	});

	it('is ended by its signal, and the next one takes the turn', async () => {
		await finish(service.read(1, { requestsPerMinute: 1 }));
		const controller = new AbortController();
		const entry = { lane: new Lane(), requestsPerMinute: 1 };
		const cancelled = service.enter({ ...entry, signal: controller.signal });
		const other = service.enter(entry);

		controller.abort();

		await expect(cancelled).resolves.toBeUndefined();
		await service.clock.pass(MINUTE_MS);
		await expect(other).resolves.toBeDefined();
		await expect(service.enter({ ...entry, signal: controller.signal })).resolves.toBeUndefined();
	});

	it.each([false, true])(
		'of an urgent request that is over leaves the others of its lane waiting (unseen: %j)',
		async (isUnseen) => {
			const entry = { lane: service.budget.others, requestsPerMinute: 1, isUnseen };
			(await service.enter(entry))?.accept();
			const other = service.enter(entry);

			const urgent = service.enter({ ...entry, isUrgent: true, maxWaitMs: 5 * SECOND_MS });

			await expect(urgent).resolves.toBeUndefined();
			await service.clock.pass(62 * SECOND_MS);
			await expect(other).resolves.toBeDefined();
		},
	);

	it('counts once where several requests of a lane wait', () => {
		const lane = new Lane();

		lane.beginWait(10);
		lane.beginWait(15);
		expect(lane.waitedMs(20)).toBe(10);
		lane.endWait(30);
		lane.endWait(40);
		lane.beginWait(100);
		expect(lane.waitedMs(105)).toBe(35);
	});

	it('that a refusal makes too long is ended at once', async () => {
		const entry = { requestsPerMinute: 1, maxWaitMs: 10 * MINUTE_MS };
		const first = await service.enter(entry);
		const late = service.enter(entry);

		first?.refuse(HOUR_MS);

		await expect(late).resolves.toBeUndefined();
		expect(service.budget.stoppedMs()).toBe(HOUR_MS);
	});
});

describe('thousands of requests that wait', () => {
	const crowd = (entry: Partial<Entry> = {}) => {
		const { others: lane } = service.budget;
		for (let count = 0; count < 5000; count++) {
			void service.enter({ lane, maxWaitMs: 5 * MINUTE_MS, isUnseen: true, ...entry });
		}
	};

	it('keep the process busy for less than a second when they come', () => {
		const from = performance.now();

		crowd();

		expect(performance.now() - from).toBeLessThan(SECOND_MS);
	});

	it('take turns with others also where each has had its turn before a login', async () => {
		crowd({ hadItsTurn: true });

		expect(lastOf(await finish(service.read(10)))).toBeLessThan(63 * SECOND_MS);
	});
});

describe('triggers', () => {
	it('take at most half, and leave the other half to people at once', async () => {
		void service.read(200, { lane: new Lane(true) });
		await service.clock.pass(SECOND_MS);

		expect(lastOf(await finish(service.read(50)))).toBeLessThan(2 * SECOND_MS);
		const polls = service.arrivals.filter(({ at, isPoll }) => isPoll && at < MINUTE_MS);
		expect(polls).toHaveLength(50);
	});

	it('take at least one request, where the account may send but one', async () => {
		const read = service.read(2, { lane: new Lane(true), requestsPerMinute: 1 });

		expect(lastOf(await finish(read))).toBeLessThan(61 * SECOND_MS);
	});
});

describe('a refusal', () => {
	const refuseTenth = async (retryAfterMs?: number) => {
		for (let count = 0; count < 9; count++) (await service.enter())?.accept();
		(await service.enter())?.refuse(retryAfterMs);
	};

	it.each([
		[undefined, MINUTE_MS],
		[2 * SECOND_MS, 2 * SECOND_MS],
		[10 * MINUTE_MS, 10 * MINUTE_MS],
	])(
		'that asks for a wait of %j ms stops the account for %d ms; then one request goes alone',
		async (retryAfterMs, ms) => {
			await service.clock.pass(SECOND_MS);
			await refuseTenth(retryAfterMs);
			const [probe, next] = [service.enter({ maxWaitMs: ms + 1 }), service.enter()];

			await expectAfter(ms, probe);
			await service.clock.pass(MINUTE_MS);
			expect(await isOver(next)).toBe(false);
			(await probe)?.accept();
			expect(await isOver(next)).toBe(true);
			expect(service.budget.requestsPerMinute()).toBe(9 + 10);
		},
	);

	it('without Retry-After stops it for a minute, also after one that asked for less', async () => {
		await service.clock.pass(SECOND_MS);
		const [first, ...underWay] = [
			await service.enter(),
			await service.enter(),
			await service.enter(),
		];

		first?.refuse(7 * SECOND_MS);
		expect(service.budget.stoppedMs()).toBe(7 * SECOND_MS);
		for (const place of underWay) place?.refuse();
		expect(service.budget.stoppedMs()).toBe(MINUTE_MS);

		await service.clock.pass(MINUTE_MS);
		(await service.enter())?.refuse(7 * SECOND_MS);
		await service.clock.pass(HOUR_MS);
		(await service.enter())?.refuse();
		expect(service.budget.stoppedMs()).toBeGreaterThanOrEqual(MINUTE_MS);
	});

	it('of the one request doubles the wait, up to a quarter of an hour', async () => {
		service = serviceWith({ limit: 0 });

		void service.read(5, { concurrency: 1 });
		await service.clock.pass(2 * HOUR_MS);

		const times = service.arrivals.map(({ at }) => at);
		const waits = times.slice(1).map((at, index) => Math.round((at - times[index]!) / MINUTE_MS));
		expect(waits.slice(0, 7)).toEqual([1, 2, 4, 8, 15, 15, 15]);
	});

	it('lets the next request go when the one is given back or gets no answer, whatever becomes of others', async () => {
		const [refused, failed, unused] = [
			await service.enter(),
			await service.enter(),
			await service.enter(),
		];
		refused?.refuse(SECOND_MS);
		await service.clock.pass(SECOND_MS);
		const [one, next, last] = [await service.enter(), service.enter(), service.enter()];

		failed?.fail();
		unused?.giveBack();
		expect(await isOver(next)).toBe(false);
		one?.giveBack();
		expect(await isOver(next)).toBe(true);
		expect(await isOver(last)).toBe(false);
		(await next)?.fail();
		expect(await isOver(last)).toBe(true);
	});

	it('is followed by a request whose answer is seen, if one waits', async () => {
		(await service.enter())?.refuse();
		const unseen = service.enter({ lane: service.budget.others, isUnseen: true });

		await expectAfter(MINUTE_MS, service.enter());

		expect(await isOver(unseen)).toBe(false);
	});

	it('that is never followed by a request is forgotten, and another one counts', async () => {
		(await service.enter())?.refuse();
		await service.clock.pass(10 * MINUTE_MS);
		expect(service.budget.isIdle()).toBe(false);
		await service.clock.pass(3 * HOUR_MS);
		expect(service.budget.isIdle()).toBe(true);
		expect(service.budget.requestsPerMinute()).toBe(100);

		(await service.enter())?.refuse();
		await service.clock.pass(MINUTE_MS);
		(await service.enter())?.accept();

		expect(service.budget.requestsPerMinute()).toBe(1);
	});

	it('is over two seconds after a request whose answer nobody sees', async () => {
		const lane = service.budget.others;
		await refuseTenth();
		const [first, second] = [1, 2].map(async () => await service.enter({ lane, isUnseen: true }));

		await expectAfter(MINUTE_MS, first as Promise<unknown>);
		expect(service.budget.isRefused).toBe(true);
		await expectAfter(2 * SECOND_MS, second as Promise<unknown>);
		expect(service.budget.isRefused).toBe(false);
	});
});

describe('whatever happens', () => {
	const load = fc.record({
		waitMs: fc.nat(90_000),
		count: fc.integer({ min: 1, max: 100 }),
		concurrency: fc.integer({ min: 1, max: 50 }),
		isPoll: fc.boolean(),
	});
	const world = fc.record({
		loads: fc.array(load, { minLength: 1, maxLength: 5 }),
		setting: fc.integer({ min: 1, max: 120 }),
		latenciesMs: fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 20 }),
	});
	type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

	/** Plays the loads to a service that takes as many requests as are set, or fewer. */
	async function play({ loads, setting, latenciesMs }: World, limit: number) {
		let sent = 0;
		const latencyMs = () => latenciesMs[sent++ % latenciesMs.length] ?? 0;
		service = new LimitedService({ limit, latencyMs });
		const reads: Array<Promise<Array<number | undefined>>> = [];
		for (const { waitMs, count, concurrency, isPoll } of loads) {
			await service.clock.pass(waitMs);
			const lane = new Lane(isPoll);
			reads.push(service.read(count, { lane, concurrency, requestsPerMinute: setting }));
		}
		return (await finish(Promise.all(reads))).flat();
	}

	it('no minute holds more than the limit, triggers take at most half, and everything arrives', async () => {
		await fc.assert(
			fc.asyncProperty(world, async (happenings) => {
				const { setting } = happenings;
				const arrived = await play(happenings, setting);

				const polls = service.arrivals.filter(({ isPoll }) => isPoll);
				expect(service.busiestMinute()).toBeLessThanOrEqual(setting);
				expect(service.busiestMinute(polls)).toBeLessThanOrEqual(Math.max(1, setting / 2));
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

				const firstAt = service.refusals[0]?.at ?? Infinity;
				const later = service.refusals.filter(({ at }) => at > firstAt + 6 * SECOND_MS);
				const underWay = Math.max(...happenings.loads.map(({ concurrency }) => concurrency));
				const hours = Math.ceil(service.clock.now() / HOUR_MS);
				expect(arrived).not.toContain(undefined);
				expect(later.length).toBeLessThanOrEqual(underWay + 8 * hours);
			}),
			{ numRuns: 10, seed: 20_250_101 },
		);
	}, 120_000);
});
