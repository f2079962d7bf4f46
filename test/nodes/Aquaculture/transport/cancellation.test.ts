import { Cancellation } from '../../../../nodes/Aquaculture/transport/cancellation';

describe('Cancellation', () => {
	it('ends the requests that are under way, and no other', () => {
		const controller = new AbortController();
		const cancellation = new Cancellation(controller.signal);
		const ended: string[] = [];
		const isOver = cancellation.register(() => ended.push('over'));
		cancellation.register(() => ended.push('under way'));
		isOver();

		controller.abort();
		cancellation.register(() => ended.push('late'));

		expect(ended).toEqual(['under way', 'late']);
	});

	it('ends at once where it has happened before', () => {
		const ended: string[] = [];

		new Cancellation(AbortSignal.abort()).register(() => ended.push('late'));

		expect(ended).toEqual(['late']);
	});

	it('ends a pause that is under way, and those that are begun later', async () => {
		const cancellation = new Cancellation();
		const pauses = [cancellation.pause(2 ** 31 - 1)];

		cancellation.cancel();
		pauses.push(cancellation.pause(2 ** 31 - 1));

		await Promise.all(pauses);
		expect(cancellation.isCancelled).toBe(true);
	});

	it('lets other things happen during a pause, even where no time is to pass', async () => {
		let hasHappened = false;
		setTimeout(() => (hasHappened = true));

		await new Cancellation().pause(0);

		expect(hasHappened).toBe(true);
	});

	it('hands out a controller again only where nothing can be under way, and aborts it in the end', () => {
		const cancellation = new Cancellation();
		const [first, second] = [cancellation.controller(), cancellation.controller()];
		expect(second).not.toBe(first);

		cancellation.release(first, { isClean: false });
		expect(first.signal.aborted).toBe(true);
		cancellation.release(second, { isClean: true });
		expect(second.signal.aborted).toBe(false);
		expect(cancellation.controller()).toBe(second);
		cancellation.release(second, { isClean: true });
		cancellation.cancel();
		expect(second.signal.aborted).toBe(true);

		const third = new AbortController();
		cancellation.release(third, { isClean: true });
		expect(third.signal.aborted).toBe(true);
	});

	it('leaves no listener behind, however many executions of the node share the signal', () => {
		const { signal } = new AbortController();
		const added = jest.spyOn(signal, 'addEventListener');
		const removed = jest.spyOn(signal, 'removeEventListener');

		for (let round = 0; round < 30; round++) new Cancellation(signal).cancel();

		expect([added.mock.calls.length, removed.mock.calls.length]).toEqual([30, 30]);
		expect(removed.mock.calls).toEqual(
			added.mock.calls.map(([event, listener]) => [event, listener]),
		);
	});
});
