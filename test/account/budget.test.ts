import fc from 'fast-check';
import { Queue } from '../../account/limit/queue';
import { delayMs, limitOf, plannedMs } from '../../account/limit/plan';
import type { Place } from '../../account/limit/queue';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../texts/duration';
import { LimitedService, type ServiceSettings } from '../../testbed/simulation/limitedService';
import { lastOf } from '../../testbed/simulation/scenarios';
import { settled } from '../../testbed/simulation/virtualClock';

let service: LimitedService;

beforeEach(() => {
	service = new LimitedService();
});

/** A request that finds a place at once; fails if there is none. */
async function enterNow(entry: Parameters<LimitedService['enter']>[0] = {}) {
	const endsAt = service.clock.now() + 0.5;
	const place = await Promise.race([
		service.enter({ ...entry, endsAt }),
		settled().then(() => undefined),
	]);
	if (!place) throw new Error('There is no place');
	return place;
}

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

/** The account has accepted so many requests. */
async function open(accepted = 1) {
	for (let count = 0; count < accepted; count++) service.budget.accept(await enterNow());
}

it('an account of which nothing is known sends one request, and the others once that is accepted', async () => {
	const [first, ...others] = [service.enter(), service.enter(), service.enter()];
	const place = (await first) as Place;
	await service.clock.pass(SECOND_MS);
	expect(await Promise.all(others.map(isOver))).toEqual([false, false]);

	service.budget.accept(place);

	expect(await Promise.all(others.map(isOver))).toEqual([true, true]);
});

it.each([
	['an answer that does not come, for three seconds', false, 3 * SECOND_MS],
	['an answer that nobody sees, for two seconds', true, 2 * SECOND_MS],
])('an account of which nothing is known waits for %s', async (_what, isUnseen, ms) => {
	await enterNow({ isUnseen });

	await expectAfter(ms, service.enter());
});

it.each(['fail', 'giveBack'] as const)(
	'an account of which nothing is known sends the next one where the first one ends without an answer (%s)',
	async (end) => {
		const first = await enterNow();
		const [second, third] = [service.enter(), service.enter()];

		service.budget[end](first);

		expect(await isOver(second)).toBe(true);
		expect(await isOver(third)).toBe(false);
	},
);

it('an account of which nothing is known is the same after a minute without an accepted request', async () => {
	await open();
	await service.clock.pass(MINUTE_MS);
	await enterNow();

	expect(await isOver(service.enter())).toBe(false);
});

describe('a place', () => {
	beforeEach(async () => {
		service.budget.requestsPerMinute = 2;
		await open();
	});

	it('a place is taken for a minute after the answer', async () => {
		const place = await enterNow();
		await service.clock.pass(30 * SECOND_MS);
		service.budget.accept(place);

		await expectAfter(30 * SECOND_MS, service.enter());
		await expectAfter(30 * SECOND_MS, service.enter());
	});

	it('a place is taken for 62 seconds where nobody sees the answer', async () => {
		await enterNow({ queue: service.budget.others, isUnseen: true });
		const [first, second] = [service.enter(), service.enter()];

		await expectAfter(MINUTE_MS, first);
		service.budget.accept((await first) as Place);
		await expectAfter(2 * SECOND_MS, second);
	});

	it('a place that is ended twice counts once', async () => {
		const place = await enterNow();
		service.budget.accept(place);
		service.budget.fail(place);
		service.budget.giveBack(place);

		expect(delayMs(service.budget)).toBe(MINUTE_MS);
	});
});

it('an account sends no more at once than were accepted before, and one', async () => {
	await open(2);
	for (let count = 0; count < 3; count++) await enterNow();

	expect(await isOver(service.enter())).toBe(false);
});

it('requests under way at once are a tenth at most, and one without an answer for ten seconds holds nobody up', async () => {
	await open(9);
	for (let count = 0; count < 10; count++) await enterNow();

	await expectAfter(10 * SECOND_MS, service.enter());
});

it('those who wait let logins and credential tests go first', async () => {
	service.budget.requestsPerMinute = 1;
	await open();
	const order: string[] = [];
	const enter = async (name: string, queue: Queue) => {
		const place = await service.enter({ queue });
		order.push(name);
		if (place) service.budget.accept(place);
	};
	void enter('site', new Queue());
	void enter('login', service.budget.logins);

	await service.clock.pass(3 * MINUTE_MS);

	expect(order).toEqual(['login', 'site']);
});

it('those who wait do so until they may, and their queue counts the time in which several wait once', async () => {
	service.budget.requestsPerMinute = 1;
	await open();
	const queue = new Queue({ planned: 2 });
	void service.enter({ queue });
	await service.clock.pass(10 * SECOND_MS);
	void service.enter({ queue });
	await service.clock.pass(10 * SECOND_MS);

	expect(service.budget.waitedMs(queue)).toBe(20 * SECOND_MS);
});

it.each([
	['its own time is over', { endsAt: 5 * SECOND_MS }],
	['the time of its queue is over', { queue: new Queue({ maxWaitMs: 5 * SECOND_MS }) }],
	['the last moment of its queue has come', { queue: new Queue({ endsAt: 5 * SECOND_MS }) }],
])('those who wait stop waiting when %s', async (_what, entry) => {
	service.budget.requestsPerMinute = 1;
	await open();
	const waiting = service.enter(entry);

	await expectAfter(5 * SECOND_MS, waiting);
	expect(await waiting).toBeUndefined();
});

it.each([
	['nothing while it waits for answers', 100, 10, [], 0],
	['the number, which its own size has reached', 5, 10, ['number'], MINUTE_MS],
])(
	'what a queue has waited for is %s',
	async (_what, requestsPerMinute, sites, obstacles, leastMs) => {
		service = new LimitedService({ latencyMs: () => 2 * SECOND_MS });
		service.budget.requestsPerMinute = requestsPerMinute;
		const queue = new Queue({ planned: sites });

		await service.finish(service.read(sites, { queue, concurrency: 10 }));

		expect([...queue.obstacles]).toEqual(obstacles);
		const waitedMs = service.budget.waitedMs(queue);
		expect(waitedMs).toBeGreaterThanOrEqual(leastMs);
		expect(waitedMs).toBeLessThanOrEqual(2 * leastMs);
	},
);

it('what a queue has waited for is not the answers of a slow service, which cost none of its time to wait', async () => {
	service = new LimitedService({ latencyMs: () => 3 * SECOND_MS });
	const queue = new Queue({ planned: 90, maxWaitMs: 0 });

	expect(await service.finish(service.read(90, { queue }))).not.toContain(undefined);
});

it('what a queue has waited for is others, who have used the number', async () => {
	service.budget.requestsPerMinute = 10;
	await service.finish(service.read(10));
	const queue = new Queue({ planned: 5 });

	await service.finish(service.read(5, { queue }));

	expect([...queue.obstacles]).toEqual(['others']);
});

it('where one request a minute is sent, queues take turns', async () => {
	service.budget.requestsPerMinute = 1;
	void service.read(100);
	await service.clock.pass(2 * MINUTE_MS);

	const small = service.read(3);

	expect(lastOf(await service.finish(small))).toBeLessThan(10 * MINUTE_MS);
});

it('triggers hold one at least, where the account may send but one', async () => {
	service.budget.requestsPerMinute = 1;
	const read = service.read(2, { queue: new Queue({ kind: 'poll', planned: 2 }) });

	expect(lastOf(await service.finish(read))).toBeLessThan(62 * SECOND_MS);
});

it.each([
	[undefined, MINUTE_MS],
	[2 * SECOND_MS, 2 * SECOND_MS],
	[0, SECOND_MS],
	[30 * MINUTE_MS, 30 * MINUTE_MS],
])(
	'a refusal that asks for a wait of %j ms stops the account for %d ms; then one request goes alone',
	async (askedMs, ms) => {
		await open(9);
		service.budget.refuse(await enterNow(), askedMs);
		expect(delayMs(service.budget)).toBe(ms);
		expect(limitOf(service.budget).cause).toBe('stopped');
		const [first, next] = [service.enter(), service.enter()];

		await expectAfter(ms, first);
		expect(await isOver(next)).toBe(false);
		service.budget.accept((await first) as Place);
		expect(await isOver(next)).toBe(true);
		expect(limitOf(service.budget).cause).toBe('lowered');
	},
);

it('a refusal while the account is stopped may only make the stop longer', async () => {
	await open(3);
	const [first, second, third] = [await enterNow(), await enterNow(), await enterNow()];

	service.budget.refuse(first, 7 * SECOND_MS);
	service.budget.refuse(second, 2 * SECOND_MS);
	expect(delayMs(service.budget)).toBe(7 * SECOND_MS);
	service.budget.refuse(third);
	expect(delayMs(service.budget)).toBe(MINUTE_MS);
});

it('a refusal of the one request doubles the stop, up to a quarter of an hour', async () => {
	service = new LimitedService({ limit: 0 });

	void service.read(5, { concurrency: 1 });
	await service.clock.pass(2 * HOUR_MS);

	const times = service.arrivals.map(({ at }) => at);
	const stops = times.slice(1).map((at, index) => Math.round((at - times[index]!) / MINUTE_MS));
	expect(stops.slice(0, 7)).toEqual([1, 2, 4, 8, 15, 15, 15]);
});

it('a service that refuses again and again, with a Retry-After of a second, is not asked every second', async () => {
	service = new LimitedService({ limit: 0, retryAfterMs: SECOND_MS });

	void service.read(5, { concurrency: 1 });
	await service.clock.pass(2 * HOUR_MS);

	expect(service.arrivals.length).toBeLessThan(20);
});

it('a refusal is forgotten after an hour in which nothing was sent', async () => {
	await open(9);
	service.budget.refuse(await enterNow());
	await service.clock.pass(MINUTE_MS + HOUR_MS - 1);
	expect(service.budget.isIdle()).toBe(false);
	await service.clock.pass(1);
	expect(service.budget.isIdle()).toBe(true);
	expect(limitOf(service.budget).cause).toBe('number');
});

it('a refusal is known to all who wait, also to those of other executions', async () => {
	service.budget.requestsPerMinute = 2;
	await open();
	const place = await enterNow();
	const [before, after] = [new Queue(), new Queue()];
	void service.enter({ queue: before });
	service.budget.refuse(place);
	void service.enter({ queue: after });

	await service.clock.pass(SECOND_MS);

	for (const queue of [before, after]) expect(queue.obstacles).toContain('refusal');
});

it.each([
	[1, 0],
	[100, 0],
	[5400, 60],
	[6100, 68],
])('a plan for %d sites takes %d minutes at most', (sites, minutes) => {
	const planMs = plannedMs(service.budget, sites);

	expect(planMs).toBeLessThanOrEqual(minutes * MINUTE_MS);
	expect(planMs).toBeGreaterThanOrEqual((minutes - 2) * MINUTE_MS);
});

it('a plan counts what others have sent', async () => {
	await service.finish(service.read(90));

	expect(plannedMs(service.budget, 10)).toBe(0);
	expect(plannedMs(service.budget, 20)).toBeGreaterThan(10 * SECOND_MS);
});

it('a plan counts a stop, and that fewer are sent after a refusal', async () => {
	await open(20);
	service.budget.refuse(await enterNow(), 30 * MINUTE_MS);

	expect(plannedMs(service.budget, 300)).toBeGreaterThan(33 * MINUTE_MS);
	expect(plannedMs(service.budget, 1)).toBe(30 * MINUTE_MS);
});

it('a plan ends in time', async () => {
	const planMs = plannedMs(service.budget, 1000);

	expect(lastOf(await service.finish(service.read(1000)))).toBeLessThan(planMs);
});

it('a plan takes no time without a limit', () => {
	service.budget.requestsPerMinute = Infinity;

	expect(plannedMs(service.budget, 100_000)).toBe(0);
});

describe('whatever happens', () => {
	const load = fc.record({
		waitMs: fc.nat(90_000),
		count: fc.integer({ min: 1, max: 100 }),
		concurrency: fc.integer({ min: 1, max: 50 }),
		kind: fc.constantFrom('run', 'poll', 'others'),
	});
	const world = fc.record({
		loads: fc.array(load, { minLength: 1, maxLength: 5 }),
		setting: fc.integer({ min: 1, max: 120 }),
		latenciesMs: fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 20 }),
	});
	type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

	/** Plays the loads to a service that takes as many requests as are set, or fewer. */
	async function play({ loads, setting, latenciesMs }: World, settings: Partial<ServiceSettings>) {
		let sent = 0;
		const latencyMs = () => latenciesMs[sent++ % latenciesMs.length] ?? 0;
		service = new LimitedService({ latencyMs, ...settings });
		service.budget.requestsPerMinute = setting;
		const reads: Array<Promise<Array<number | undefined>>> = [];
		for (const { waitMs, count, concurrency, kind } of loads) {
			await service.clock.pass(waitMs);
			const isUnseen = kind === 'others';
			const queue = isUnseen
				? service.budget.others
				: new Queue({ kind: kind === 'poll' ? kind : 'execution', planned: count });
			reads.push(service.read(count, { queue, concurrency, isUnseen }));
		}
		return (await service.finish(Promise.all(reads))).flat();
	}

	it('no minute holds more than the number, triggers hold at most half, and everything arrives', async () => {
		await fc.assert(
			fc.asyncProperty(world, async (happenings) => {
				const { setting } = happenings;
				const arrived = await play(happenings, { limit: setting });

				const polls = service.arrivals.filter(({ queue }) => queue?.isPoll);
				expect(service.busiestMinute()).toBeLessThanOrEqual(setting);
				expect(service.busiestMinute(polls)).toBeLessThanOrEqual(Math.max(1, setting / 2));
				expect(service.refusals).toEqual([]);
				expect(arrived).not.toContain(undefined);
			}),
			{ numRuns: 25, seed: 20_250_101 },
		);
	}, 120_000);

	const step = fc.record({
		waitMs: fc.nat(9000),
		queue: fc.nat(4),
		isUnseen: fc.boolean(),
		afterMs: fc.nat(5000),
		end: fc.constantFrom(
			'accept',
			'accept',
			'accept',
			'refuse',
			'fail',
			'giveBack',
			'accept twice',
			'abort',
		),
		number: fc.option(fc.integer({ min: 1, max: 30 }), { freq: 6 }),
	});
	type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

	it('no minute holds more than the number of that moment, and nothing is left behind', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 150 }), async (steps) => {
				const { clock, budget } = new LimitedService();
				const queues = [
					budget.logins,
					budget.others,
					...[20, 3].map((planned) => new Queue({ planned })),
				];
				queues.push(new Queue({ kind: 'poll', planned: 30 }));
				const sent = new Set<Place>();
				const request = async ({ queue: index, isUnseen, afterMs, end }: Step) => {
					const controller = new AbortController();
					const queue = queues[index] as Queue;
					const entering = budget.enter({ queue, isUnseen, signal: controller.signal });
					if (end === 'abort') void clock.sleep(afterMs).then(() => controller.abort());
					const place = await entering;
					if (!place) return;
					const lastMinute = [...sent].filter(({ sentAt }) => sentAt > clock.now() - MINUTE_MS);
					expect(lastMinute.length).toBeLessThan(number);
					sent.add(place);
					await clock.sleep(afterMs);
					if (isUnseen) return;
					if (end === 'giveBack') sent.delete(place);
					if (end === 'accept twice') budget.accept(place);
					budget[end === 'abort' || end === 'accept twice' ? 'accept' : end](place);
				};
				let number = 10;
				budget.requestsPerMinute = number;
				const requests: Array<Promise<void>> = [];
				for (const each of steps) {
					number = each.number ?? number;
					budget.requestsPerMinute = number;
					requests.push(request(each));
					await clock.pass(each.waitMs);
				}
				await clock.pass(12 * HOUR_MS);
				await Promise.all(requests);

				expect(budget.isIdle()).toBe(true);
				expect(queues.map(({ held, waiting }) => [held, waiting.length])).toEqual(
					queues.map(() => [0, 0]),
				);
			}),
			{ numRuns: 60, seed: 20_250_101 },
		);
	}, 120_000);
});
