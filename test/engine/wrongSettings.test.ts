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

			const { error } = await harness.run();

			expect(error?.description).toMatch(description);
		},
	);

	it('an error with status 200 shows the message and trace ID of the service', async () => {
		const body = JSON.stringify({ code: 'busy', message: 'Try later', traceId: 'trace' });
		answer('site', 200, { body });
		expect((await harness.run()).error?.description).toMatch(
			/The service says: "Try later"\.\nTrace ID for the operator: trace\.$/,
		);

		harness.setCredential();
		answer('token', 200, { body });
		expect((await harness.run()).error).toMatchObject({
			message: 'The answer to the login contains no usable token',
			description: expect.stringMatching(
				/"Try later"\.\nTrace ID for the operator: trace\.$/,
			) as unknown,
		});
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
