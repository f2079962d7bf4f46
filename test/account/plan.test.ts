import { Budget } from '../../account/limit/budget';
import { describeNoPlace } from '../../account/limit/plan';
import { Queue } from '../../account/limit/queue';
import type { Place } from '../../account/limit/queue';
import { MINUTE_MS, SECOND_MS } from '../../texts/duration';
import { VirtualClock } from '../../testbed/simulation/virtualClock';

type End = (budget: Budget, place: Place) => void;
const accept: End = (budget, place) => budget.accept(place);
const refuse: End = (budget, place) => budget.refuse(place, 5 * MINUTE_MS);
const leave: End = () => {};

it.each<[string, End[], string, RegExp]>([
	[
		'has sent everything that it may',
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
		/^The service refused requests because there were too many, so nothing is sent for now\./,
	],
])(
	'describeNoPlace says when an account may send again that %s',
	async (_case, ends, wait, description) => {
		const budget = new Budget(new VirtualClock());
		budget.requestsPerMinute = ends.length;
		for (const end of ends) end(budget, (await budget.enter({ queue: new Queue() })) as Place);

		expect(describeNoPlace(budget)).toEqual({
			message: `The account has reached its limit and may send again in ${wait}`,
			description: expect.stringMatching(description) as unknown,
			cause: 'noPlace',
		});
	},
);

it('describeNoPlace says that an account sends fewer requests after a refusal', async () => {
	const clock = new VirtualClock();
	const budget = new Budget(clock);
	const place = async () => (await budget.enter({ queue: new Queue() })) as Place;
	budget.requestsPerMinute = 3;
	budget.accept(await place());
	budget.refuse(await place(), SECOND_MS);
	await clock.pass(SECOND_MS);
	budget.accept(await place());
	budget.requestsPerMinute = 1;

	expect(describeNoPlace(budget).description).toMatch(
		/^The service refused requests because there were too many, so fewer are sent for a while\./,
	);
});
