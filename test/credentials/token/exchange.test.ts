import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exchange } from '../../../credentials/token/exchange';
import type { Fault } from '../../../emulator/faults';
import { Emulator, UNLIMITED } from '../../../emulator/server';
import { accountOf, type Account } from '../../../shared/account/accounts';
import type { ExchangeFailure, ExchangeOutcome } from '../../../shared/account/tokenCache';
import type { Place } from '../../../shared/budget/budget';
import { Lane } from '../../../shared/budget/lane';
import { checkConnection, type Connection } from '../../../shared/connection';
import { credentialFor } from './credentialFor';
import { helpers } from './httpRequest';

const PASSWORD = 'Laks & ørret';
const ENTRY = { lane: new Lane(), requestsPerMinute: 100, maxWaitMs: 0 };
const CHECK_BASE_URL =
	"Check 'Base URL' in the credential. If it is right, contact the operator of the service.";
const NEXT_LOGIN =
	'To keep the account from being locked, the next login waits half a minute, unless you change or test the credential.';
const CORRECT = `Correct 'Username' and 'Password' in the credential. ${NEXT_LOGIN}`;
const CHECK_SETTINGS =
	"Check 'Base URL', 'Username', 'Password', 'Version Header Name' and 'Token Request Version' in the credential.";
const LATER = 'Try again in a few minutes. If it goes on, contact the operator of the service.';

let emulator: Emulator;
let account: Account;
let accounts = 0;

beforeAll(async () => {
	emulator = await Emulator.start(UNLIMITED);
});
beforeEach(() => {
	emulator.reset();
	const username = `staff ${(accounts += 1)}`;
	emulator.settings.accounts[username] = PASSWORD;
	const credential = credentialFor(emulator.baseUrl, username, PASSWORD);
	account = accountOf(checkConnection(credential).value as Connection);
});
afterAll(async () => await emulator.stop());

const logIn = async (deadlineMs?: number): Promise<ExchangeOutcome> =>
	await exchange(helpers.httpRequest, account, undefined, deadlineMs);
const logins = () => emulator.journal.count('token');

/** The failure of a login, with other settings of its connection, that is answered with this status and no words. */
async function failureOf(
	status: number,
	changes: Partial<Connection> = {},
): Promise<ExchangeFailure | undefined> {
	emulator.fail({ route: 'token', fault: { kind: 'status', status, body: '{}' } });
	account = accountOf({ ...account.connection, ...changes });
	return (await logIn()).failure;
}
const DEFERRED = { isDeferred: true };

/** Takes places of the account's budget, which is 100 requests a minute. */
async function occupyBudget(count: number): Promise<Place[]> {
	const places: Place[] = [];
	while (places.length < count) {
		const place = await account.budget.enter(ENTRY);
		if (!place) throw new Error('The budget has no place');
		places.push(place);
	}
	return places;
}

describe('in the budget of its account, a login', () => {
	it.each([
		[{ 'retry-after': '3600' }, 3600],
		[{}, 60],
	])(
		'that is refused because there are too many requests (%j) stops the account',
		async (headers, seconds) => {
			emulator.fail({ route: 'token', fault: { kind: 'status', status: 429, headers } });

			await expect(logIn()).resolves.toEqual(DEFERRED);
			await expect(logIn()).resolves.toEqual(DEFERRED);
			expect(logins()).toBe(1);
			expect(account.budget.stoppedMs() / 1000).toBeGreaterThan(seconds - 5);
			expect(account.budget.stoppedMs() / 1000).toBeLessThanOrEqual(seconds);
		},
	);

	it('goes before all other requests', async () => {
		const places = await occupyBudget(100);
		const order: string[] = [];
		const other = account.budget.enter({ ...ENTRY, maxWaitMs: 120_000 });
		const waiting = other.then(() => order.push('other'));
		const login = logIn().then(() => order.push('login'));

		places[0]?.giveBack();
		await login;
		places[1]?.giveBack();
		await waiting;

		expect(order).toEqual(['login', 'other']);
	});

	it('that has failed is not deferred where there is no place for another try', async () => {
		for (const place of await occupyBudget(99)) place.accept();
		emulator.fail({ route: 'token', fault: { kind: 'status', status: 503 } });

		await expect(logIn()).resolves.toMatchObject({ failure: { passing: true } });
		expect(logins()).toBe(1);
	});

	it('counts, whatever comes of it, and is deferred where there is no place', async () => {
		for (const place of await occupyBudget(98)) place.accept();
		emulator.fail({ route: 'token', times: 1, fault: { kind: 'body', body: '{}' } });
		await logIn();
		await logIn();

		await expect(logIn()).resolves.toEqual(DEFERRED);
		expect(logins()).toBe(2);
	});

	it.each([200, 401])('counts until a minute after its answer (%d)', async (status) => {
		if (status !== 200) emulator.fail({ route: 'token', fault: { kind: 'status', status } });
		account = accountOf({ ...account.connection, requestsPerMinute: 1 });
		await logIn();

		expect(account.budget.closedMs(new Lane())).toBeGreaterThan(50_000);
		expect(account.budget.closedMs(new Lane())).toBeLessThanOrEqual(60_000);
	});
});

describe('a login', () => {
	const AGAIN_IN_AN_HOUR = { 'retry-after': '3600' };
	const ELSEWHERE = { location: `https://example.com/?${PASSWORD}` };
	type Answer = [
		headers: Record<string, string>,
		message: string,
		description: string,
		more?: object,
	];
	const failures: Array<[number[], ...Answer]> = [
		[[204, 299], {}, 'The answer to the login is empty', CHECK_BASE_URL],
		[
			[300, 302, 399],
			ELSEWHERE,
			'The service pointed to another address for the login',
			"Nothing was sent there, to keep username and password with the service. If the service has moved, enter its new address as 'Base URL' in the credential.",
		],
		[
			[300, 304, 399],
			{},
			'The service answered the login with status *',
			"Check 'Base URL' in the credential, or ask the operator of the service what this status means.",
		],
		[[401, 403], {}, 'The service refused the username and password', CORRECT, { refused: true }],
		[
			[400],
			{},
			'The service refused the login (status *)',
			`'Version Header Name' in the credential is still Service-Version: enter the name that the service uses. Then check 'Token Request Version', 'Base URL', 'Username' and 'Password'. ${NEXT_LOGIN}`,
			{ refused: true },
		],
		[
			[402, 405, 422, 499],
			{},
			'The service refused the login (status *)',
			`${CHECK_SETTINGS} ${NEXT_LOGIN}`,
			{ refused: true },
		],
		[
			[408],
			AGAIN_IN_AN_HOUR,
			'The service waited too long for the login',
			'Run the workflow again. If it happens often, ask who runs your network.',
			{ passing: true, waitMs: 3_600_000 },
		],
		[
			[500, 502, 503, 504],
			AGAIN_IN_AN_HOUR,
			'The service could not answer the login (status *)',
			LATER,
			{ passing: true, waitMs: 3_600_000 },
		],
		[
			[501, 505],
			{},
			'The service could not answer the login (status *)',
			LATER,
			{ passing: false },
		],
	];

	it.each(
		failures.flatMap(([statuses, ...answer]) =>
			statuses.map((status): [number, ...Answer] => [status, ...answer]),
		),
	)(
		'that is answered with %d and %j says so, after one try',
		async (status, headers, message, description, more = {}) => {
			const body = status < 400 ? '' : '{}';
			emulator.fail({ route: 'token', fault: { kind: 'status', status, headers, body } });

			await expect(logIn()).resolves.toEqual({
				failure: {
					message: message.replace('*', `${status}`),
					description,
					cause: status < 300 ? 'empty' : `${status}`,
					...more,
				},
			});
			expect(logins()).toBe(1);
		},
	);

	it.each([
		['staff ', 'secret', 'The username ends with a space.'],
		['\tstaff', 'secret', 'The username begins with a space.'],
		['staff', ' secret\u00a0', 'The password begins and ends with a space.'],
		[' staff', 'secret ', 'The username begins with a space. The password ends with a space.'],
		['fish farm', 'pass word', undefined],
	])('as %j with %j that is refused names a space as the likely cause', async (...typed) => {
		const [username, password, cause] = typed;
		const named = cause === undefined ? /^(?!.*space)/ : new RegExp(`(?:^|\\. )${cause}`);

		for (const status of [401, 400, 422]) {
			const failure = await failureOf(status, { username, password });
			expect(failure?.description).toMatch(named);
		}
	});

	it.each([
		['service-version', 400, /^'Version Header Name' in the credential is still service-version:/],
		['Service-Version', 422, /^Check 'Base URL'/],
		['Other-Version', 400, /^Check 'Base URL'/],
	])('with the header %s that is answered with %d', async (versionHeader, status, description) => {
		const failure = await failureOf(status, { versionHeader });

		expect(failure?.description).toMatch(description);
	});

	it.each([
		['', 'If it is right, contact the operator of the service.'],
		[
			'/auth/token',
			'Keep the address up to the host, *, unless the operator of the service gave you a longer one.',
		],
	])('that finds nothing below the path "%s" says what was typed', async (path, next) => {
		const { origin } = account.connection;
		const failure = await failureOf(404, { baseUrl: `${origin}${path}` });

		expect(failure?.message).toBe('There is no login at this address');
		expect(failure?.description).toMatch(
			`'Base URL' in the credential is ${origin}${path}. ${next.replace('*', origin)}`,
		);
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

		await expect(logIn()).resolves.toMatchObject({
			failure: { message, description: expect.stringContaining('operator') as unknown },
		});
	});

	it('may be answered in a charset that is declared', async () => {
		const body = Buffer.from('{"access_token":"abc"}', 'utf16le');
		const contentType = 'application/json; charset=utf-16';
		emulator.fail({ route: 'token', fault: { kind: 'body', body, contentType } });

		await expect(logIn()).resolves.toMatchObject({ token: { value: 'abc' } });
	});

	it.each([
		[{ message: 'Locked.', traceId: '00-1' }, '"Locked." Trace ID for its operator: 00-1.'],
		[{ code: 'account_locked' }, '"account_locked".'],
		[{ message: `It is "Laks & ørret".` }, '"It is "*****"."'],
	])('says at the end what the service says: %j', async (body, remark) => {
		const fault = { kind: 'status', status: 401, body: JSON.stringify(body) } as const;
		emulator.fail({ route: 'token', fault });

		await expect(logIn()).resolves.toMatchObject({
			failure: { description: `${CORRECT} The service says: ${remark}` },
		});
	});

	it('is tried four times where it may succeed later', async () => {
		const fault = { kind: 'status', status: 503 } as const;
		emulator.fail({ route: 'token', times: 3, fault });
		await expect(logIn()).resolves.toMatchObject({ token: {} });
		expect(logins()).toBe(4);

		emulator.fail({ route: 'token', fault });
		await expect(logIn()).resolves.toMatchObject({ failure: { passing: true } });
		expect(logins()).toBe(8);
	}, 20_000);

	it.each<Fault>([{ kind: 'hang' }, { kind: 'trickle', msPerByte: 100 }])(
		'ends when its time is over: %j',
		async (fault) => {
			emulator.fail({ route: 'token', fault });

			await expect(logIn(100)).resolves.toEqual({
				failure: {
					message: 'The login took longer than 0.1 seconds',
					cause: 'timeout',
					description: LATER,
				},
			});
			expect(logins()).toBe(1);
		},
	);

	it('that is refused is not repeated where the rest of the answer is lost', async () => {
		let received = 0;
		const server = createServer((_request, response) => {
			received += 1;
			response.writeHead(401, { 'content-length': '100' }).write('{', () => response.destroy());
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		account = accountOf({ ...account.connection, baseUrl, origin: baseUrl });

		await expect(logIn()).resolves.toMatchObject({
			failure: { refused: true, description: CORRECT },
		});
		expect(received).toBe(1);
		server.close();
	});

	it('that n8n does not send says why, without the password', async () => {
		const refusing = (async () => {
			await Promise.resolve();
			throw new Error(`Not allowed: ${JSON.stringify(account.connection.password)}`);
		}) as typeof helpers.httpRequest;

		await expect(exchange(refusing, account)).resolves.toEqual({
			failure: {
				message: 'n8n did not send the login',
				description: 'Not allowed: "*****".',
				cause: 'notSent',
			},
		});
	});
});
