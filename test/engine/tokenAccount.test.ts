import { userOf } from '../../emulator/tokens';
import { allRead, APART, Bench, itemsApart } from './rig';

const FIFTY = itemsApart(50);

describe('the token belongs to the account it was issued to', () => {
	let bench: Bench;

	const start = async (settings = {}) => {
		bench = await Bench.start(settings);
	};
	afterEach(async () => await bench.stop());

	const logins = () => bench.emulator.journal.count('token');
	const siteRequests = () => bench.emulator.journal.of('site');

	it.each(['username and password', 'password', 'base URL'])(
		'after an edit of the %s the next request runs as the new account',
		async (edited) => {
			await start();
			const other = await Bench.start();
			const first = bench.setCredential();
			await bench.run();
			const { accessToken: oldToken, tokenBinding } = bench.credential;
			const second = bench.setCredential();
			bench.emulator.settings.accounts[first.username] = 'changed';
			other.emulator.settings.accounts = { [first.username]: first.password };
			Object.assign(bench.credential, {
				...(edited === 'username and password' ? second : first),
				...(edited === 'password' && { password: 'changed' }),
				...(edited === 'base URL' && { baseUrl: other.emulator.baseUrl }),
				accessToken: oldToken,
				tokenBinding,
			});
			const { journal } = edited === 'base URL' ? other.emulator : bench.emulator;
			journal.clear();

			const output = await bench.run(APART, { input: FIFTY });

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
				bench.emulator.settings.accounts[username] = username;
				bench.setCredential({ username, password: username }, username);
				return await bench.run(APART, { input: FIFTY.slice(0, 10), credentialId: username });
			}),
		);

		expect(allRead(outputs)).toBe(true);
		expect(logins()).toBe(2);
		const users = siteRequests().map(({ headers }) => userOf(headers.authorization));
		expect(names.map((name) => users.filter((user) => user === name).length)).toEqual([50, 50]);
	});

	it.each([
		['no longer readable', { tokenBinding: '{"account":' }],
		['missing', { tokenBinding: '' }],
		['another one', { accessToken: 'stolen' }],
	])('a stored token whose binding is %s is not used', async (_name, fields) => {
		await start();
		await bench.run();
		Object.assign(bench.credential, fields);
		bench.emulator.reset();

		expect(allRead([await bench.run()])).toBe(true);
		expect(siteRequests().map(({ headers }) => headers.authorization)).not.toContain(
			'Bearer stolen',
		);
	});

	it('a stored token is used by a process that has never seen it', async () => {
		await start();
		await bench.run();
		const fresh = await freshPackage(bench);

		expect(allRead([await fresh.run()])).toBe(true);
		expect(logins()).toBe(1);
	});

	it('a credential with external secrets works, and nothing of it is frozen', async () => {
		await start();
		const first = bench.setCredential();
		const { secrets, stored } = bench.engine.credentials;
		secrets.set('user', first.username).set('pass', first.password);
		Object.assign(bench.credential, {
			username: '={{ $secrets.user }}',
			password: '={{ $secrets.pass }}',
		});
		expect(allRead([await bench.run()])).toBe(true);
		expect(stored.get('account')).toMatchObject({
			username: '={{ $secrets.user }}',
			password: '={{ $secrets.pass }}',
			accessToken: expect.stringMatching(/\S/) as unknown,
		});

		bench.emulator.settings.accounts[first.username] = 'rotated';
		secrets.set('pass', 'rotated');
		expect(allRead([await bench.run()])).toBe(true);
		expect(
			bench.emulator.journal.of('token').map(({ body }) => JSON.parse(body) as unknown),
		).toEqual([first, { ...first, password: 'rotated' }]);
	});

	it.each<[string, string, boolean]>([
		['domains', '127.0.0.1', true],
		['domains', 'example.com, 127.0.0.1', true],
		['domains', 'example.com', false],
		['domains', '', false],
		['none', '', true],
		['all', '', true],
	])(
		'Allowed HTTP Request Domains (%s: "%s") are honoured',
		async (mode, allowedDomains, isAllowed) => {
			await start();
			bench.setCredential({ allowedHttpRequestDomains: mode, allowedDomains });

			const output = await bench.run();

			expect(allRead([output])).toBe(isAllowed);
			expect(bench.emulator.journal.requests.length).toBe(isAllowed ? 2 : 0);
			if (!isAllowed) {
				expect(output.error?.message).toMatch(
					/^The Allowed HTTP Request Domains of the credential leave out http:\/\/127/,
				);
			}
		},
	);
});

/** The same credentials and service, with the package loaded anew, as a second process would have it. */
async function freshPackage(bench: Bench): Promise<Bench> {
	let fresh: Bench | undefined;
	await jest.isolateModulesAsync(async () => {
		const { Bench: FreshBench } = await import('./rig');
		fresh = await FreshBench.beside(bench);
	});
	return fresh as Bench;
}
