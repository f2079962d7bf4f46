import { expectSuccess, useHarness } from '../../testbed/engine/harness';

describe('an account', () => {
	const harness = useHarness();

	it('may contain external secrets, which are not stored', async () => {
		const first = harness.setCredential();
		const { secrets, stored } = harness.engine.credentials;
		const REFERENCES = { username: '={{ $secrets.user }}', password: '={{ $secrets.pass }}' };
		secrets.set('user', first.username).set('pass', first.password);
		Object.assign(harness.credential, REFERENCES);
		expectSuccess(await harness.run());
		expect(stored.get('account')).toMatchObject(REFERENCES);
		expect(stored.get('account')).not.toHaveProperty('accessToken');

		harness.emulator.settings.accounts[first.username] = 'rotated';
		secrets.set('pass', 'rotated');
		expectSuccess(await harness.run());
		expect(
			harness.emulator.journal.of('token').map(({ body }) => JSON.parse(body) as unknown),
		).toEqual([first, { ...first, password: 'rotated' }]);
	});

	it('may contain a token that was not issued to it, which is never sent', async () => {
		harness.credential.accessToken = 'from elsewhere';
		const url = `${harness.emulator.baseUrl}/meta/sites/1001`;
		const { error } = await harness.run({ url }, { type: 'n8n-nodes-base.httpRequest' });

		expect(error?.message).toBe(
			"The credential contains an 'Access Token' that somebody has saved with it",
		);
		expect(harness.emulator.journal.requests).toEqual([]);

		expectSuccess(await harness.run());
		expect(harness.emulator.journal.requests.map(({ status }) => status)).toEqual([200, 200]);
	});

	it.each<[string, number, (item: number) => boolean]>([
		['item 2', 2, (item) => item === 2],
		// Every fifth item is compared, and the last one.
		['item 246', 500, (item) => item === 246],
		['item 1009', 1009, (item) => item === 1009],
		['item \\d+', 100, (item) => item % 3 !== 1],
		['item \\d+', 1001, (item) => item % 2 === 0],
		['item 5\\d\\d', 1000, (item) => item > 520 && item <= 540],
		['item 7\\d', 1000, (item) => item > 66 && item <= 78],
	])('must be the same for all items: another in %s of %i', async (differing, count, isOther) => {
		const { username } = harness.setCredential();
		harness.credential.username = '={{ $json.user }}';
		const input = Array.from({ length: count }, (_, index) => ({
			user: isOther(index + 1) ? 'somebody else' : username,
		}));

		const { error } = await harness.run({}, { input });

		expect(error?.message).toMatch(
			new RegExp(`^The credential differs between the first input item and ${differing}$`),
		);
		expect(harness.emulator.journal.requests).toEqual([]);
	});
});
