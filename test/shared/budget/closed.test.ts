import { Budget, type Place } from '../../../shared/budget/budget';
import { describeClosed } from '../../../shared/budget/closed';
import { Lane } from '../../../shared/budget/lane';

const accept = (place: Place) => place.accept();

/** The budget of an account that may send this many requests a minute, and what becomes of them. */
async function budgetAfter(outcomes: Array<(place: Place) => void>): Promise<Budget> {
	const budget = new Budget({ now: () => 0, sleep: async () => await Promise.resolve() });
	const requestsPerMinute = outcomes.length;
	for (const end of outcomes) {
		const place = await budget.enter({ lane: new Lane(), requestsPerMinute, maxWaitMs: 0 });
		end(place as Place);
	}
	return budget;
}

it.each<[string, Array<(place: Place) => void>, string, RegExp]>([
	[
		'has sent all that it may',
		[accept, accept],
		'60 seconds',
		/^The account may send 2 requests a minute, shared by all workflows\./,
	],
	[
		'has all its requests under way, so that none can be sent for a minute at least',
		[() => {}],
		'60 seconds',
		/^The account may send 1 request a minute/,
	],
	[
		'was refused by the service',
		[accept, (place) => place.refuse(300_000)],
		'5 minutes',
		/^The service refused requests because there were too many/,
	],
])('says when an account may send again that %s', async (_case, outcomes, wait, description) => {
	expect(describeClosed(await budgetAfter(outcomes), new Lane())).toEqual({
		message: `The account has reached its limit and may send again in ${wait}`,
		description: expect.stringMatching(description) as unknown,
		cause: 'closed',
	});
});

it('says that the service refused requests also while the request that was sent after it is unanswered', async () => {
	let now = 0;
	const budget = new Budget({ now: () => now, sleep: async () => await Promise.resolve() });
	const enter = async () =>
		await budget.enter({ lane: new Lane(), requestsPerMinute: Infinity, maxWaitMs: 0 });
	(await enter())?.refuse(1000);
	now = 2000;
	await enter();

	expect(describeClosed(budget, new Lane()).description).toMatch(/^The service refused requests/);
});
