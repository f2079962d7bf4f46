import fc from 'fast-check';
import {
	Limit,
	Queue,
	type Entry,
	type Place,
	type QueueKind,
} from '../../../../nodes/Aquaculture/account/rateLimiter';
import { settled, VirtualClock } from '../../../../testbed/simulation/virtualClock';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../nodes/Aquaculture/messages/duration';

let clock: VirtualClock;
let limit: Limit;

beforeEach(() => {
	clock = new VirtualClock();
	limit = new Limit(clock);
});

function queueOf(requestsPerMinute = 100, kind: QueueKind = 'execution', planned = 0): Queue {
	return Object.assign(new Queue(kind, requestsPerMinute), { planned });
}

const enter = async (queue = queueOf(), entry: Partial<Entry> = {}) =>
	await limit.enter({ queue, ...entry });

/** Whether a wait is over before any time passes. */
const isOver = async (wait: Promise<unknown>) =>
	await Promise.race([wait.then(() => true), settled().then(() => false)]);

/** The place of a request that is sent at once. */
async function sent(queue = queueOf(), entry: Partial<Entry> = {}): Promise<Place> {
	const place = await Promise.race([enter(queue, entry), settled().then(() => undefined)]);
	if (!place) throw new Error('It has to wait');
	return place;
}

/** So many requests are sent and accepted at once. */
async function accepted(count: number, queue = queueOf()): Promise<void> {
	for (let index = 0; index < count; index++) limit.accept(await sent(queue));
}

/** All requests that a queue has planned; the times at which they are sent are added while time passes. */
function sendAll(queue: Queue, answerMs = 0): number[] {
	const times: number[] = [];
	const send = async () => {
		const place = await enter(queue);
		if (!place) return;
		times.push(clock.now());
		if (answerMs > 0) await clock.sleep(answerMs);
		limit.accept(place);
	};
	for (let left = queue.planned; left > 0; left--) void send();
	return times;
}

/** Expects a wait to be over at that time, to a tenth of a second, and not before. */
async function expectAt(ms: number, wait: Promise<unknown>): Promise<void> {
	await clock.pass(ms - 1 - clock.now());
	expect(await isOver(wait)).toBe(false);
	await clock.pass(101);
	expect(await isOver(wait)).toBe(true);
}

const numberFor = (queue: Queue) => limit.textFor(queue).requestsPerMinute;

describe('the number', () => {
	it('a request counts until a minute after its answer', async () => {
		const queue = queueOf(2);
		await accepted(1, queue);
		const place = await sent(queue);
		await clock.pass(30 * SECOND_MS);
		limit.accept(place);
		const [first, second] = [enter(queue), enter(queue)];

		await expectAt(60 * SECOND_MS, first);
		limit.accept((await first) as Place);
		await expectAt(90 * SECOND_MS, second);
	});

	it('a request whose answer nobody sees counts until 62 seconds after it was sent', async () => {
		await sent(queueOf(1), { isUnseen: true });

		await expectAt(62 * SECOND_MS, enter(queueOf(1)));
	});

	it('a request without an answer counts until a minute after its end, and one that was not sent does not count', async () => {
		const queue = queueOf(1);
		const place = await sent(queue);
		await clock.pass(10 * SECOND_MS);
		limit.fail(place);
		const next = enter(queue);
		await expectAt(70 * SECOND_MS, next);
		const last = enter(queue);

		limit.giveBack((await next) as Place);

		expect(await isOver(last)).toBe(true);
	});

	it('the smallest number of several credentials applies while their requests wait, and not longer', async () => {
		const [large, small] = [queueOf(100), queueOf(5)];
		await accepted(5, large);
		const cancel = new AbortController();
		const waiting = enter(small, { signal: cancel.signal });
		const other = enter(large);
		expect([await isOver(other), numberFor(large)]).toEqual([false, 5]);

		cancel.abort();

		await expect(waiting).resolves.toBeUndefined();
		await expectAt(100, other);
		expect(numberFor(large)).toBe(100);
	});

	it('the smallest number of several credentials applies while their requests are under way, and not longer', async () => {
		const [large, small] = [queueOf(100), queueOf(5)];
		await accepted(4, large);
		const place = await sent(small);
		const other = enter(large);
		expect([await isOver(other), numberFor(large)]).toEqual([false, 5]);

		limit.accept(place);

		expect([await isOver(other), numberFor(large)]).toEqual([true, 100]);
	});

	it.each<QueueKind>(['execution', 'poll', 'attendedPoll', 'login'])(
		'without a number nothing waits for one (%s)',
		async (kind) => {
			const queue = queueOf(Infinity, kind);
			await accepted(300, queue);

			expect([limit.delayMs(queue, 1000), limit.plannedMs(queue, 100_000)]).toEqual([0, 0]);
		},
	);

	it('a number above a hundred counts all requests of the last minute, also while nothing waits', async () => {
		const queue = queueOf(1000);
		await accepted(500, queue);
		expect(limit.isIdle).toBe(false);

		expect(limit.delayMs(queue, 480)).toBe(0);
		expect(limit.delayMs(queue, 481)).toBe(MINUTE_MS);
	});

	it('whatever happens, no minute holds more than the number, polls hold at most half, and nothing is left behind', async () => {
		const step = fc.record({
			waitMs: fc.nat(9000),
			queue: fc.nat(5),
			isUnseen: fc.boolean(),
			afterMs: fc.nat(5000),
			end: fc.constantFrom(
				...(['accept', 'accept', 'accept', 'refuse', 'fail', 'giveBack', 'abort'] as const),
			),
		});
		type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
		const play = async (steps: Step[]) => {
			clock = new VirtualClock();
			limit = new Limit(clock);
			const queues = [
				...[limit.queueOfOthers(7), queueOf(100, 'login'), queueOf(10, 'execution', 20)],
				...[queueOf(5, 'execution', 3), queueOf(10, 'poll', 30), queueOf(Infinity)],
			];
			const counted = new Set<Place>();
			const request = async ({ queue: index, isUnseen, afterMs, end }: Step) => {
				const cancel = new AbortController();
				const queue = queues[index] as Queue;
				if (end === 'abort') void clock.sleep(afterMs).then(() => cancel.abort());
				const place = await enter(queue, { isUnseen, signal: cancel.signal });
				if (!place) return;
				const minute = [...counted].filter(({ sentAt }) => sentAt > clock.now() - MINUTE_MS);
				const polls = minute.filter((each) => each.queue.kind === 'poll');
				expect(minute.length).toBeLessThan(queue.requestsPerMinute);
				if (queue.kind === 'poll') expect(polls.length).toBeLessThan(5);
				counted.add(place);
				await clock.sleep(afterMs);
				if (isUnseen) return;
				if (end === 'giveBack') counted.delete(place);
				limit[end === 'abort' ? 'accept' : end](place);
			};
			const requests: Array<Promise<void>> = [];
			for (const each of steps) {
				requests.push(request(each));
				await clock.pass(each.waitMs);
			}
			await clock.pass(12 * HOUR_MS);
			await Promise.all(requests);

			expect(limit.isIdle).toBe(true);
			expect(queues.flatMap(({ waiting }) => waiting)).toEqual([]);
		};
		const steps = fc.array(step, { minLength: 5, maxLength: 60 });
		await fc.assert(fc.asyncProperty(steps, play), { numRuns: 40, seed: 20_250_101 });
	}, 120_000);
});

describe('the slow start', () => {
	it('an account of which nothing is known sends one request, and one more than were accepted after that', async () => {
		const [first, ...others] = [enter(), enter(), enter(), enter()];
		const place = (await first) as Place;
		await clock.pass(SECOND_MS);
		expect(await Promise.all(others.map(isOver))).toEqual([false, false, false]);

		limit.accept(place);

		expect(await Promise.all(others.map(isOver))).toEqual([true, true, false]);
	});

	it('without a number all are sent at once', async () => {
		const queue = queueOf(Infinity);

		for (let index = 0; index < 200; index++) await sent(queue, { isUnseen: true });
		await sent(queue);
	});

	it('what was accepted more than a minute ago does not count', async () => {
		await accepted(5);
		await clock.pass(MINUTE_MS);
		await sent();

		expect(await isOver(enter())).toBe(false);
	});

	it.each([
		['without an answer holds nobody up after three seconds', false, 3 * SECOND_MS],
		['whose answer nobody sees is taken for accepted after two seconds', true, 2 * SECOND_MS],
	])('a request %s', async (_what, isUnseen, ms) => {
		await sent(queueOf(), { isUnseen });
		const [next, after] = [enter(), enter()];

		await expectAt(ms, next);
		expect(await isOver(after)).toBe(isUnseen);
	});

	it.each(['fail', 'giveBack'] as const)(
		'a request that ends without an answer lets the next one go, alone (%s)',
		async (end) => {
			const place = await sent();
			const [next, after] = [enter(), enter()];

			limit[end](place);

			expect([await isOver(next), await isOver(after)]).toEqual([true, false]);
		},
	);

	it('at most a tenth of the number is under way, however many were accepted', async () => {
		await accepted(20);
		for (let count = 0; count < 10; count++) await sent();

		await expectAt(3 * SECOND_MS, enter());
	});
});

describe('the stop', () => {
	it.each([
		[undefined, MINUTE_MS],
		[2 * SECOND_MS, 2 * SECOND_MS],
		[0, SECOND_MS],
		[30 * 60 * SECOND_MS, 30 * 60 * SECOND_MS],
	])(
		'a refusal that asks for a wait of %j ms stops the account for %d ms; then one request goes alone',
		async (askedMs, ms) => {
			const queue = queueOf();
			limit.refuse(await sent(queue), askedMs);
			expect([limit.delayMs(queue), limit.textFor(queue).cause]).toEqual([ms, 'stopped']);
			const [first, next] = [enter(queue), enter(queue)];

			await expectAt(ms, first);
			expect([await isOver(next), limit.textFor(queue).cause]).toEqual([false, 'stopped']);
			limit.accept((await first) as Place);
			expect(await isOver(next)).toBe(true);
		},
	);

	it('after a stop one request goes alone, although many were accepted in the last minute', async () => {
		await accepted(30);
		await clock.pass(30 * SECOND_MS);
		await accepted(30);
		limit.refuse(await sent(), 31 * SECOND_MS);
		const [first, next] = [enter(), enter()];

		await expectAt(61 * SECOND_MS, first);

		expect(await isOver(next)).toBe(false);
	});

	it.each([
		[undefined, [60, 120, 240, 480, 900, 900]],
		[SECOND_MS, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]],
		[0, [1, 2, 4, 8]],
	])(
		'a refusal of the one request stops the account for twice as long, up to a quarter of an hour (Retry-After: %j ms)',
		async (askedMs, seconds) => {
			const stops: number[] = [];
			while (stops.length < seconds.length) {
				limit.refuse((await enter()) as Place, askedMs);
				stops.push(limit.delayMs(queueOf()) / SECOND_MS);
				await clock.pass(limit.delayMs(queueOf()));
			}

			expect(stops).toEqual(seconds);
		},
	);

	it('a refusal of what was under way when the account was stopped may only make that stop longer', async () => {
		const places: Place[] = [];
		for (let count = 0; count < 3; count++) {
			places.push(await sent());
			await clock.pass(3 * SECOND_MS);
		}
		const [first, second, third] = places as [Place, Place, Place];

		limit.refuse(first, 7 * SECOND_MS);
		limit.refuse(second, 2 * SECOND_MS);
		expect(limit.delayMs(queueOf())).toBe(7 * SECOND_MS);
		limit.refuse(third);
		expect(limit.delayMs(queueOf())).toBe(MINUTE_MS);
	});

	/** A refusal after which the account may send again. @returns the number then, and how long it stays, in seconds. */
	async function refusedAfter(count: number): Promise<[number: number, seconds: number]> {
		const queue = queueOf();
		await clock.pass(MINUTE_MS);
		await accepted(count, queue);
		limit.refuse(await sent(queue));
		await clock.pass(MINUTE_MS);
		limit.accept(await sent(queue));
		const lowered = limit.textFor(queue);
		expect(lowered.cause).toBe('lowered');
		let seconds = 0;
		for (; numberFor(queue) === lowered.requestsPerMinute; seconds++) await clock.pass(SECOND_MS);
		return [lowered.requestsPerMinute, seconds];
	}

	it('after a stop nine tenths of what was accepted before are allowed, after four seconds more and more', async () => {
		expect(await refusedAfter(20)).toEqual([18, 4]);
		expect(numberFor(queueOf())).toBe(19);

		await clock.pass(10 * SECOND_MS);
		expect(limit.textFor(queueOf())).toEqual({ requestsPerMinute: 100, cause: 'number' });
	});

	it('the pause before more is allowed doubles with each refusal within an hour', async () => {
		const pauses: number[] = [];
		for (let count = 0; count < 10; count++) pauses.push((await refusedAfter(1))[1]);
		expect(pauses).toEqual([4, 8, 16, 32, 64, 128, 256, 512, 1020, 1020]);

		await clock.pass(HOUR_MS);
		expect((await refusedAfter(1))[1]).toBe(4);
	});
});

describe('the turns', () => {
	/** Notes what is sent of each queue, in its order. */
	function noteOrder(order: Queue[], ...queues: Queue[]): void {
		for (const queue of queues) {
			void enter(queue).then((place) => {
				order.push(queue);
				limit.accept(place as Place);
			});
		}
	}

	it('logins and credential tests go first', async () => {
		await accepted(1, queueOf(1));
		const [site, login] = [queueOf(1), queueOf(1, 'login')];
		const order: Queue[] = [];
		noteOrder(order, site, login);

		await clock.pass(2 * MINUTE_MS);

		expect(order).toEqual([login, site]);
	});

	it.each([
		['an execution that holds fewer places goes before one that has waited for two seconds', 58],
		['an execution that could not send for five seconds goes before one with fewer places', 54],
	])('%s', async (_what, waitsSince) => {
		const [long, small] = [queueOf(4), queueOf(4)];
		const order: Queue[] = [];
		await accepted(1, queueOf(4));
		await clock.pass(30 * SECOND_MS);
		await accepted(3, long);
		await clock.pass(waitsSince * SECOND_MS - clock.now());
		noteOrder(order, long);
		await clock.pass(59 * SECOND_MS - clock.now());
		noteOrder(order, small);

		await clock.pass(2 * SECOND_MS);

		expect(order).toEqual([waitsSince === 58 ? small : long]);
	});

	it.each([
		[3, 'execution'],
		[5, 'poll'],
	])(
		'a poll counts as if it held a tenth of the number more: beside an execution with %d places of 40, the %s is next',
		async (held, next) => {
			const [execution, poll] = [queueOf(40), queueOf(40, 'poll')];
			await accepted(held, execution);
			await accepted(3, queueOf(40));
			const [first] = [await sent(), await sent(), await sent(), await sent()];
			const waiting = { execution: enter(execution), poll: enter(poll) };

			limit.accept(first as Place);

			expect(await isOver(waiting.execution)).toBe(next === 'execution');
			expect(await isOver(waiting.poll)).toBe(next === 'poll');
		},
	);

	it.each([
		[10, 5],
		[1, 1],
	])('of %d requests a minute, all polls together hold %d at most', async (number, most) => {
		const times = [queueOf(number, 'poll', 3), queueOf(number, 'poll', 3)].map((queue) =>
			sendAll(queue),
		);

		await clock.pass(59 * SECOND_MS);
		expect(times.flat()).toHaveLength(most);
		await clock.pass(2 * SECOND_MS);
		expect(times.flat()).toHaveLength(Math.min(6, 2 * most));
	});

	it('an execution that fits beside the places that are left is sent at once, and was planned so', async () => {
		const queue = queueOf(100, 'execution', 95);
		expect(limit.plannedMs(queue, 95)).toBe(0);
		const times = sendAll(queue);
		await settled();

		expect(times).toHaveLength(95);
	});

	it('a person who waits for a poll gets what is free, but for the last two places of a hundred, which are for logins', async () => {
		await accepted(50);
		const times = sendAll(queueOf(100, 'attendedPoll', 90));
		await settled();
		expect(times).toHaveLength(48);

		await accepted(2, queueOf(100, 'login'));
	});

	it('a queue that needs more than is free sends evenly, and leaves a few places for others and for logins', async () => {
		const times = sendAll(queueOf(100, 'execution', 400));
		await clock.pass(2 * MINUTE_MS);

		const within = (from: number, ms: number) =>
			times.filter((at) => at >= from && at < from + ms).length;
		expect(within(0, MINUTE_MS)).toBeGreaterThanOrEqual(90);
		for (const from of times) {
			expect(within(from, MINUTE_MS)).toBeLessThanOrEqual(93);
			expect(within(from, 10 * SECOND_MS)).toBeLessThanOrEqual(18);
		}
		await accepted(5, queueOf(100, 'execution', 5));
		expect(await isOver(enter())).toBe(false);
		await accepted(2, queueOf(100, 'login'));
	});
});

describe('a wait', () => {
	it('a wait for answers does not count for the longest wait of a queue', async () => {
		const queue = Object.assign(queueOf(100, 'execution', 90), { maxWaitMs: SECOND_MS });
		const times = sendAll(queue, 2 * SECOND_MS);

		await clock.pass(MINUTE_MS);

		expect(times).toHaveLength(90);
		expect(queue.waitedMs).toBe(0);
	});

	it('a wait for the account counts once for all requests of a queue', async () => {
		const queue = queueOf(1);
		await accepted(1, queueOf(1));
		void enter(queue);
		await clock.pass(10 * SECOND_MS);
		void enter(queue);
		await clock.pass(10 * SECOND_MS);

		expect(queue.waitedMs).toBe(20 * SECOND_MS);
	});

	it.each<[string, Partial<Entry>]>([
		['its own time is over', { endsAt: 5 * SECOND_MS }],
		[
			'its queue may wait no longer',
			{ queue: Object.assign(queueOf(1), { maxWaitMs: 5 * SECOND_MS }) },
		],
	])('a wait ends without a place if %s', async (_what, entry) => {
		await accepted(1, queueOf(1));
		const waiting = enter(queueOf(1), entry);

		await expectAt(5 * SECOND_MS, waiting);
		await expect(waiting).resolves.toBeUndefined();
	});

	it('a wait ends at once if the account is stopped for longer than it may take', async () => {
		const early = [
			enter(queueOf(1), { endsAt: 5 * MINUTE_MS }),
			enter(Object.assign(queueOf(1), { maxWaitMs: 5 * MINUTE_MS })),
		];
		const [first, second] = early;
		limit.refuse((await first) as Place, 5 * MINUTE_MS);

		await expect(second).resolves.toBeUndefined();
		await expect(enter(queueOf(1), { endsAt: 5 * MINUTE_MS })).resolves.toBeUndefined();
		expect(await isOver(enter(queueOf(1), { endsAt: 6 * MINUTE_MS }))).toBe(false);
	});

	it('a wait that is cancelled ends at once, and its place is for the next one', async () => {
		const queue = queueOf(1);
		const place = await sent(queue);
		const cancel = new AbortController();
		const [cancelled, next] = [enter(queue, { signal: cancel.signal }), enter(queue)];

		cancel.abort();
		limit.giveBack(place);

		await expect(cancelled).resolves.toBeUndefined();
		expect(await isOver(next)).toBe(true);
		await expect(enter(queue, { signal: cancel.signal })).resolves.toBeUndefined();
	});

	it('a hundred thousand may wait', async () => {
		await sent();
		const queue = queueOf();
		for (let count = 0; count < 100_000; count++) void enter(queue);

		await clock.pass(3 * SECOND_MS);

		expect(queue.waiting).toHaveLength(99_999);
	});
});

describe('what is said of an account', () => {
	it('the delay is the time until so many requests need not wait for the number', async () => {
		const queue = queueOf(10);
		await accepted(4, queue);
		await clock.pass(10 * SECOND_MS);
		await accepted(5, queue);

		const delays = [1, 2, 5, 6, 10, 11].map((requests) => limit.delayMs(queue, requests));

		expect(delays).toEqual([0, 50_000, 50_000, 60_000, 60_000, Infinity]);
	});

	it('a plan counts what was sent, what waits and a stop, and ends in time', async () => {
		const queue = queueOf();
		const isDelayed = (count: number) => limit.plannedMs(queue, count) > 0;
		expect([95, 96].map(isDelayed)).toEqual([false, true]);
		await accepted(60);
		expect([35, 36].map(isDelayed)).toEqual([false, true]);
		await accepted(20);
		expect([18, 19].map(isDelayed)).toEqual([false, true]);
		limit.refuse(await sent(), 30 * MINUTE_MS);
		expect(limit.plannedMs(queue, 1)).toBe(30 * MINUTE_MS);
		await clock.pass(2 * HOUR_MS);

		sendAll(queueOf(100, 'execution', 100));
		const planned = clock.now() + limit.plannedMs(queue, 300);
		queue.planned = 300;
		const times = sendAll(queue);
		await clock.pass(planned - clock.now());

		expect(times).toHaveLength(300);
		expect(times.at(-1)).toBeGreaterThan(0.7 * planned + 0.3 * (times[0] as number));
	});

	it('an account is idle if nothing waits or counts, an hour after its last stop', async () => {
		expect(limit.isIdle).toBe(true);
		const place = await sent();
		expect(limit.isIdle).toBe(false);
		limit.refuse(place);
		await clock.pass(MINUTE_MS + HOUR_MS);
		expect(limit.isIdle).toBe(false);
		await clock.pass(1);
		expect(limit.isIdle).toBe(true);
	});

	it('the HTTP Request nodes with the same number share a queue', () => {
		expect(limit.queueOfOthers(100)).toBe(limit.queueOfOthers(100));
		expect(limit.queueOfOthers(100)).not.toBe(limit.queueOfOthers(60));
	});
});
