import type { Account } from '../../../../nodes/Aquaculture/account/account';
import type { Settings } from '../../../../nodes/Aquaculture/account/settings';
import { storedToken, toStoredFields } from '../../../../nodes/Aquaculture/account/storedToken';
import type { IssuedToken } from '../../../../nodes/Aquaculture/account/tokenSource';

const accountOf = (settings: Partial<Settings>) => ({ settings }) as Account;
const fieldsFor = (settings: Partial<Settings>, value: string) =>
	toStoredFields(accountOf(settings), { value, issuedAt: 1 });

const ANNE = { baseUrl: 'https://a.example.com', username: 'anne', password: 'p' };

it.each<IssuedToken>([
	{ value: 'one', issuedAt: 1 },
	{ value: 'one', issuedAt: 1, endsAt: 2 },
])('a stored token is given back to the account that it was issued to: %j', (issued) => {
	expect(storedToken(accountOf(ANNE), toStoredFields(accountOf(ANNE), issued))).toEqual(issued);
});

it.each([
	{ baseUrl: 'https://b.example.com' },
	{ username: 'bjørn' },
	{ password: 'other' },
	{ username: 'ann', password: 'ep' },
])('a stored token is not given to an account of which only %j is another', (difference) => {
	const fields = fieldsFor(ANNE, 'one');

	expect(storedToken(accountOf({ ...ANNE, ...difference }), fields)).toBeUndefined();
});

it.each([
	{},
	{ accessToken: '' },
	{ accessToken: 7 },
	{ accessToken: 'one' },
	{ accessToken: 'one', tokenBinding: '' },
	{ accessToken: 'one', tokenBinding: '{"fingerprint":' },
	{ accessToken: 'one', tokenBinding: 'null' },
	{ accessToken: 'one', tokenBinding: '{"fingerprint":"x"}' },
	{ accessToken: 'one', tokenBinding: '{"fingerprint":"x","issuedAt":1}' },
	{ ...fieldsFor(ANNE, 'one'), accessToken: 'two' },
])('a stored token is none in %j', (fields) => {
	expect(storedToken(accountOf(ANNE), fields)).toBeUndefined();
});
