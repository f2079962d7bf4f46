import { userOf } from '../../emulator/tokens';
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

	it.each(['username and password', 'password', 'base URL'])(
		'after an edit of the %s the next request runs as the new account',
		async (edited) => {
			await start();
			const other = await Rig.start();
			const first = rig.setCredential();
			await rig.run();
			const { accessToken: oldToken, tokenBinding } = rig.credential;
			const second = rig.setCredential();
			rig.emulator.settings.accounts[first.username] = 'changed';
			other.emulator.settings.accounts = { [first.username]: first.password };
			Object.assign(rig.credential, {
				...(edited === 'username and password' ? second : first),
				...(edited === 'password' && { password: 'changed' }),
				...(edited === 'base URL' && { baseUrl: other.emulator.baseUrl }),
				accessToken: oldToken,
				tokenBinding,
			});
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

	it('two accounts at one service are never mixed', async () => {
		await start({ latencyMs: 5, latencyJitter: 0.4 });
		const names = ['anne', 'bjørn'];
		const outputs = await Promise.all(
			Array.from({ length: 10 }, async (_, index) => {
				const username = names[index % 2] ?? '';
				rig.emulator.settings.accounts[username] = username;
				rig.setCredential({ username, password: username }, username);
				return await rig.run(APART, { input: FIFTY.slice(0, 10), credentialId: username });
			}),
		);

		expect(allRead(outputs)).toBe(true);
		expect(logins()).toBe(2);
		const users = siteRequests().map(({ headers }) => userOf(headers.authorization));
		expect(names.map((name) => users.filter((user) => user === name).length)).toEqual([50, 50]);
	});

	it('a stored token whose binding is that of another one is not used', async () => {
		await start();
		await rig.run();
		rig.credential.accessToken = 'stolen';
		rig.emulator.reset();

		expect(allRead([await rig.run()])).toBe(true);
		expect(siteRequests().map(({ headers }) => headers.authorization)).not.toContain(
			'Bearer stolen',
		);
	});

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

	it.each<[string, string, boolean]>([
		['domains', 'example.com, 127.0.0.1', true],
		['domains', 'example.com', false],
		['none', '', true],
	])(
		'Allowed HTTP Request Domains (%s: "%s") are honoured',
		async (mode, allowedDomains, isAllowed) => {
			await start();
			rig.setCredential({ allowedHttpRequestDomains: mode, allowedDomains });

			const output = await rig.run();

			expect(allRead([output])).toBe(isAllowed);
			expect(rig.emulator.journal.requests.length).toBe(isAllowed ? 2 : 0);
			if (!isAllowed) {
				expect(output.error?.message).toMatch(
					/^'Allowed HTTP Request Domains' in the credential leaves out http:\/\/127/,
				);
			}
		},
	);
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
