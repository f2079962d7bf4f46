import type { IHttpRequestHelper } from 'n8n-workflow';
import { accountOf } from '../../../../nodes/Aquaculture/account/account';
import { Queue } from '../../../../nodes/Aquaculture/account/rateLimiter';
import { checkSettings, type Settings } from '../../../../nodes/Aquaculture/account/settings';
import { obtainToken, signRequest } from '../../../../nodes/Aquaculture/account/n8nHooks';
import { toStoredFields } from '../../../../nodes/Aquaculture/account/storedToken';
import { settled } from '../../../../testbed/simulation/virtualClock';
import { MINUTE_MS } from '../../../../nodes/Aquaculture/messages/duration';

/** What an HTTP Request node asks for, with a token that is stored in the credential of an account of its own. */
function request(username: string) {
	const fields = {
		baseUrl: 'https://data.example.com',
		username,
		password: 'password',
		versionHeader: 'Service-Version',
		tokenVersion: '2025-01-01',
		dataVersion: '2023-01-01',
		requestsPerMinute: 10,
	};
	const account = accountOf(checkSettings(fields).value as Settings);
	const token = toStoredFields(account, { value: 'stored', issuedAt: Date.now() });
	const credential = { ...fields, ...token };
	const sign = async () =>
		await signRequest(credential, { url: 'https://data.example.com/data/feed' });
	const send = async () => {
		const place = await account.limit.enter({ queue: new Queue('execution', 10) });
		if (!place) throw new Error('There is no place');
		return place;
	};
	return { account, credential, sign, send };
}

it('a request of an HTTP Request node does not wait for longer than five minutes, and says so again if n8n asks for a token', async () => {
	const { account, credential, sign, send } = request('patient');
	account.limit.refuse(await send(), 6 * MINUTE_MS);
	const said = 'The account has reached its limit and may send again in 6 minutes';

	await expect(sign()).rejects.toThrow(said);
	const helpers = {} as IHttpRequestHelper['helpers'];
	await expect(obtainToken(helpers, credential)).rejects.toThrow(said);
});

it('a request whose token is given up while it waits is not sent, and leaves its place to others', async () => {
	const { account, sign, send } = request('outdated');
	const place = await send();
	const signing = expect(sign()).rejects.toMatchObject({ response: { status: 401 } });
	await settled();

	account.tokens.noteCredentialTest();
	account.limit.accept(place);

	await signing;
	const others = Array.from({ length: 9 }, async () => account.limit.accept(await send()));
	await expect(Promise.all(others)).resolves.toHaveLength(9);
});
