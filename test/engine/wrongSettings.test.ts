import { useHarness } from '../../testbed/engine/harness';

describe('a wrong address or version header', () => {
	const harness = useHarness();

	const answer = (route: 'token' | 'site', status: number, more: object = {}) =>
		harness.emulator.fail({ route, fault: { kind: 'status', status, ...more } });

	it.each([
		['X-Version', 'The version is unknown', /^Check 'Version Header Name' and 'Token Request/],
		['X-Version', 'Bad request', /^Check 'Base URL', 'Version Header Name', 'Token Request/],
	])(
		'with the version header %s and the answer %j, the login failure names the fields to check',
		async (versionHeader, message, description) => {
			harness.setCredential({ versionHeader });
			answer('token', 400, { body: JSON.stringify({ message }) });

			await expect(harness.run()).resolves.toMatchObject({
				error: { description: expect.stringMatching(description) as unknown },
			});
		},
	);

	it('an error with status 200 shows the message and trace ID of the service', async () => {
		const body = JSON.stringify({ code: 'busy', message: 'Try later', traceId: 'trace' });
		answer('site', 200, { body });
		const description = expect.stringMatching(
			/The service says: "Try later"\.\nTrace ID for the operator: trace\.$/,
		) as unknown;
		await expect(harness.run()).resolves.toMatchObject({ error: { description } });

		harness.setCredential();
		answer('token', 200, { body });
		const message = 'The answer to the login contains no usable token';
		await expect(harness.run()).resolves.toMatchObject({ error: { message, description } });
	});

	it.each([
		['sec\u200bret', 'contains an invisible character'],
		[' secret', 'begins with a space'],
		['sec\u200bret\n', 'ends with a space and contains an invisible character'],
	])('says what nobody sees of a refused password, sent unchanged: %j', async (password, seen) => {
		harness.setCredential({ password });

		const { error } = await harness.run();

		expect(error?.description?.split('\n')[0]).toBe(
			`Correct 'Username' and 'Password' in the credential: the password ${seen}.`,
		);
		expect(JSON.parse(harness.emulator.journal.of('token')[0]?.body ?? '')).toMatchObject({
			password,
		});
	});
});
