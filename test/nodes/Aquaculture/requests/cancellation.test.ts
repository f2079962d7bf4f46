import { getEventListeners } from 'node:events';
import { Cancellation } from '../../../../nodes/Aquaculture/requests/cancellation';
import { jumpingTime } from '../../../../testbed/engine/jumpingTime';

const LONG_MS = 2 ** 31 - 1;

it('Cancellation aborts what is under way and what is begun later, and nothing that is over', () => {
	const controller = new AbortController();
	const cancellation = new Cancellation(controller.signal);
	const [over, underWay] = [cancellation.begin(), cancellation.begin()];
	over.close();

	controller.abort();
	const late = cancellation.begin();

	expect([over, underWay, late].map(({ signal }) => signal.aborted)).toEqual([false, true, true]);
	expect(new Cancellation(AbortSignal.abort()).begin().signal.aborted).toBe(true);
});

describe('on a clock that jumps', () => {
	const { wait } = jumpingTime();

	it('Cancellation aborts each when its own time is over, and not before', async () => {
		const cancellation = new Cancellation();
		const [closed, first, second] = [1, 2, 3].map(() => cancellation.begin());
		const aborted = () => [closed, first, second].map((scope) => scope?.signal.aborted);
		closed?.abortAfter(10);
		second?.abortAfter(LONG_MS);
		first?.abortAfter(59.5);
		closed?.close();

		await wait(59);
		expect(aborted()).toEqual([false, false, false]);
		await wait(1);
		expect(aborted()).toEqual([false, true, false]);
		expect(cancellation.isCancelled).toBe(false);
	});
});

it('Cancellation keeps no process running for a deadline', () => {
	const before = process.getActiveResourcesInfo();

	new Cancellation().begin().abortAfter(60_000);

	expect(process.getActiveResourcesInfo()).toEqual(before);
});

it('Cancellation lets other things happen during a pause, even where no time is to pass', async () => {
	let hasHappened = false;
	setTimeout(() => (hasHappened = true));

	await new Cancellation().pause(0);

	expect(hasHappened).toBe(true);
});

it('Cancellation leaves no listener behind, since many executions of the node may share the signal', () => {
	const { signal } = new AbortController();
	const listeners = () => getEventListeners(signal, 'abort').length;

	const cancellation = new Cancellation(signal);
	expect(listeners()).toBe(1);
	cancellation.cancel();

	expect(listeners()).toBe(0);
});
