import { Budget, type Place } from '../../../shared/budget/budget';
import { describeClosed } from '../../../shared/budget/closed';
import { Lane } from '../../../shared/budget/lane';
import { VirtualClock } from '../virtualClock';

const accept = (place: Place) => place.accept();
const refuse = (place: Place) => place.refuse(300_000);
const leave = () => {};

it.each<[string, Array<(place: Place) => void>, string, RegExp]>([
	[
		'has sent all that it may',
		[accept, accept],
		'60 seconds',
		/^The account may send 2 requests a minute, shared by all workflows\./,
	],
	[
		'has all its requests under way, so that none can be sent for a minute at least',
		[leave],
		'60 seconds',
		/^The account may send 1 request a minute/,
	],
	[
		'was refused by the service',
		[accept, refuse],
		'5 minutes',
		/^The service refused requests because there were too many/,
	],
])('says when an account may send again that %s', async (_case, ends, wait, description) => {
	const budget = new Budget(new VirtualClock());
	const entry = { lane: new Lane(), requestsPerMinute: ends.length, maxWaitMs: 0 };
	for (const end of ends) end((await budget.enter(entry)) as Place);

	expect(describeClosed(budget, new Lane())).toEqual({
		message: `The account has reached its limit and may send again in ${wait}`,
		description: expect.stringMatching(description) as unknown,
		cause: 'closed',
	});
});

it('says that the service refused requests also while the request that was sent after it is unanswered', async () => {
	const clock = new VirtualClock();
	const budget = new Budget(clock);
	const entry = { lane: new Lane(), requestsPerMinute: Infinity, maxWaitMs: 0 };
	(await budget.enter(entry))?.refuse(1000);
	await clock.pass(2000);
	await budget.enter(entry);

	expect(describeClosed(budget, new Lane()).description).toMatch(/^The service refused requests/);
});
