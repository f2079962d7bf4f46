import { checkConnection, type Connection } from '../../../shared/connection';
import { exchange, type ExchangeFailure } from '../../../credentials/token/exchange';
import { Emulator } from '../../../emulator/server';
import { credentialFor } from './credentialFor';
import { helpers } from './httpRequest';

let emulator: Emulator;
let connection: Connection;

beforeAll(async () => {
	emulator = await Emulator.start({ accounts: { staff: 'Laks & ørret' } });
	const credential = credentialFor(emulator.baseUrl, 'staff', 'Laks & ørret');
	connection = checkConnection(credential).value as Connection;
});
beforeEach(() => emulator.reset());
afterAll(async () => await emulator.stop());

/** What a login that is answered with this status comes to, and how often it was sent. */
async function loginAnsweredWith(
	status: number,
	headers: Record<string, string> = {},
): Promise<{ failure: ExchangeFailure | undefined; logins: number }> {
	emulator.fail({ route: 'token', fault: { kind: 'status', status, headers } });
	const { failure } = await exchange(helpers.httpRequest, connection);
	return { failure, logins: emulator.journal.count('token') };
}

describe('a login', () => {
	it('gives a token', async () => {
		await expect(exchange(helpers.httpRequest, connection)).resolves.toMatchObject({
			token: { value: expect.stringMatching(/\S/) as unknown },
		});
	});

	it.each([204, 299])('that is answered with %d and no token says so', async (status) => {
		const { failure, logins } = await loginAnsweredWith(status);

		expect(failure).toEqual({
			message: 'The service sent an empty answer to the login',
			description:
				'Check the Base URL in the credential. If it is right, tell the operator of the service.',
			cause: 'empty',
		});
		expect(logins).toBe(1);
	});

	it.each<[string | Buffer, string, string]>([
		[
			Buffer.from('{"access_token":"å"}', 'latin1'),
			'application/json',
			'The service sent text in answer to the login that is not UTF-8',
		],
		[
			'{}',
			'application/json; charset=utf-32',
			'The service sent text in answer to the login in an unknown charset',
		],
		[
			'['.repeat(101),
			'application/json',
			'The service sent data in answer to the login that is nested more than 100 levels deep',
		],
	])('that is answered with %j as %s says so', async (body, contentType, message) => {
		emulator.fail({ route: 'token', fault: { kind: 'body', body, contentType } });

		await expect(exchange(helpers.httpRequest, connection)).resolves.toMatchObject({
			failure: { message, description: expect.stringContaining('operator') as unknown },
		});
	});

	it('may be answered in a charset that is declared', async () => {
		const body = Buffer.from('{"access_token":"abc"}', 'utf16le');
		const contentType = 'application/json; charset=utf-16';
		emulator.fail({ route: 'token', fault: { kind: 'body', body, contentType } });

		await expect(exchange(helpers.httpRequest, connection)).resolves.toMatchObject({
			token: { value: 'abc' },
		});
	});

	it.each([401, 403])('that is refused with %d says so', async (status) => {
		const { failure, logins } = await loginAnsweredWith(status);

		expect(failure).toEqual({
			message: 'The service refused the username and password',
			description:
				'Correct Username and Password in the credential. So that the account is not locked, the next login waits half a minute, unless the credential is changed or tested.',
			cause: `${status}`,
			refused: true,
		});
		expect(logins).toBe(1);
	});

	it.each([400, 402, 405, 422, 499])('may be refused with %d, too', async (status) => {
		const { failure, logins } = await loginAnsweredWith(status);

		expect(failure).toEqual({
			message: `The service refused the login (status ${status})`,
			description:
				'Check Base URL, Username, Password, Version Header Name and Token Request Version in the credential. So that the account is not locked, the next login waits half a minute, unless the credential is changed or tested.',
			cause: `${status}`,
			refused: true,
		});
		expect(logins).toBe(1);
	});

	it.each([300, 302, 399])('that is to be sent elsewhere (%d) is not', async (status) => {
		const { failure, logins } = await loginAnsweredWith(status, {
			location: `${emulator.baseUrl}/elsewhere`,
		});

		expect(failure).toEqual({
			message: 'The service pointed to another address for the login',
			description:
				'Username and password were not sent there. If the service has moved, enter its new address as Base URL in the credential.',
			cause: `${status}`,
		});
		expect(logins).toBe(1);
	});

	it('for which there is no address says so', async () => {
		await expect(loginAnsweredWith(404)).resolves.toEqual({
			failure: {
				message: 'There is no login at this address',
				cause: '404',
				description:
					'Check the Base URL in the credential. If it is right, tell the operator of the service.',
			},
			logins: 1,
		});
	});

	it.each([408, 500, 502, 503, 504])(
		'may succeed later after %d, when the service says so',
		async (status) => {
			const { failure, logins } = await loginAnsweredWith(status, { 'retry-after': '3600' });

			expect(failure).toEqual({
				message: `The service could not answer the login (status ${status})`,
				cause: `${status}`,
				description: 'Try again in a few minutes. If it goes on, tell the operator of the service.',
				passing: true,
				waitMs: 3_600_000,
			});
			expect(logins).toBe(1);
		},
	);

	it.each([501, 505])('is not tried again after %d', async (status) => {
		const { failure, logins } = await loginAnsweredWith(status);

		expect(failure).toMatchObject({
			message: `The service could not answer the login (status ${status})`,
			passing: false,
		});
		expect(logins).toBe(1);
	});

	it('that comes too often waits as long as the service asks', async () => {
		await expect(loginAnsweredWith(429, { 'retry-after': '3600' })).resolves.toEqual({
			failure: {
				message: 'The service is receiving too many logins',
				cause: '429',
				description: 'Try again in a few minutes. If it goes on, tell the operator of the service.',
				passing: true,
				waitMs: 3_600_000,
			},
			logins: 1,
		});
	});

	it('that n8n does not send says why, without the password', async () => {
		const refusing = async () => {
			await Promise.resolve();
			throw new Error(`Not allowed: ${JSON.stringify(connection.password)}`);
		};

		await expect(exchange(refusing as typeof helpers.httpRequest, connection)).resolves.toEqual({
			failure: {
				message: 'n8n did not send the login',
				description: 'Not allowed: "*****"',
				cause: 'notSent',
			},
		});
	});
});
