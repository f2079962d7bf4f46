import type { Account } from '../../account/accounts';
import { Budget } from '../../account/limit/budget';
import { Queue } from '../../account/limit/queue';
import { TokenChoice } from '../../account/tokenChoice';
import { takeTurn } from '../../account/turn';
import { checkConnection, type Connection } from '../../account/connection';
import { jumpingTime } from '../../testbed/engine/jumpingTime';
import { credentialFor } from '../credentials/token/credentialFor';

const credential = credentialFor('https://data.example.com', 'staff', 'Laks & ørret');
const connection = checkConnection(credential).value as Connection;

const { until } = jumpingTime();

const newAccount = (): Account => {
	return { connection, budget: new Budget(), tokens: new TokenChoice() };
};
const hang = async () => await new Promise<never>(() => {});

it.each(['of its own', 'of another request'])(
	'a request waits for a login %s no longer than it may wait, and says what did not answer',
	async (whose) => {
		const account = newAccount();
		const beganAt = performance.now();
		const endsAt = beganAt + 10_000;
		if (whose === 'of another request') {
			void takeTurn(account, { entry: { queue: new Queue() }, credential, logIn: hang });
			await until(Promise.resolve());
		}

		const turn = await until(
			takeTurn(account, { entry: { queue: new Queue({ endsAt }) }, credential, logIn: hang }),
		);

		expect(turn).toMatchObject({
			missing: 'token',
			failure: { message: 'The login took longer than 10 seconds' },
		});
		expect(performance.now() - beganAt).toBeLessThan(10_100);
	},
);

it('the place of a login that throws is not lost', async () => {
	const account = newAccount();
	account.budget.requestsPerMinute = 1;
	const entry = { queue: new Queue(), endsAt: performance.now() + 1000 };
	const logIn = async () => await Promise.reject(new Error('Not with n8n'));

	await expect(takeTurn(account, { entry, credential, logIn })).rejects.toThrow('Not with n8n');

	expect(account.budget.isIdle()).toBe(true);
	await expect(account.budget.enter(entry)).resolves.toBeDefined();
});
