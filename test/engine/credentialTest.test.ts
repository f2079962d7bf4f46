import { shareRig, type Rig } from '../../testbed/engine/rig';

const CORRECT =
	"Correct 'Username' and 'Password' in the credential. To keep the account from being locked, n8n waits before each new login: half a minute at first, up to an hour. A credential test logs in immediately.";
const WRONG_PASSWORD = expect.stringContaining(
	`The service refused the username and password. ${CORRECT}`,
) as string;
const CORRECT_LINES =
	"The login works. Correct 'Known Sites' in the credential: one site per line, its ID as digits only and then its name.";
const line = (number: number) =>
	`Line ${number} of 'Known Sites' does not begin with a site ID: "Site ${number}".`;

describe('the credential test', () => {
	let rig: Rig;

	shareRig((started) => {
		rig = started;
	});

	const test = async () => await rig.engine.testCredential('account');
	const SUCCESS = { status: 'OK', message: 'Connection successful!' };

	it('the credential test succeeds for an account that can log in, each time, although a token is stored', async () => {
		await rig.run();
		rig.emulator.reset();

		await expect(test()).resolves.toEqual(SUCCESS);
		await expect(test()).resolves.toEqual(SUCCESS);

		expect(rig.emulator.journal.requests.map(({ route }) => route)).toEqual(Array(4).fill('token'));
	});

	it('the credential test fails for a wrong password, although a valid token is stored', async () => {
		await rig.run();
		rig.emulator.reset();
		rig.credential.password = 'Laks';

		await expect(test()).resolves.toEqual({
			status: 'Error',
			message: WRONG_PASSWORD,
		});
		expect(rig.emulator.journal.count('token')).toBe(1);
	});

	it("the credential test fails for a line of 'Known Sites' that cannot be used, after a login that works", async () => {
		rig.setCredential({ knownSites: '1001 Storvågen\n\nNordvik 1002\n1001 Havøya' });

		await expect(test()).resolves.toEqual({
			status: 'Error',
			message: `Line 3 of 'Known Sites' does not begin with a site ID: "Nordvik 1002". Line 4 of 'Known Sites' repeats the ID of line 1: "1001 Havøya". ${CORRECT_LINES}`,
		});
		expect(rig.emulator.journal.count('token')).toBe(1);

		rig.credential.password = 'Laks';
		await expect(test()).resolves.toEqual({ status: 'Error', message: WRONG_PASSWORD });
	});

	it.each([
		[3, `${line(1)} ${line(2)} ${line(3)} ${CORRECT_LINES}`],
		[4, `${line(1)} ${line(2)} ${line(3)} And 1 more line. ${CORRECT_LINES}`],
		[9, `${line(1)} ${line(2)} ${line(3)} And 6 more lines. ${CORRECT_LINES}`],
	])(
		"the credential test names the first three of %i lines of 'Known Sites'",
		async (count, message) => {
			const lines = Array.from({ length: count }, (_, index) => `Site ${index + 1}`);
			rig.setCredential({ knownSites: lines.join('\n') });

			await expect(test()).resolves.toEqual({ status: 'Error', message });
		},
	);

	it.each(['"quotes" \\ and $dollars', '{{ 1 + 1 }}', '=secret', 'ørret 鮭 🐟', 'x'.repeat(4000)])(
		'the credential test sends the password exactly as typed: %s',
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
