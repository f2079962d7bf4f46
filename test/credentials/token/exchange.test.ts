import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
	exchange,
	type ExchangeFailure,
	type ExchangeOutcome,
} from '../../../credentials/token/exchange';
import type { Fault } from '../../../emulator/faults';
import { Emulator, UNLIMITED } from '../../../emulator/server';
import type { Place } from '../../../shared/budget/budget';
import { budgetOf } from '../../../shared/budget/budgets';
import { Lane } from '../../../shared/budget/lane';
import { checkConnection, type Connection } from '../../../shared/connection';
import { credentialFor } from './credentialFor';
import { helpers } from './httpRequest';

const PASSWORD = 'Laks & ørret';
const ENTRY = { lane: new Lane(), requestsPerMinute: 100, patienceMs: 0 };
const CHECK =
	"Check 'Base URL' in the credential. If it is right, contact the operator of the service.";
const LATER = 'Try again in a few minutes. If it goes on, contact the operator of the service.';
const NEXT_LOGIN =
	'To keep the account from being locked, the next login waits half a minute, unless you change or test the credential.';
const CORRECT = `Correct 'Username' and 'Password' in the credential. ${NEXT_LOGIN}`;

let emulator: Emulator;
let connection: Connection;
let accounts = 0;

beforeAll(async () => {
	emulator = await Emulator.start(UNLIMITED);
});
beforeEach(() => {
	emulator.reset();
	const username = `staff ${(accounts += 1)}`;
	emulator.settings.accounts[username] = PASSWORD;
	const credential = credentialFor(emulator.baseUrl, username, PASSWORD);
	connection = checkConnection(credential).value as Connection;
});
afterAll(async () => await emulator.stop());

const logIn = async (): Promise<ExchangeOutcome> => await exchange(helpers.httpRequest, connection);

/** What a login that is answered with this status, and no words, comes to, and how often it was sent. */
async function loginAnsweredWith(
	status: number,
	headers: Record<string, string> = {},
): Promise<{ failure: ExchangeFailure | undefined; logins: number }> {
	const body = status < 400 ? '' : '{}';
	emulator.fail({ route: 'token', fault: { kind: 'status', status, headers, body } });
	const { failure } = await logIn();
	return { failure, logins: emulator.journal.count('token') };
}

/** Takes places of the account's budget, which is 100 requests a minute. */
async function occupyBudget(count: number): Promise<Place[]> {
	const places: Place[] = [];
	while (places.length < count) {
		const place = await budgetOf(connection).enter(ENTRY);
		if (!place) throw new Error('The budget has no place');
		places.push(place);
	}
	return places;
}

describe('a login', () => {
	it('gives a token', async () => {
		await expect(exchange(helpers.httpRequest, connection)).resolves.toMatchObject({
			token: { value: expect.stringMatching(/\S/) as unknown },
		});
	});

	it.each([204, 299])('that is answered with %d and no token says so', async (status) => {
		await expect(loginAnsweredWith(status)).resolves.toEqual({
			failure: { message: 'The answer to the login is empty', description: CHECK, cause: 'empty' },
			logins: 1,
		});
	});

	it.each<[string | Buffer, string, string]>([
		['<html>', 'text/html', 'The answer to the login is a web page'],
		['{', 'application/json', 'The answer to the login cannot be read'],
		['{}', 'application/json', 'The answer to the login contains no usable token'],
		[
			Buffer.from('{"access_token":"å"}', 'latin1'),
			'application/json',
			'The answer to the login is not in UTF-8',
		],
		['{}', 'application/json; charset=utf-32', 'The answer to the login is in an unknown charset'],
		[
			'['.repeat(101),
			'application/json',
			'The answer to the login is nested more than 100 levels deep',
		],
	])('that is answered with %j as %s says so', async (body, contentType, message) => {
		emulator.fail({ route: 'token', fault: { kind: 'body', body, contentType } });

		await expect(exchange(helpers.httpRequest, connection)).resolves.toMatchObject({
			failure: { message, description: expect.stringMatching(/\.$/) as unknown },
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
		await expect(loginAnsweredWith(status)).resolves.toEqual({
			failure: {
				message: 'The service refused the username and password',
				description: CORRECT,
				cause: `${status}`,
				refused: true,
			},
			logins: 1,
		});
	});

	it.each([
		['staff ', 'secret', 'The username ends with a space.'],
		['\tstaff', 'secret', 'The username begins with a space.'],
		['staff', ' secret\u00a0', 'The password begins and ends with a space.'],
		[' staff', 'secret ', 'The username begins with a space. The password ends with a space.'],
		['fish farm', 'pass word', ''],
	])('as %j with %j that is refused names a space as the likely cause', async (...typed) => {
		const [username, password, cause] = typed;
		Object.assign(connection, { username, password });
		const expected = cause === '' ? /^(?!.*space)/ : new RegExp(`(?:^|\\. )${cause}`);

		for (const status of [401, 400, 422]) {
			const { failure } = await loginAnsweredWith(status);
			expect(failure?.description).toMatch(expected);
		}
	});

	it.each([400, 402, 405, 422, 499])('may be refused with %d, too', async (status) => {
		connection.versionHeader = 'X-Version';

		await expect(loginAnsweredWith(status)).resolves.toEqual({
			failure: {
				message: `The service refused the login (status ${status})`,
				description: `Check 'Base URL', 'Username', 'Password', 'Version Header Name' and 'Token Request Version' in the credential. ${NEXT_LOGIN}`,
				cause: `${status}`,
				refused: true,
			},
			logins: 1,
		});
	});

	it.each([
		['Service-Version', 400, /^'Version Header Name' in the credential is still Service-Version:/],
		['service-version', 400, /^'Version Header Name'/],
		['Service-Version', 422, /^Check 'Base URL'/],
		['Other-Version', 400, /^Check 'Base URL'/],
	])('with the header %s that is answered with %d', async (versionHeader, status, description) => {
		connection.versionHeader = versionHeader;
		const { failure } = await loginAnsweredWith(status);

		expect(failure?.description).toMatch(description);
	});

	it.each([300, 302, 399])('that is to be sent elsewhere (%d) is not', async (status) => {
		const location = `https://example.com/?${PASSWORD}`;

		await expect(loginAnsweredWith(status, { location })).resolves.toEqual({
			failure: {
				message: 'The service pointed to another address for the login',
				description:
					"Nothing was sent there, to keep username and password with the service. If the service has moved, enter its new address as 'Base URL' in the credential.",
				cause: `${status}`,
			},
			logins: 1,
		});
	});

	it.each([300, 304, 399])('that is answered with %d and no address says so', async (status) => {
		await expect(loginAnsweredWith(status)).resolves.toMatchObject({
			failure: { message: `The service answered the login with status ${status}` },
			logins: 1,
		});
	});

	it('for which there is no address says what was typed', async () => {
		const { failure } = await loginAnsweredWith(404);

		expect(failure).toEqual({
			message: 'There is no login at this address',
			cause: '404',
			description: `'Base URL' in the credential is ${emulator.baseUrl}. If it is right, contact the operator of the service.`,
		});
	});

	it('for which there is no address below a path says to keep it up to the host', async () => {
		const { origin } = connection;
		connection.baseUrl = `${origin}/auth/token`;
		const { failure } = await loginAnsweredWith(404);

		expect(failure?.description).toMatch(
			`'Base URL' in the credential is ${origin}/auth/token. Keep the address up to the host, ${origin}, unless the operator of the service gave you a longer one.`,
		);
	});

	it.each([500, 502, 503, 504])(
		'may succeed later after %d, when the service says so',
		async (status) => {
			await expect(loginAnsweredWith(status, { 'retry-after': '3600' })).resolves.toEqual({
				failure: {
					message: `The service could not answer the login (status ${status})`,
					cause: `${status}`,
					description: LATER,
					passing: true,
					waitMs: 3_600_000,
				},
				logins: 1,
			});
		},
	);

	it('may succeed later after 408', async () => {
		await expect(loginAnsweredWith(408, { 'retry-after': '3600' })).resolves.toMatchObject({
			failure: { message: 'The service waited too long for the login', passing: true },
		});
	});

	it.each([501, 505])('is not tried again after %d', async (status) => {
		const { failure, logins } = await loginAnsweredWith(status);

		expect(failure).toMatchObject({
			message: `The service could not answer the login (status ${status})`,
			passing: false,
		});
		expect(logins).toBe(1);
	});

	it.each([
		[{ 'retry-after': '3600' }, 3600],
		[{}, 60],
	])(
		'that is refused because there are too many requests (%j) stops the account',
		async (headers, seconds) => {
			emulator.fail({ route: 'token', fault: { kind: 'status', status: 429, headers } });

			await expect(logIn()).resolves.toEqual({ isHeld: true });
			await expect(logIn()).resolves.toEqual({ isHeld: true });
			expect(emulator.journal.count('token')).toBe(1);
			const stoppedMs = budgetOf(connection).stoppedMs();
			expect([stoppedMs > (seconds - 5) * 1000, stoppedMs <= seconds * 1000]).toEqual([true, true]);
		},
	);

	it('goes before all other requests', async () => {
		const places = await occupyBudget(100);
		const order: string[] = [];
		const other = budgetOf(connection).enter({ ...ENTRY, patienceMs: 120_000 });
		const waiting = other.then(() => order.push('other'));
		const login = logIn().then(() => order.push('login'));

		places[0]?.giveBack();
		await login;
		places[1]?.giveBack();
		await waiting;

		expect(order).toEqual(['login', 'other']);
	});

	it('is held where the budget has no place for it', async () => {
		for (const place of await occupyBudget(100)) place.accept();

		await expect(logIn()).resolves.toEqual({ isHeld: true });
		expect(emulator.journal.count('token')).toBe(0);
	});

	it('that has failed is not held where the budget has no place for another try', async () => {
		for (const place of await occupyBudget(99)) place.accept();
		emulator.fail({ route: 'token', fault: { kind: 'status', status: 503 } });

		await expect(logIn()).resolves.toMatchObject({ failure: { passing: true } });
		expect(emulator.journal.count('token')).toBe(1);
	});

	it('counts in the budget, whatever comes of it', async () => {
		for (const place of await occupyBudget(98)) place.accept();
		emulator.fail({ route: 'token', times: 1, fault: { kind: 'body', body: '{}' } });
		await logIn();
		await logIn();

		await expect(logIn()).resolves.toEqual({ isHeld: true });
		expect(emulator.journal.count('token')).toBe(2);
	});

	it.each([200, 401])('counts until a minute after its answer (%d)', async (status) => {
		if (status !== 200) emulator.fail({ route: 'token', fault: { kind: 'status', status } });
		await exchange(helpers.httpRequest, { ...connection, requestsPerMinute: 1 });

		const closedMs = budgetOf(connection).closedMs(new Lane());
		expect([closedMs > 50_000, closedMs <= 60_000]).toEqual([true, true]);
	});

	it('is tried again where it may succeed later', async () => {
		emulator.fail({ route: 'token', times: 1, fault: { kind: 'status', status: 503 } });

		await expect(logIn()).resolves.toMatchObject({ token: {} });
		expect(emulator.journal.count('token')).toBe(2);
	});

	it('is tried four times', async () => {
		emulator.fail({ route: 'token', fault: { kind: 'status', status: 503 } });

		await expect(logIn()).resolves.toMatchObject({ failure: { passing: true } });
		expect(emulator.journal.count('token')).toBe(4);
	});

	it.each<Fault>([{ kind: 'hang' }, { kind: 'trickle', msPerByte: 100 }])(
		'ends when its time is over: %j',
		async (fault) => {
			emulator.fail({ route: 'token', fault });

			await expect(exchange(helpers.httpRequest, connection, 100)).resolves.toEqual({
				failure: {
					message: 'The login took longer than 0.1 seconds',
					cause: 'timeout',
					description: LATER,
				},
			});
			expect(emulator.journal.count('token')).toBe(1);
		},
	);

	it.each([
		[
			{ message: 'Locked.', traceId: '00-1' },
			'The service says: "Locked." Trace ID for its operator: 00-1.',
		],
		[{ code: 'account_locked' }, 'The service says: "account_locked".'],
		[{ message: `It is "Laks & ørret".` }, 'The service says: "It is "*****"."'],
	])('says at the end what the service says: %j', async (body, remark) => {
		const fault = { kind: 'status', status: 401, body: JSON.stringify(body) } as const;
		emulator.fail({ route: 'token', fault });
		const { failure } = await logIn();

		expect(failure?.description).toBe(`${CORRECT} ${remark}`);
	});

	it('that is refused is not repeated where the rest of the answer is lost', async () => {
		let logins = 0;
		const server = createServer((_request, response) => {
			logins += 1;
			response.writeHead(401, { 'content-length': '100' }).write('{', () => response.destroy());
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const { port } = server.address() as AddressInfo;
		const baseUrl = `http://127.0.0.1:${port}`;

		await expect(
			exchange(helpers.httpRequest, { ...connection, baseUrl, origin: baseUrl }),
		).resolves.toMatchObject({ failure: { refused: true, description: CORRECT } });
		expect(logins).toBe(1);
		server.close();
	});

	it('that n8n does not send says why, without the password', async () => {
		const refusing = async () => {
			await Promise.resolve();
			throw new Error(`Not allowed: ${JSON.stringify(connection.password)}`);
		};

		await expect(exchange(refusing as typeof helpers.httpRequest, connection)).resolves.toEqual({
			failure: {
				message: 'n8n did not send the login',
				description: 'Not allowed: "*****".',
				cause: 'notSent',
			},
		});
	});
});
