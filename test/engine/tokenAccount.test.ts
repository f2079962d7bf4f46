import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { Emulator } from '../../emulator/server';
import { allRead, APART, Rig, shareRig } from '../../testbed/engine/rig';

describe('an account', () => {
	let rig: Rig;

	shareRig((started) => {
		rig = started;
	});

	it('an account whose password is an external secret works, and nothing of it is frozen', async () => {
		const first = rig.setCredential();
		const { secrets, stored } = rig.engine.credentials;
		const REFERENCES = { username: '={{ $secrets.user }}', password: '={{ $secrets.pass }}' };
		secrets.set('user', first.username).set('pass', first.password);
		Object.assign(rig.credential, REFERENCES);
		expect(allRead([await rig.run()])).toBe(true);
		expect(stored.get('account')).toMatchObject({
			...REFERENCES,
			accessToken: expect.stringMatching(/\S/) as unknown,
		});

		rig.emulator.settings.accounts[first.username] = 'rotated';
		secrets.set('pass', 'rotated');
		expect(allRead([await rig.run()])).toBe(true);
		expect(rig.emulator.journal.of('token').map(({ body }) => JSON.parse(body) as unknown)).toEqual(
			[first, { ...first, password: 'rotated' }],
		);
	});
});

describe('whatever happens to two accounts at two services', () => {
	const happenings = fc.constantFrom('node', 'node', 'HTTP Request', 'edit', 'revoke');
	const histories = fc.sample(fc.array(happenings, { minLength: 4, maxLength: 10 }), {
		numRuns: 8,
		seed: 20_250_101,
	});
	const IDS = ['one', 'two'];
	let rig: Rig;
	let other: Rig;
	let emulators: Emulator[];

	beforeAll(async () => {
		rig = await Rig.start({ latencyMs: 3, latencyJitter: 0.9 });
		other = await Rig.start({ latencyMs: 3, latencyJitter: 0.9 });
		emulators = [rig.emulator, other.emulator];
	});
	beforeEach(() => emulators.forEach((emulator) => emulator.reset()));
	afterAll(async () => {
		await rig.stop();
		await other.stop();
	});

	const requestsOf = (route: 'token' | 'site') =>
		emulators.flatMap(({ journal }) => journal.of(route));

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

	it.each(histories.map((history) => [history]))(
		'each request has a token of its own account, and no login is made without need: %j',
		async (history) => {
			const { credentials } = rig.engine;
			const accounts = [rig, other].map((each) => ({
				...each.setCredential(),
				baseUrl: each.emulator.baseUrl,
			}));
			const edit = () => {
				accounts.reverse();
				for (const [index, id] of IDS.entries()) {
					credentials.stored.set(id, { ...credentials.stored.get(id), ...accounts[index] });
				}
			};
			let revocations = 0;
			let stores = 0;

			edit();
			for (const happening of history) {
				switch (happening) {
					case 'node':
						stores -= credentials.writes;
						expect(allRead(await runBoth(() => APART))).toBe(true);
						stores += credentials.writes;
						break;
					case 'HTTP Request': {
						const outputs = await runBoth(
							(baseUrl) => ({ url: `=${baseUrl}/meta/sites/1001?{{ $json.part }}` }),
							'n8n-nodes-base.httpRequest',
						);
						const failed = outputs.flatMap(({ error }) => error?.httpCode ?? []);
						expect(failed).toEqual(revocations === 0 ? [] : failed.map(() => '401'));
						break;
					}
					case 'edit':
						edit();
						break;
					case 'revoke':
						emulators.forEach(({ tokens }) => tokens.revokeAll());
						revocations += 1;
						break;
				}
			}
			const others = requestsOf('site').filter(({ url, account }) => !url.endsWith(`of${account}`));
			expect(others).toEqual([]);
			for (const { username } of accounts) {
				const logins = requestsOf('token').filter(({ account }) => account === username);
				expect(logins.length).toBeLessThanOrEqual(1 + revocations);
			}
			// The node gives n8n each token once.
			const issued = requestsOf('token').filter((login) => login.issued);
			expect(stores).toBeLessThanOrEqual(issued.length);
		},
	);
});
