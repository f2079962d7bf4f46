import { Cancellation } from '../../../nodes/Aquaculture/transport/cancellation';

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
});
