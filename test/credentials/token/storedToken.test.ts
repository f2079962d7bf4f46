import fc from 'fast-check';
import { storedToken, toStoredFields } from '../../../credentials/token/storedToken';
import type { Account } from '../../../shared/account/accounts';
import type { Connection } from '../../../shared/connection';

const accountOf = (connection: Partial<Connection>) => ({ connection }) as Account;
const fieldsFor = (connection: Partial<Connection>, value: string) =>
	toStoredFields(connection as Connection, { value, issuedAt: 1 });

const ANNE = { baseUrl: 'https://a.example.com', username: 'anne', password: 'p' };

const connections = fc.record({
	baseUrl: fc.constantFrom(
		'https://a.example.com',
		'https://a.example.com/v1',
		'https://b.example.com',
	),
	username: fc.constantFrom('anne', 'bjørn', '"anne"', 'anne","'),
	password: fc.string({ maxLength: 3 }),
});
const tokens = fc.record(
	{ value: fc.stringMatching(/^[\w.-]+$/), issuedAt: fc.nat(), endsAt: fc.nat() },
	{ requiredKeys: ['value', 'issuedAt'] },
);

describe('a stored token', () => {
	it('is given back to the account it was issued to, and to no other one', () => {
		fc.assert(
			fc.property(connections, connections, tokens, (owner, other, issued) => {
				const fields = toStoredFields(owner as Connection, issued);
				const isSame = JSON.stringify(owner) === JSON.stringify(other);

				expect(storedToken(accountOf(owner), fields)).toEqual(issued);
				expect(storedToken(accountOf(other), fields)).toEqual(isSame ? issued : undefined);
			}),
		);
	});

	it.each([{ baseUrl: 'https://b.example.com' }, { username: 'bjørn' }, { password: 'other' }])(
		'is not given to an account of which only %j is another',
		(difference) => {
			const fields = fieldsFor(ANNE, 'one');

			expect(storedToken(accountOf({ ...ANNE, ...difference }), fields)).toBeUndefined();
		},
	);

	it.each([
		{},
		{ accessToken: '' },
		{ accessToken: 7 },
		{ accessToken: 'one' },
		{ accessToken: 'one', tokenBinding: '' },
		{ accessToken: 'one', tokenBinding: '{"account":' },
		{ accessToken: 'one', tokenBinding: 'null' },
		{ accessToken: 'one', tokenBinding: '{"account":"x"}' },
		{ ...fieldsFor(ANNE, 'one'), accessToken: 'two' },
	])('is none in %j', (fields) => {
		expect(storedToken(accountOf(ANNE), fields)).toBeUndefined();
	});

	it('is found also when n8n has stored another one since', () => {
		const account = accountOf(ANNE);
		const [first, second] = [fieldsFor(ANNE, 'first'), fieldsFor(ANNE, 'second')];
		const stored = [first, first, second, {}, { ...second, accessToken: 'first' }, second];

		expect(stored.map((fields) => storedToken(account, fields)?.value)).toEqual([
			...['first', 'first', 'second', undefined, undefined, 'second'],
		]);
		expect(storedToken(account, { ...second, tokenBinding: '' })).toBeUndefined();
	});
});
