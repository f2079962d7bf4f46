import {
	CircuitBreaker,
	type BreakerState,
} from '../../../../nodes/Aquaculture/fetching/circuitBreaker';
import type { Failure } from '../../../../nodes/Aquaculture/messages/failure';
import { flushPromises, VirtualClock } from '../../../../testbed/simulation/virtualClock';

const FAILED: Failure = { message: 'Down', description: '', isTransient: true };
const TIMES = { oneTryAfterMs: 20_000, givenUpAfterMs: 50_000 };

let clock: VirtualClock;
let breaker: CircuitBreaker;

beforeEach(() => {
	clock = new VirtualClock();
	breaker = new CircuitBreaker(TIMES, () => clock.now());
});

/** Fetches a document for this time. @returns the state in which it was sent. */
async function call(failure?: Failure, ms = 0): Promise<BreakerState | undefined> {
	let sentIn: BreakerState | undefined;
	await breaker.call(async (state) => {
		sentIn = state;
		if (ms > 0) await clock.sleep(ms);
		breaker.record({ failure });
	});
	return sentIn;
}

async function fail(times: number): Promise<void> {
	for (let count = 0; count < times; count++) await call(FAILED);
}

it.each<[string, Failure | undefined]>([
	['an answer', undefined],
	['a 404', { ...FAILED, isTransient: false }],
])('stays closed if %s comes between failures', async (_what, answer) => {
	await fail(4);
	await call(answer);
	await fail(4);

	expect(breaker.state).toBe('closed');
});

it.each<[number, BreakerState]>([
	[0, 'probing'],
	[19, 'probing'],
	[20, 'oneTry'],
	[49, 'oneTry'],
	[50, 'givenUp'],
])('%i s after five failures in a row, it is %s until an answer', async (seconds, state) => {
	await fail(5);
	await clock.advance(1000 * seconds);

	expect(await call(FAILED)).toBe(state);
	expect(await call(FAILED)).toBe(state);
	if (state === 'givenUp') return;
	await call();
	expect(await call()).toBe('closed');
});

it('counts the time from the fifth failure, however many follow', async () => {
	await fail(5);
	await clock.advance(15_000);
	await fail(3);
	await clock.advance(5000);

	expect(breaker.state).toBe('oneTry');
});

it('lets one document at a time probe, and the others when one is answered, be it an earlier one', async () => {
	const earlier = call(undefined, 3000);
	await fail(5);
	const states: Array<BreakerState | undefined> = [];
	for (let count = 0; count < 3; count++)
		void call(FAILED, 9000).then((state) => states.push(state));
	await flushPromises();
	await clock.advance(2999);
	expect(breaker.state).toBe('probing');

	await clock.advance(1);
	await earlier;
	await clock.advance(9000);

	expect(states).toEqual(['probing', 'closed', 'closed']);
});

it('stays open if nothing is left for those that wait', async () => {
	await fail(5);
	const probe = call(FAILED, 1000);
	const waiting = breaker.call(async () => await Promise.resolve());
	await clock.advance(1000);
	await Promise.all([probe, waiting]);

	expect(breaker.state).toBe('probing');
});

it('lets the next one probe after an exception', async () => {
	await fail(5);
	await expect(breaker.call(async () => await Promise.reject(new Error('Bug')))).rejects.toThrow(
		'Bug',
	);

	expect(await call()).toBe('probing');
});
