import { accountOf } from '../../../shared/account/accounts';
import type { Connection } from '../../../shared/connection';

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

describe('an edit of the credential', () => {
	it.each<[Partial<Connection>, 'tokens' | 'budget' | 'budget and tokens']>([
		[{ origin: 'https://b.example.com', baseUrl: 'https://b.example.com/v1' }, 'budget and tokens'],
		[{ username: 'bjørn' }, 'budget and tokens'],
		[{ baseUrl: 'https://a.example.com/v2' }, 'tokens'],
		[{ password: 'other' }, 'tokens'],
		[{ versionHeader: 'Other-Version' }, 'tokens'],
		[{ tokenVersion: '2026-01-01' }, 'tokens'],
		[{ allowUnauthorizedCerts: true }, 'tokens'],
	])('to %j begins with other %s', (edit, others) => {
		const before = accountOf(CONNECTION);
		const after = accountOf({ ...CONNECTION, ...edit });

		expect(after.tokens).not.toBe(before.tokens);
		expect(after.budget === before.budget).toBe(others === 'tokens');
	});

	it.each<Partial<Connection>>([{ dataVersion: '2026-01-01' }, { requestsPerMinute: 7 }])(
		'to %j keeps what is known, and takes effect at once',
		(edit) => {
			const { budget, tokens } = accountOf(CONNECTION);

			expect(accountOf({ ...CONNECTION, ...edit })).toEqual({
				connection: { ...CONNECTION, ...edit },
				budget,
				tokens,
			});
			expect(accountOf({ ...CONNECTION, ...edit }).tokens).toBe(tokens);
		},
	);
});

it('a hundred accounts are remembered, and ten ways to log in to each', () => {
	const nameOf = (index: number) => accountOf({ ...CONNECTION, username: `user ${index}` });
	const first = Array.from({ length: 100 }, (_, index) => nameOf(index));
	expect(nameOf(0).budget).toBe(first[0]?.budget);
	nameOf(100);
	expect(nameOf(0).budget).toBe(first[0]?.budget);
	expect(nameOf(1).budget).not.toBe(first[1]?.budget);

	const withPassword = (index: number) => accountOf({ ...CONNECTION, password: `${index}` });
	const tokens = Array.from({ length: 11 }, (_, index) => withPassword(index).tokens);
	expect(withPassword(1).tokens).toBe(tokens[1]);
	expect(withPassword(0).tokens).not.toBe(tokens[0]);
});

it('an account is kept as long as its budget counts requests', async () => {
	const { budget } = accountOf({ ...CONNECTION, username: 'busy' });
	const { others: lane } = budget;
	await budget.enter({ lane, requestsPerMinute: 100, maxWaitMs: 0 });
	for (let index = 0; index < 200; index++) accountOf({ ...CONNECTION, username: `more ${index}` });

	expect(accountOf({ ...CONNECTION, username: 'busy' }).budget).toBe(budget);
});
