import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useHarness } from '../../testbed/engine/harness';

const PAGE = { body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } };

describe('a wrong address or version header', () => {
	const harness = useHarness();

	const answer = (route: 'token' | 'site', status: number, more: object = {}) =>
		harness.emulator.fail({ route, fault: { kind: 'status', status, ...more } });

	it.each([
		[
			'Service-Version',
			'Bad request',
			/^'Version Header Name' is still the placeholder Service-Version\. Enter the header name that the operator gave you\.\n/,
		],
		[
			'X-Version',
			'The version is unknown',
			/^Check 'Version Header Name' and 'Token Request Version' /,
		],
		[
			'X-Version',
			'Bad request',
			/^Check 'Base URL', 'Version Header Name', 'Token Request Version', 'Username' and 'Password' /,
		],
		[
			'X-Version',
			'The header Api-Version is missing',
			/^Check 'Version Header Name' and 'Token Request Version' /,
			401,
		],
		[
			'X-Version',
			'The conversion failed',
			/^Check 'Base URL', 'Version Header Name', 'Token Request Version', 'Username' and 'Password' /,
			422,
		],
	])(
		'with the version header %s and the answer %j, the login failure names the fields to check',
		async (versionHeader, message, description, status = 400) => {
			harness.setCredential({ versionHeader });
			answer('token', status, { body: JSON.stringify({ message, traceId: 'trace' }) });

			const { error } = await harness.run();

			expect(error?.description).toMatch(description);
			expect(error?.description).toMatch(
				new RegExp(`\\.\nThe service says: "${message}"\\.\nTrace ID for the operator: trace\\.$`),
			);
		},
	);

	it.each([401, 403, 404])(
		'a web page with status %d in place of a site points to Base URL',
		async (status) => {
			answer('site', status, PAGE);

			expect((await harness.run()).error).toMatchObject({
				message: 'The answer for site 1001 is a web page',
				description: expect.stringContaining("Check 'Base URL' in the credential") as unknown,
			});
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

	it('a refused password with an invisible character is named, and was sent unchanged', async () => {
		harness.setCredential({ password: 'sec\u200bret' });

		const { error } = await harness.run();

		expect(error?.description).toMatch(
			/^Correct 'Username' and 'Password' in the credential: the password contains an invisible character\.\n/,
		);
		expect(harness.emulator.journal.of('token')[0]?.body).toContain('sec\u200bret');
	});

	describe('an answer that violates HTTP', () => {
		let server: Server;
		let answer: string;

		beforeAll(async () => {
			server = createServer((request, response) => {
				if (request.method === 'POST') response.end('{"access_token":"abc"}');
				else request.socket.end(answer);
			});
			await new Promise<void>((resolve) => {
				server.listen(0, '127.0.0.1', resolve);
			});
		});
		afterAll(() => server.close());

		it.each(['HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n{}', 'SSH-2.0-OpenSSH_9.2\r\n'])(
			'is not blamed on Base URL after a login that worked: %j',
			async (broken) => {
				answer = broken;
				const { port } = server.address() as AddressInfo;
				harness.setCredential({ baseUrl: `http://127.0.0.1:${port}` });

				const { error } = await harness.run();

				expect(error).toMatchObject({
					message: expect.stringMatching(
						/^n8n could not communicate with the service \(HPE_\w+\), so site 1001 was not read$/,
					) as unknown,
					description: expect.not.stringContaining('Base URL') as unknown,
				});
			},
		);
	});
});
