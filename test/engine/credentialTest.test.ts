import type { Fault } from '../../emulator/faults';
import { shareRig, type Rig } from '../../testbed/engine/rig';

describe('the credential test', () => {
	let rig: Rig;

	shareRig((started) => {
		rig = started;
	});

	const test = async () => await rig.engine.testCredential('account');
	const SUCCESS = { status: 'OK', message: 'Connection successful!' };

	it('succeeds for an account that can log in, each time, although a token is stored', async () => {
		await rig.run();
		rig.emulator.reset();

		await expect(test()).resolves.toEqual(SUCCESS);
		await expect(test()).resolves.toEqual(SUCCESS);

		expect(rig.emulator.journal.requests.map(({ route }) => route)).toEqual(Array(4).fill('token'));
	});

	it('fails for a wrong password, although a valid token is stored', async () => {
		await rig.run();
		rig.emulator.reset();
		rig.credential.password = 'Laks';

		await expect(test()).resolves.toEqual({
			status: 'Error',
			message: 'The service refused the username and password',
		});
		expect(rig.emulator.journal.count('token')).toBe(1);
	});

	it.each<[string, Fault, string]>([
		[
			'a web page with status 200',
			{ kind: 'body', body: '<html></html>', contentType: 'text/html' },
			'The answer to the login is a web page',
		],
		[
			'status 429',
			{ kind: 'status', status: 429, headers: { 'retry-after': '42' } },
			'The account has reached its limit and may send again in 42 seconds',
		],
		[
			'a huge answer',
			{ kind: 'huge', bytes: 20 * 1024 * 1024 },
			'The answer to the login is larger than 16 MB',
		],
	])('fails for %s', async (_name, fault, message) => {
		rig.emulator.fail({ route: 'token', fault });

		await expect(test()).resolves.toEqual({ status: 'Error', message });
	});

	it("fails for a line of 'Known Sites' that cannot be used, after a login that works", async () => {
		rig.setCredential({ knownSites: '1001 Storvågen\n\nNordvik 1002\n1001 Havøya' });

		await expect(test()).resolves.toEqual({
			status: 'Error',
			message: `Line 3 of 'Known Sites' does not begin with a site ID in digits alone: "Nordvik 1002"`,
		});
		expect(rig.emulator.journal.count('token')).toBe(1);

		rig.credential.password = 'Laks';
		await expect(test()).resolves.toEqual({
			status: 'Error',
			message: 'The service refused the username and password',
		});
	});

	it("repeated for the sake of 'Known Sites' does not keep a revoked token from being replaced", async () => {
		rig.setCredential({ knownSites: 'Nordvik 1002' });
		for (let tests = 0; tests < 5; tests++) await test();
		rig.emulator.tokens.revokeAll();

		const { items, error } = await rig.run();

		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
	});

	it.each(['"quotes" \\ and $dollars', '{{ 1 + 1 }}', '=secret', 'ørret 鮭 🐟', 'x'.repeat(4000)])(
		'sends the password exactly as typed: %s',
		async (password) => {
			const { username } = rig.setCredential({ password });
			rig.emulator.settings.accounts[username] = password;

			await expect(test()).resolves.toEqual(SUCCESS);

			for (const { body } of rig.emulator.journal.of('token')) {
				expect(JSON.parse(body)).toEqual({ username, password });
			}
		},
	);
});
