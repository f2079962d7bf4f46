import { RateLimiter } from '../../nodes/Aquaculture/limit/rateLimiter';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../nodes/Aquaculture/utils/time';
import { LimitedService, type ServiceSettings } from '../../testbed/simulation/limitedService';

type Counting = Pick<ServiceSettings, 'hasFixedMinutes' | 'countsRefused' | 'retryAfterMs'>;

/** The operator does not publish how the service counts. */
const EVERY_COUNTING: Counting[] = [true, false].flatMap((hasFixedMinutes) =>
	[true, false].flatMap((countsRefused) =>
		[undefined, 5 * SECOND_MS].map((retryAfterMs) => {
			return { hasFixedMinutes, countsRefused, retryAfterMs };
		}),
	),
);

/** Two that differ in everything. */
const TWO_COUNTINGS: Counting[] = [
	{ hasFixedMinutes: true, countsRefused: true, retryAfterMs: 5 * SECOND_MS },
	{ hasFixedMinutes: false, countsRefused: false, retryAfterMs: undefined },
];

const COUNTINGS = process.env.EVERY_WAY_OF_COUNTING ? EVERY_COUNTING : TWO_COUNTINGS;

/** Polls sites several times. @returns how many polls could read all of them within their time. */
async function poll(service: LimitedService, sites: number, times: number, readMs: number) {
	const { clock } = service;
	let complete = 0;
	for (let polls = 0; polls < times; polls++) {
		const beganAt = clock.now();
		const end = await service.read(sites, { owner: 'poll', deadline: beganAt + readMs });
		if (end < Infinity) complete += 1;
		await clock.sleep(beganAt + MINUTE_MS - clock.now());
	}
	return complete;
}

// docs/limit.md has figures for some of these numbers.
it.each([
	[98, 1],
	[100, 60],
	[300, 189],
	[420, 266],
	[1000, 640],
	[5000, 3221],
])('%d sites alone take %d s without a refusal', async (sites, seconds) => {
	const service = new LimitedService();

	const ms = await service.settle(service.read(sites));

	expect(Math.round(ms / SECOND_MS)).toBe(seconds);
	expect(service.maxPerMinute()).toBeLessThanOrEqual(100);
	expect(service.refusals).toBe(0);
});

it.each([
	[100, 10],
	[20, 30],
	[5, 215],
])('at %d requests a minute, ten sites take at most %d s beside 2000', async (rate, seconds) => {
	const service = new LimitedService();
	void service.read(2000, { requestsPerMinute: rate });
	await service.clock.advance(90 * SECOND_MS);
	const from = service.clock.now();

	const end = await service.settle(service.read(10, { requestsPerMinute: rate }));

	expect((end - from) / SECOND_MS).toBeLessThanOrEqual(seconds);
});

it.each([0, 20, 60, 70])('others wait only seconds %d s into 420 sites', async (seconds) => {
	const service = new LimitedService();
	const { clock } = service;
	const trigger = async (second: number) => {
		await clock.sleep(second * SECOND_MS);
		return await poll(service, 5, 4, 27 * SECOND_MS);
	};

	const run = service.read(420);
	await clock.advance(seconds * SECOND_MS);
	const from = clock.now();
	const test = service.read(1, { owner: 'login' });
	const ten = service.read(10);
	const triggers = Promise.all([0, 7, 14, 21].map(trigger));

	expect((await service.settle(test)) - from).toBeLessThanOrEqual(SECOND_MS);
	expect((await service.settle(ten)) - from).toBeLessThanOrEqual(10 * SECOND_MS);
	expect(await service.settle(triggers)).toEqual([4, 4, 4, 4]);
	expect(await service.settle(run)).toBeLessThanOrEqual(5.5 * MINUTE_MS);
	expect(service.refusals).toBe(0);
});

it('a trigger of 5 sites completes each poll beside one of 150, whenever it polls', async () => {
	for (let laterMs = 0; laterMs < MINUTE_MS; laterMs += 5 * SECOND_MS) {
		const service = new LimitedService();
		const beside = poll(service, 150, 5, 39 * SECOND_MS);
		await service.clock.advance(laterMs);
		const complete = await service.settle(poll(service, 5, 5, 39 * SECOND_MS));
		await service.settle(beside);

		expect({ laterMs, complete }).toEqual({ laterMs, complete: 5 });
	}
});

// docs/trigger.md has these figures. As PollLock allows: until 20 s before the next poll, four minutes at most.
it.each([
	[50, 1, 1],
	[100, 1, 2],
	[200, 1, 4],
	[1000, 1, 20],
	[100, 3, 1],
	[200, 3, 2],
	[1000, 3, 7],
	[200, 5, 1],
	[1000, 5, 5],
])('%d sites, polled every %d min, are all read after %d polls', async (sites, minutes, polls) => {
	const service = new LimitedService();
	const { clock } = service;
	const readMs = Math.min(4 * MINUTE_MS, minutes * MINUTE_MS - 20 * SECOND_MS) - SECOND_MS;
	const counts: number[] = [];
	while (counts.length < 4) {
		const [beganAt, before] = [clock.now(), service.arrivals.length];
		await service.settle(service.read(sites, { owner: 'poll', deadline: beganAt + readMs }));
		counts.push(service.arrivals.length - before);
		await clock.advance(beganAt + minutes * MINUTE_MS - clock.now());
	}

	expect(Math.ceil(sites / Math.min(...counts))).toBe(polls);
});

it('420 sites take less than an hour beside 90 executions of one site a minute, which wait less than 30 s', async () => {
	const service = new LimitedService();
	const { clock } = service;
	let isDone = false;
	const waits: number[] = [];
	const short = async () => {
		const from = clock.now();
		waits.push((await service.read(1)) - from);
	};
	const long = service.read(420).finally(() => (isDone = true));
	const beside = async () => {
		for (; !isDone; await clock.sleep(MINUTE_MS / 90)) void short();
	};

	const [runMs] = await service.settle(Promise.all([long, beside()]));

	expect(runMs).toBeLessThanOrEqual(HOUR_MS);
	expect(Math.max(...waits)).toBeLessThanOrEqual(30 * SECOND_MS);
	expect(service.refusals).toBe(0);
});

it('60 sites take a minute with two refusals at most after others have used up the request limit', async () => {
	const service = new LimitedService();
	service.exhaust(100);
	await service.clock.advance(SECOND_MS);

	const end = await service.settle(service.read(60));

	expect(end).toBeGreaterThan(MINUTE_MS);
	expect(end).toBeLessThanOrEqual(65 * SECOND_MS);
	expect(service.refusals).toBeLessThanOrEqual(2);
});

describe.each(COUNTINGS)('if the service counts with %j', (counting) => {
	it('full speed returns half an hour after others sent 150 requests a minute', async () => {
		const USE_MS = 15 * MINUTE_MS;
		const othersPerMinute = (at: number) => (at < USE_MS ? 150 : 0);
		const service = new LimitedService({ othersPerMinute, ...counting });
		await service.clock.advance(SECOND_MS);

		void service.read(10_000);
		await service.clock.advance(HOUR_MS);

		const times = service.ours.filter(({ isRefused }) => !isRefused).map(({ at }) => at);
		const full = times.find(
			(at, i) => at > USE_MS && (times[i + 90] ?? Infinity) - at < 62 * SECOND_MS,
		);
		expect(full).toBeLessThanOrEqual(USE_MS + 30 * MINUTE_MS);
		expect(service.refusals).toBeLessThanOrEqual(20);
	});

	it.each([
		[30, 13],
		[70, 15],
		[90, 20],
	])('beside others at %d a minute, the first hour has %d refusals', async (others, maxFirst) => {
		const { first, later, used } = await readForHours({
			...counting,
			othersPerMinute: () => others,
		});

		expect(first).toBeLessThanOrEqual(maxFirst);
		expect(later).toBeLessThanOrEqual(8);
		expect(used).toBeGreaterThanOrEqual(0.75 * (100 - others));
	});

	it.each([5, 50])('a service that accepts only %d a minute refuses few', async (number) => {
		const { first, later, used } = await readForHours({ ...counting, number });

		expect(first).toBeLessThanOrEqual(22);
		expect(later).toBeLessThanOrEqual(8);
		expect(used).toBeGreaterThanOrEqual(0.75 * number);
	});

	it('two processes that do not know of each other cost few refusals', async () => {
		const { later, used } = await readForHours(counting, 2);

		expect(later).toBeLessThanOrEqual(10);
		expect(used).toBeGreaterThanOrEqual(75);
	});
});

/** Reads for two hours. Returns the refusals of each, and the accepted requests a minute. */
async function readForHours(settings: Partial<ServiceSettings>, processes = 1) {
	const service = new LimitedService(settings);
	await service.clock.advance(70 * SECOND_MS);
	for (let process = 0; process < processes; process++) {
		void service.read(50_000, { limiter: new RateLimiter(service.clock) });
	}
	await service.clock.advance(HOUR_MS);
	const first = service.refusals;
	await service.clock.advance(HOUR_MS);
	const accepted = service.ours.length - service.refusals;
	return { first, later: service.refusals - first, used: accepted / 120 };
}
