import { accountOf } from '../../account/accounts';
import type { Budget } from '../../account/limit/budget';
import { Queue } from '../../account/limit/queue';
import type { Connection } from '../../account/connection';
import { jumpingTime } from '../../testbed/engine/jumpingTime';

const CONNECTION: Connection = {
	baseUrl: 'https://a.example.com/v1',
	origin: 'https://a.example.com',
	username: 'anne',
	password: 'secret',
	versionHeader: 'Service-Version',
	tokenVersion: '2025-01-01',
	dataVersion: '2023-01-01',
	requestsPerMinute: 100,
	allowUnauthorizedCerts: false,
};

const { wait } = jumpingTime();

const accountWith = (edit: Partial<Connection>) => accountOf({ ...CONNECTION, ...edit });

it.each<[Partial<Connection>, 'nothing' | 'tokens' | 'budget and tokens']>([
	[{ origin: 'https://b.example.com', baseUrl: 'https://b.example.com/v1' }, 'budget and tokens'],
	[{ username: 'bjørn' }, 'budget and tokens'],
	[{ baseUrl: 'https://a.example.com/v2' }, 'tokens'],
	[{ password: 'other' }, 'tokens'],
	[{ versionHeader: 'Other-Version' }, 'tokens'],
	[{ tokenVersion: '2026-01-01' }, 'tokens'],
	[{ allowUnauthorizedCerts: true }, 'tokens'],
	[{ dataVersion: '2026-01-01' }, 'nothing'],
	[{ requestsPerMinute: 7 }, 'nothing'],
])('an edit of the credential to %j applies at once and changes %s', (edit, changed) => {
	const before = accountOf(CONNECTION);
	const after = accountWith(edit);

	expect(after.connection).toEqual({ ...CONNECTION, ...edit });
	expect(after.tokens === before.tokens).toBe(changed === 'nothing');
	expect(after.budget === before.budget).toBe(changed !== 'budget and tokens');
});

it('the number of the credential that was used last counts, also for what waits', async () => {
	const numbered = (requestsPerMinute: number) =>
		accountWith({ username: 'numbered', requestsPerMinute }).budget;
	const queue = new Queue();
	const budget = numbered(1);
	const place = await budget.enter({ queue });
	if (place) budget.accept(place);
	const waiting = budget.enter({ queue });

	expect(numbered(2).requestsPerMinute).toBe(2);

	await expect(waiting).resolves.toBeDefined();
	expect(numbered(1).requestsPerMinute).toBe(1);
});

it('the last hundred accounts are remembered, and the last ten ways to log in to each', async () => {
	const budgetOf = (index: number) => accountWith({ username: `user ${index}` }).budget;
	const aMinutePasses = async () => await wait(60_001);
	await aMinutePasses();
	const budgets = Array.from({ length: 100 }, (_, index) => budgetOf(index));
	await aMinutePasses();
	expect(budgetOf(0)).toBe(budgets[0]);
	budgetOf(100);
	expect(budgetOf(0)).toBe(budgets[0]);
	expect(budgetOf(1)).not.toBe(budgets[1]);

	const tokensWith = (index: number) => accountWith({ password: `${index}` }).tokens;
	const tokens = Array.from({ length: 11 }, (_, index) => tokensWith(index));
	expect(tokensWith(1)).toBe(tokens[1]);
	expect(tokensWith(0)).not.toBe(tokens[0]);
});

it('more are remembered as long as their budgets count requests, or an execution has just begun with them', async () => {
	const budgetOf = (name: string) => accountWith({ username: name }).budget;
	const busy: Budget[] = [];
	for (let index = 0; index < 101; index++) {
		const budget = budgetOf(`busy ${index}`);
		await budget.enter({ queue: budget.others });
		busy.push(budget);
	}

	// Executions that have looked up their account, and have not sent a request yet.
	const starting = [budgetOf('one'), budgetOf('another')];
	expect(budgetOf('one')).toBe(starting[0]);
	expect(budgetOf('another')).toBe(starting[1]);
	expect(busy.every((budget, index) => budgetOf(`busy ${index}`) === budget)).toBe(true);
});
