import { CircuitBreaker } from '../../../../nodes/Aquaculture/fetching/circuitBreaker';
import type { Failure } from '../../../../nodes/Aquaculture/messages/failure';
import { flushPromises, VirtualClock } from '../../../../testbed/simulation/virtualClock';

const FAILED: Failure = { message: 'Down', description: '', isTransient: true };

let clock: VirtualClock;
let breaker: CircuitBreaker;

beforeEach(() => {
	clock = new VirtualClock();
	breaker = new CircuitBreaker();
});

type Sent = 'next' | 'none' | number;

/** Fetches a document for this time. @returns which one. */
async function call(failure?: Failure, ms = 0): Promise<Sent> {
	let sent: Sent = 'none';
	await breaker.call(async (probeAt) => {
		sent = probeAt ?? 'next';
		if (ms > 0) await clock.sleep(ms);
		breaker.record(failure, probeAt !== undefined);
	});
	return sent;
}

async function fail(times: number): Promise<Sent[]> {
	const sent: Sent[] = [];
	for (let count = 0; count < times; count++) sent.push(await call(FAILED));
	return sent;
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

it('probes with the last document, the middle one and three others, then gives up', async () => {
	expect(await fail(9)).toEqual([...Array<Sent>(5).fill('next'), 1, 1 / 2, 3 / 4, 1 / 4]);
	expect(breaker.state).toBe('probing');

	await fail(1);
	expect(breaker.state).toBe('givenUp');
});

it('begins again after a probe is answered', async () => {
	await fail(9);
	await call();
	expect(breaker.state).toBe('closed');

	expect((await fail(6)).slice(4)).toEqual(['next', 1]);
});

it('takes no document for a probe that was in flight before', async () => {
	const inFlight = Array.from({ length: 15 }, async () => await call(FAILED, 1000));
	await fail(5);
	await clock.advance(1000);
	await Promise.all(inFlight);

	expect(breaker.state).toBe('probing');
});

it('lets one document at a time probe, then the others if any was answered meanwhile', async () => {
	const earlier = call(undefined, 3000);
	await fail(5);
	const sent: Sent[] = [];
	const calls = Array.from({ length: 3 }, async () => sent.push(await call(FAILED, 9000)));
	await flushPromises();
	await clock.advance(2999);
	expect(breaker.state).toBe('probing');

	await clock.advance(1);
	await earlier;
	await clock.advance(6000);
	await clock.advance(9000);
	await Promise.all(calls);

	expect(sent).toEqual([1, 'next', 'next']);
});

it('lets the next one probe if none is left, or after an exception', async () => {
	await fail(5);
	await breaker.call(async () => await Promise.resolve());
	await expect(breaker.call(async () => await Promise.reject(new Error('Bug')))).rejects.toThrow(
		'Bug',
	);

	expect(await call()).toBe(1);
});
