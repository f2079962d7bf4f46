import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { RateLimiter, type SlotRequest } from '../../../../nodes/Aquaculture/limit/rateLimiter';
import { Queue, type QueueOwner, type Slot } from '../../../../nodes/Aquaculture/limit/queue';
import { flushPromises, VirtualClock } from '../../../../testbed/simulation/virtualClock';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../nodes/Aquaculture/utils/time';

let clock: VirtualClock;
let limiter: RateLimiter;

beforeEach(() => {
	clock = new VirtualClock();
	limiter = new RateLimiter(clock);
});

function queueOf(
	requestsPerMinute = 100,
	owner: QueueOwner = 'execution',
	requests = 0,
	maxWaitMs?: number,
): Queue {
	const queue = new Queue(owner, requestsPerMinute);
	queue.announce(requests, maxWaitMs);
	return queue;
}

const acquire = async (queue = queueOf(), request: Partial<SlotRequest> = {}) =>
	await limiter.acquire({ queue, ...request });

/** What becomes of a request without time passing. */
const stateOf = async (wait: Promise<Slot | undefined>) =>
	await Promise.race([
		wait.then((slot) => (slot ? 'has a slot' : 'gave up')),
		flushPromises().then(() => 'waits'),
	]);

async function sent(queue = queueOf(), request: Partial<SlotRequest> = {}): Promise<Slot> {
	const slot = await Promise.race([acquire(queue, request), flushPromises().then(() => undefined)]);
	if (!slot) throw new Error('It has to wait');
	return slot;
}

async function accepted(count: number, queue = queueOf()): Promise<void> {
	for (let index = 0; index < count; index++) limiter.recordAllowed(await sent(queue));
}

/** Sends all requests of a queue, and records their times. */
function sendAll(queue: Queue, answerMs = 0): number[] {
	const times: number[] = [];
	const send = async () => {
		const slot = await acquire(queue);
		if (!slot) return;
		times.push(clock.now());
		if (answerMs > 0) await clock.sleep(answerMs);
		limiter.recordAllowed(slot);
	};
	for (let left = queue.totalRequests; left > 0; left--) void send();
	return times;
}

/** Expects a wait to end within 100 ms after this time. */
async function expectAt(
	ms: number,
	wait: Promise<Slot | undefined>,
	end = 'has a slot',
): Promise<void> {
	await clock.advance(ms - 1 - clock.now());
	expect([`at ${ms - 1} ms`, await stateOf(wait)]).toEqual([`at ${ms - 1} ms`, 'waits']);
	await clock.advance(101);
	expect([`at ${ms + 100} ms`, await stateOf(wait)]).toEqual([`at ${ms + 100} ms`, end]);
}

const rateFor = (queue: Queue) => limiter.describeLimit(queue).requestsPerMinute;
const delayMs = (queue: Queue, requests?: number) => limiter.describeLimit(queue, requests).delayMs;

describe('the rate', () => {
	it('counts a request until a minute after its response', async () => {
		const queue = queueOf(2);
		await accepted(1, queue);
		const slot = await sent(queue);
		await clock.advance(30 * SECOND_MS);
		limiter.recordAllowed(slot);
		const [first, second] = [acquire(queue), acquire(queue)];

		await expectAt(60 * SECOND_MS, first);
		limiter.recordAllowed((await first) as Slot);
		await expectAt(90 * SECOND_MS, second);
	});

	it('is the lowest of several credentials while their requests wait or are in flight', async () => {
		const [large, small] = [queueOf(100), queueOf(5)];
		await accepted(4, large);
		const slot = await sent(small);
		const cancel = new AbortController();
		void acquire(small, { signal: cancel.signal });
		const other = acquire(large);
		expect([await stateOf(other), rateFor(large)]).toEqual(['waits', 5]);

		cancel.abort();
		expect([await stateOf(other), rateFor(large)]).toEqual(['waits', 5]);
		limiter.recordAllowed(slot);
		expect([await stateOf(other), rateFor(large)]).toEqual(['has a slot', 100]);
	});

	it('is never exceeded, polls get at most half, and nothing leaks (random)', async () => {
		const END_OFTEN = Array<'recordAllowed'>(3).fill('recordAllowed');
		const OTHER_ENDS = ['recordRefused', 'recordUnanswered', 'release', 'abort'] as const;
		const step = fc.record({
			waitMs: fc.nat(9000),
			queue: fc.nat(6),
			afterMs: fc.nat(5000),
			end: fc.constantFrom(...END_OFTEN, ...OTHER_ENDS),
		});
		type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
		const play = async (steps: Step[]) => {
			clock = new VirtualClock();
			limiter = new RateLimiter(clock);
			const queues = [
				...[queueOf(7, 'httpNode'), queueOf(10_000, 'httpNode'), queueOf(100, 'login')],
				...[queueOf(10, 'execution', 20), queueOf(5, 'execution', 3), queueOf(10, 'poll', 30)],
				queueOf(10_000),
			];
			const counted = new Set<Slot>();
			const request = async ({ queue: index, afterMs, end }: Step) => {
				const cancel = new AbortController();
				const queue = queues[index] as Queue;
				if (end === 'abort') void clock.sleep(afterMs).then(() => cancel.abort());
				const slot = await acquire(queue, { signal: cancel.signal });
				if (!slot) return expect(end).toBe('abort');
				const minute = [...counted].filter(({ sentAt }) => sentAt > clock.now() - MINUTE_MS);
				const polls = minute.filter((each) => each.queue.owner === 'poll');
				expect(minute.length).toBeLessThan(queue.requestsPerMinute);
				if (queue.owner === 'poll') expect(polls.length).toBeLessThan(5);
				counted.add(slot);
				await clock.sleep(afterMs);
				if (end === 'release') counted.delete(slot);
				limiter[end === 'abort' ? 'recordAllowed' : end](slot);
			};
			const requests: Array<Promise<void>> = [];
			for (const each of steps) {
				requests.push(request(each));
				await clock.advance(each.waitMs);
			}
			await clock.advance(12 * HOUR_MS);
			await Promise.all(requests);

			// All slots except those for logins are free.
			expect(delayMs(queueOf(10_000), 9800)).toBe(0);
			expect(queues.map(({ waiting }) => waiting.size)).toEqual(queues.map(() => 0));
		};
		const steps = fc.array(step, { minLength: 5, maxLength: 60 });
		await fc.assert(fc.asyncProperty(steps, play), { numRuns: 40, seed: 20_250_101 });
	});
});

describe('the slow start', () => {
	it('allows one request first, then one more than were accepted', async () => {
		const slot = await sent();
		const others = [acquire(), acquire(), acquire()];
		await clock.advance(SECOND_MS);
		expect(await Promise.all(others.map(stateOf))).toEqual(['waits', 'waits', 'waits']);

		limiter.recordAllowed(slot);

		expect(await Promise.all(others.map(stateOf))).toEqual(['has a slot', 'has a slot', 'waits']);
	});

	it.each(['recordUnanswered', 'release'] as const)('sends one alone after %s', async (end) => {
		const slot = await sent();
		const [next, after] = [acquire(), acquire()];

		limiter[end](slot);

		expect([await stateOf(next), await stateOf(after)]).toEqual(['has a slot', 'waits']);
	});
});

describe('the cooldown', () => {
	it('lasts until one request is allowed, although many were accepted recently', async () => {
		await accepted(30);
		await clock.advance(30 * SECOND_MS);
		await accepted(30);
		const late = await sent();
		limiter.recordRefused(await sent(), 31 * SECOND_MS);
		const [first, next] = [acquire(), acquire()];
		await expectAt(61 * SECOND_MS, first);
		limiter.recordAllowed(late);
		expect(await stateOf(next)).toBe('waits');

		limiter.recordAllowed((await first) as Slot);

		expect(await stateOf(next)).toBe('has a slot');
	});

	it('is ended by requests whose answer nobody sees, but only a minute after the pause', async () => {
		limiter.recordRefused(await sent(), SECOND_MS);
		await clock.advance(SECOND_MS);
		limiter.assumeAllowed(await sent());
		expect(limiter.describeLimit(queueOf()).waitReason).toBe('refusals');

		await clock.advance(MINUTE_MS + 1);
		limiter.assumeAllowed(await sent());
		expect(limiter.describeLimit(queueOf()).waitReason).toBe('rate');
	});

	it.each(['recordUnanswered', 'release'] as const)('outlasts an answer after %s', async (end) => {
		limiter.recordRefused(await sent(), SECOND_MS);
		await clock.advance(SECOND_MS);
		const slot = await sent(queueOf(100, 'httpNode'));
		limiter[end](slot);

		limiter.recordAllowed(slot);

		expect(limiter.describeLimit(queueOf()).waitReason).toBe('refusals');
	});

	it('is followed by a reduced rate for some seconds, then by the full one', async () => {
		await accepted(20);
		limiter.recordRefused(await sent());
		await clock.advance(MINUTE_MS);
		limiter.recordAllowed(await sent());

		const reduced = { requestsPerMinute: 18, waitReason: 'refusals' };
		expect(limiter.describeLimit(queueOf())).toMatchObject(reduced);
		await clock.advance(7 * SECOND_MS);
		const full = { requestsPerMinute: 100, waitReason: 'rate' };
		expect(limiter.describeLimit(queueOf())).toMatchObject(full);
	});
});

describe('the order', () => {
	it('shares a minute as the example in fairShare.ts says', async () => {
		const execution = sendAll(queueOf(100, 'execution', 500), 50);
		await clock.advance(20 * SECOND_MS);
		expect(execution).toHaveLength(33);
		const poll = sendAll(queueOf(100, 'poll', 20), 50);
		await clock.advance(SECOND_MS);
		expect(poll).toHaveLength(20);

		await clock.advance(34 * SECOND_MS);
		expect(execution).toHaveLength(78);
		await sent(queueOf(100, 'login'));
		await clock.advance(4 * SECOND_MS);
		expect(execution).toHaveLength(78);
		await clock.advance(2 * SECOND_MS);
		expect(execution.length).toBeGreaterThan(78);
	});

	it.each([
		[3, 'execution'],
		[5, 'poll'],
	])('handicaps polls: beside %d slots of 40, the %s is next', async (held, next) => {
		const [execution, poll] = [queueOf(40), queueOf(40, 'poll')];
		await accepted(held, execution);
		await accepted(3, queueOf(40));
		const [first] = [await sent(), await sent(), await sent(), await sent()];
		const served: string[] = [];
		for (const queue of [execution, poll]) void acquire(queue).then(() => served.push(queue.owner));

		limiter.recordAllowed(first as Slot);
		await flushPromises();

		expect(served).toEqual([next]);
	});

	it('gives polls one slot at one request a minute', async () => {
		const times = sendAll(queueOf(1, 'poll', 3));

		await clock.advance(2 * MINUTE_MS + SECOND_MS);

		expect(times).toHaveLength(3);
	});

	it('gives a poll that a person waits for all free slots except those for logins', async () => {
		await accepted(300, queueOf(1000));
		const times = sendAll(queueOf(1000, 'interactivePoll', 700));
		await flushPromises();
		expect(times).toHaveLength(680);

		await accepted(20, queueOf(1000, 'login'));
	});

	it('lets a paced queue make up for one second at most after a pause', () => {
		const queue = queueOf();
		queue.recordPaced(0, 600);
		let burst = 0;
		for (; queue.isDue(MINUTE_MS, 600); burst++) queue.recordPaced(MINUTE_MS, 600);

		expect(burst).toBe(2);
	});
});

describe('a wait', () => {
	it('for responses does not count', async () => {
		const queue = queueOf(100, 'execution', 90, SECOND_MS);
		const times = sendAll(queue, 2 * SECOND_MS);

		await clock.advance(MINUTE_MS);

		expect(times).toHaveLength(90);
		expect(queue.waitedMs).toBe(0);
	});

	it.each<[string, Partial<SlotRequest>]>([
		['its deadline passes', { deadline: 5 * SECOND_MS }],
		['its queue reaches its maximum wait', { queue: queueOf(1, 'execution', 0, 5 * SECOND_MS) }],
	])('ends without a slot if %s', async (_what, entry) => {
		await accepted(1, queueOf(1));
		const waiting = acquire(queueOf(1), entry);

		await expectAt(5 * SECOND_MS, waiting, 'gave up');
	});

	it('ends immediately if its deadline has passed, although slots are free', async () => {
		await expect(stateOf(acquire(queueOf(), { deadline: 1 }))).resolves.toBe('has a slot');
		await expect(stateOf(acquire(queueOf(), { deadline: 0 }))).resolves.toBe('gave up');
	});

	it('ends immediately if the cooldown exceeds its deadline or maximum', async () => {
		const slot = await sent(queueOf(1), { deadline: 5 * MINUTE_MS });
		const waiting = acquire(queueOf(1, 'execution', 0, 5 * MINUTE_MS - 1));
		limiter.recordRefused(slot, 5 * MINUTE_MS);
		const later = [5, 6].map((minutes) => acquire(queueOf(1), { deadline: minutes * MINUTE_MS }));

		const states = await Promise.all([waiting, ...later].map(stateOf));
		expect(states).toEqual(['gave up', 'gave up', 'waits']);
	});

	it('ends immediately when cancelled, and leaves its slot to the next', async () => {
		const queue = queueOf(1);
		const slot = await sent(queue);
		const cancel = new AbortController();
		const [cancelled, next] = [acquire(queue, { signal: cancel.signal }), acquire(queue)];

		cancel.abort();
		limiter.release(slot);

		const waits = [cancelled, next, acquire(queue, { signal: cancel.signal })];
		expect(await Promise.all(waits.map(stateOf))).toEqual(['gave up', 'has a slot', 'gave up']);
	});

	it('leaves no listener at its signal, or else Node.js warns after ten requests', async () => {
		const { signal } = new AbortController();

		await sent(queueOf(), { signal });

		expect(getEventListeners(signal, 'abort')).toEqual([]);
	});

	it('may involve 100,000 requests', async () => {
		await sent();
		const queue = queueOf();
		for (let count = 0; count < 100_000; count++) void acquire(queue);

		await clock.advance(3 * SECOND_MS);

		expect(queue.waiting.size).toBe(99_999);
	});
});

describe('the state', () => {
	it('tells how long a queue, and not each of its requests, has waited for each reason', async () => {
		const queue = queueOf(2);
		await accepted(1, queue);
		const refused = await sent(queue);
		void acquire(queue);
		void acquire(queue);
		await clock.advance(10 * SECOND_MS);
		limiter.recordRefused(refused, 20 * SECOND_MS);
		await clock.advance(20 * SECOND_MS);

		expect(queue.waited).toEqual({ rate: 10_000, refusals: 20_000 });
		expect(queue.waitedMs).toBe(30_000);
	});

	it('tells when this many requests may be sent', async () => {
		const queue = queueOf(100);
		const failed = await sent(queue);
		await clock.advance(5 * SECOND_MS);
		limiter.recordUnanswered(failed);
		await accepted(40, queue);
		await clock.advance(10 * SECOND_MS);
		await accepted(50, queue);

		const delays = [1, 7, 8, 48, 49, 98, 99].map((requests) => delayMs(queue, requests));

		expect(delays).toEqual([0, 0, 50_000, 50_000, 60_000, 60_000, 60_000]);
	});

	it('expects requests in flight to end now, and more than a minute allows when all slots are free', async () => {
		const queue = queueOf(2);
		const delays = () => [1, 2, 3].map((requests) => delayMs(queue, requests));
		await accepted(1, queue);
		await clock.advance(10 * SECOND_MS);
		const slot = await sent(queue);
		expect(delays()).toEqual([50_000, 60_000, 60_000]);

		limiter.recordAllowed(slot);
		await clock.advance(10 * SECOND_MS);
		expect(delays()).toEqual([40_000, 50_000, 50_000]);
	});
});
