import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { allRead, APART, Rig, itemsApart } from '../../testbed/engine/rig';

const FIFTY = itemsApart(50);

describe('the token belongs to the account it was issued to', () => {
	let rig: Rig;

	const start = async (settings = {}) => {
		rig = await Rig.start(settings);
	};
	afterEach(async () => await rig.stop());

	const logins = () => rig.emulator.journal.count('token');
	const siteRequests = () => rig.emulator.journal.of('site');

	it.each(['password', 'base URL'])(
		'after an edit of the %s the next request runs as the new account',
		async (edited) => {
			await start();
			const other = await Rig.start();
			const first = rig.setCredential();
			await rig.run();
			const { accessToken: oldToken } = rig.credential;
			rig.emulator.settings.accounts[first.username] = 'changed';
			other.emulator.settings.accounts = { [first.username]: first.password };
			Object.assign(
				rig.credential,
				edited === 'password' ? { password: 'changed' } : { baseUrl: other.emulator.baseUrl },
			);
			const { journal } = edited === 'base URL' ? other.emulator : rig.emulator;
			journal.clear();

			const output = await rig.run(APART, { input: FIFTY });

			expect(allRead([output])).toBe(true);
			expect(journal.count('token')).toBe(1);
			expect(journal.requests.map(({ headers }) => headers.authorization)).not.toContain(
				`Bearer ${String(oldToken)}`,
			);
			await other.stop();
		},
	);

	it('a stored token is used by a process that has never seen it', async () => {
		await start();
		await rig.run();
		const fresh = await freshPackage(rig);

		expect(allRead([await fresh.run()])).toBe(true);
		expect(logins()).toBe(1);
	});

	it('a credential with external secrets works, and nothing of it is frozen', async () => {
		await start();
		const first = rig.setCredential();
		const { secrets, stored } = rig.engine.credentials;
		secrets.set('user', first.username).set('pass', first.password);
		Object.assign(rig.credential, {
			username: '={{ $secrets.user }}',
			password: '={{ $secrets.pass }}',
		});
		expect(allRead([await rig.run()])).toBe(true);
		expect(stored.get('account')).toMatchObject({
			username: '={{ $secrets.user }}',
			password: '={{ $secrets.pass }}',
			accessToken: expect.stringMatching(/\S/) as unknown,
		});

		rig.emulator.settings.accounts[first.username] = 'rotated';
		secrets.set('pass', 'rotated');
		expect(allRead([await rig.run()])).toBe(true);
		expect(rig.emulator.journal.of('token').map(({ body }) => JSON.parse(body) as unknown)).toEqual(
			[first, { ...first, password: 'rotated' }],
		);
	});

	it('is not obtained for a domain that the credential leaves out', async () => {
		await start();
		rig.setCredential({ allowedHttpRequestDomains: 'domains', allowedDomains: 'example.com' });

		const { error } = await rig.run();

		expect(error?.message).toMatch(
			/^'Allowed HTTP Request Domains' in the credential leaves out http:\/\/127/,
		);
		expect(rig.emulator.journal.requests).toEqual([]);
	});
});

/** The same credentials and service, with the package loaded anew, as a second process would have it. */
async function freshPackage(rig: Rig): Promise<Rig> {
	let fresh: Rig | undefined;
	await jest.isolateModulesAsync(async () => {
		const { Rig: FreshRig } = await import('../../testbed/engine/rig');
		fresh = await FreshRig.beside(rig);
	});
	return fresh as Rig;
}

describe('whatever happens to two accounts', () => {
	const happenings = fc.constantFrom('node', 'node', 'HTTP Request', 'edit', 'revoke');
	const histories = fc.sample(fc.array(happenings, { minLength: 4, maxLength: 10 }), {
		numRuns: 15,
		seed: 20_250_101,
	});
	let rig: Rig;

	beforeAll(async () => {
		rig = await Rig.start({ latencyMs: 3, latencyJitter: 0.9 });
	});
	beforeEach(() => rig.emulator.reset());
	afterAll(async () => await rig.stop());

	it.each(histories.map((history) => [history]))(
		'each request has a token of its own one, and no login is made without need: %j',
		async (history) => {
			const { journal, tokens, baseUrl } = rig.emulator;
			const { credentials } = rig.engine;
			const accounts = [rig.setCredential({}, 'one'), rig.setCredential({}, 'two')];
			let revocations = 0;
			let stores = 0;
			const runBoth = async (parameters: IDataObject, type?: string) => {
				const runs = ['one', 'two'].map(async (credentialId) => {
					const { username } = credentials.stored.get(credentialId) ?? {};
					const input = Array.from({ length: 5 }, (_, index) => ({
						part: `${index}of${username}`,
					}));
					return await rig.run(parameters, { input, credentialId, ...(type && { type }) });
				});
				return await Promise.all(runs);
			};

			for (const happening of history) {
				switch (happening) {
					case 'node':
						stores -= credentials.writes;
						expect(allRead(await runBoth(APART))).toBe(true);
						stores += credentials.writes;
						break;
					case 'HTTP Request': {
						const url = `=${baseUrl}/meta/sites/1001?{{ $json.part }}`;
						const outputs = await runBoth({ url }, 'n8n-nodes-base.httpRequest');
						const failed = outputs.flatMap(({ error }) => error?.httpCode ?? []);
						expect(failed).toEqual(revocations === 0 ? [] : failed.map(() => '401'));
						break;
					}
					case 'edit':
						accounts.reverse();
						for (const [index, id] of ['one', 'two'].entries()) {
							credentials.stored.set(id, { ...credentials.stored.get(id), ...accounts[index] });
						}
						break;
					case 'revoke':
						tokens.revokeAll();
						revocations += 1;
						break;
				}
			}
			const mixed = journal.of('site').filter(({ url, account }) => !url.endsWith(`of${account}`));
			expect(mixed).toEqual([]);
			for (const { username } of accounts) {
				const logins = journal.of('token').filter(({ account }) => account === username);
				expect(logins.length).toBeLessThanOrEqual(1 + revocations);
			}
			// The node gives n8n each token once.
			expect(stores).toBeLessThanOrEqual(journal.exchanges);
		},
	);
});
