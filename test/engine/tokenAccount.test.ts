import type { IDataObject } from 'n8n-workflow';
import { jumpingTime } from '../../testbed/engine/jumpingTime';
import { allRead, APART, itemsApart, rigPerTest, type Rig } from '../../testbed/engine/rig';

describe('an account', () => {
	let rig: Rig;

	rigPerTest((started) => {
		rig = started;
	});

	it('an external secret as password works, and is stored nowhere', async () => {
		const first = rig.setCredential();
		const { secrets, stored } = rig.engine.credentials;
		const REFERENCES = { username: '={{ $secrets.user }}', password: '={{ $secrets.pass }}' };
		secrets.set('user', first.username).set('pass', first.password);
		Object.assign(rig.credential, REFERENCES);
		expect(allRead([await rig.run()])).toBe(true);
		expect(stored.get('account')).toMatchObject(REFERENCES);
		expect(stored.get('account')).not.toHaveProperty('accessToken');

		rig.emulator.settings.accounts[first.username] = 'rotated';
		secrets.set('pass', 'rotated');
		expect(allRead([await rig.run()])).toBe(true);
		expect(rig.emulator.journal.of('token').map(({ body }) => JSON.parse(body) as unknown)).toEqual(
			[first, { ...first, password: 'rotated' }],
		);
	});

	it.each([2, 500])(
		'an account that differs for the last of %i items is refused before any request',
		async (count) => {
			const { username } = rig.setCredential();
			rig.credential.username = '={{ $json.user }}';
			const users = [...Array.from({ length: count - 1 }, () => username), 'somebody else'];
			const input = users.map((user) => ({ user }));

			const { error } = await rig.run({}, { input });

			expect(error?.message).toBe(
				`The credential has other values for the last input item (${count}) than for the first one`,
			);
			expect(rig.emulator.journal.requests).toEqual([]);
		},
	);

	it('expressions that give the same account for all items work', async () => {
		const { username } = rig.setCredential();
		rig.credential.username = '={{ $json.user }}';
		const input = Array.from({ length: 50 }, () => ({ user: username }));

		expect(allRead([await rig.run({}, { input })])).toBe(true);
	});

	describe('in n8n 1, which writes the whole credential back after a login', () => {
		const { until } = jumpingTime();

		it('an edit of the credential during an execution stays, although the execution logs in again', async () => {
			rig.engine.credentials.writesAll = true;
			rig.setCredential({ requestsPerMinute: 2 });
			Object.assign(rig.emulator.tokens.settings, { lifetimeSeconds: 30 });
			const edited = '1001 Edited during the run';
			setTimeout(() => Object.assign(rig.credential, { knownSites: edited }), 20_000);

			const input = itemsApart(2);
			expect(allRead([await until(rig.run(APART, { input }))])).toBe(true);

			expect(rig.emulator.journal.count('token')).toBe(2);
			expect(rig.credential).toMatchObject({ knownSites: edited });
			Object.assign(rig.emulator.tokens.settings, { lifetimeSeconds: 3600 });
			rig.engine.credentials.writesAll = false;
		});
	});
});

describe('two accounts at two services', () => {
	const IDS = ['one', 'two'];
	const LATENCY = { latencyMs: 3, latencyJitter: 0.9 };
	let rig: Rig;
	let other: Rig;

	rigPerTest((started) => {
		rig = started;
	}, LATENCY);
	rigPerTest((started) => {
		other = started;
	}, LATENCY);

	/** Runs both credentials at once. Each request names the account that it is for. */
	const runBoth = async (parametersFor: (baseUrl: string) => IDataObject, type?: string) => {
		const runs = IDS.map(async (credentialId) => {
			const { baseUrl, username } = rig.engine.credentials.stored.get(credentialId) ?? {};
			const input = Array.from({ length: 5 }, (_, index) => ({ part: `${index}of${username}` }));
			const settings = { input, credentialId, ...(type && { type }) };
			return await rig.run(parametersFor(String(baseUrl)), settings);
		});
		return await Promise.all(runs);
	};
	const runNodes = async () => await runBoth(() => APART);
	const sendRequests = async () =>
		await runBoth(
			(baseUrl) => ({ url: `=${baseUrl}/meta/sites/1001?{{ $json.part }}` }),
			'n8n-nodes-base.httpRequest',
		);

	it('each request has the token of its account, with no needless login, whatever is edited and revoked', async () => {
		const { stored } = rig.engine.credentials;
		const accounts = [rig, other].map((each) => ({
			...each.setCredential(),
			baseUrl: each.emulator.baseUrl,
		}));
		/** The two credentials exchange their accounts. */
		const edit = () => {
			accounts.reverse();
			for (const [index, id] of IDS.entries())
				stored.set(id, { ...stored.get(id), ...accounts[index] });
		};

		edit();
		expect(allRead(await runNodes())).toBe(true);
		edit();
		await sendRequests();
		expect(allRead(await runNodes())).toBe(true);
		for (const { emulator } of [rig, other]) emulator.tokens.revokeAll();
		edit();
		expect(allRead(await runNodes())).toBe(true);
		await sendRequests();

		const requests = [rig, other].flatMap(({ emulator }) => emulator.journal.requests);
		const sites = requests.filter(({ route }) => route === 'site');
		expect(sites.filter(({ url, account }) => !url.endsWith(`of${account}`))).toEqual([]);
		for (const { username } of accounts) {
			const logins = requests.filter(
				({ route, account }) => route === 'token' && account === username,
			);
			expect(logins).toHaveLength(2);
		}
	});
});
