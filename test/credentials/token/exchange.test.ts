import type { Readable } from 'node:stream';
import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { exchange } from '../../../credentials/token/exchange';
import type { Fault } from '../../../emulator/faults';
import { Emulator, UNLIMITED } from '../../../emulator/server';
import { accountOf, type Account } from '../../../account/accounts';
import { delayMs, limitOf } from '../../../account/limit/plan';
import type { ExchangeFailure, ExchangeOutcome } from '../../../account/tokenChoice';
import { Queue } from '../../../account/limit/queue';
import type { Place } from '../../../account/limit/queue';
import { checkConnection, type Connection } from '../../../account/connection';
import { settled } from '../../../testbed/simulation/virtualClock';
import { credentialFor } from './credentialFor';
import { helpers } from './httpRequest';

const PASSWORD = 'Laks & ørret';
const CHECK_BASE_URL =
	"Check 'Base URL' in the credential. If it is right, contact the operator of the service.";
const NEXT_LOGIN =
	'To keep the account from being locked, n8n waits before each new login: half a minute at first, up to an hour. A credential test logs in immediately.';
const CORRECT = `Correct 'Username' and 'Password' in the credential. ${NEXT_LOGIN}`;
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

/** The place that whoever asks for a login has already. */
const placeForLogin = async () => (await account.budget.enter({ queue: new Queue() })) as Place;
const logIn = async (deadlineMs?: number, place?: Place): Promise<ExchangeOutcome> =>
	await exchange(helpers.httpRequest, account, place ?? (await placeForLogin()), deadlineMs);
const logins = () => emulator.journal.count('token');

const limitTo = (requestsPerMinute: number) => {
	account = accountOf({ ...account.connection, requestsPerMinute });
};

/** The failure of a login, with other settings of its connection, that is answered with this status and no words. */
async function failureOf(
	status: number,
	changes: Partial<Connection> = {},
): Promise<ExchangeFailure | undefined> {
	emulator.fail({ route: 'token', fault: { kind: 'status', status, body: '{}' } });
	account = accountOf({ ...account.connection, ...changes });
	return (await logIn()).failure;
}

describe('a login in the budget of its account', () => {
	const failWith = (status: number, headers: Record<string, string> = {}) =>
		emulator.fail({ route: 'token', fault: { kind: 'status', status, headers }, times: 1 });

	it.each([
		[{ 'retry-after': '3600' }, 3600],
		[{}, 60],
	])(
		'in the budget of its account, a login that is refused because there are too many requests (%j) stops the account and has no outcome',
		async (headers, seconds) => {
			failWith(429, headers);

			await expect(logIn()).resolves.toEqual({});
			expect(logins()).toBe(1);
			expect(limitOf(account.budget).cause).toBe('stopped');
			expect(delayMs(account.budget) / 1000).toBeGreaterThan(seconds - 5);
			expect(delayMs(account.budget) / 1000).toBeLessThanOrEqual(seconds);
		},
	);

	it('in the budget of its account, a login takes another place for each further try, which goes before all other requests', async () => {
		limitTo(1);
		failWith(503);
		const { budget } = account;
		const place = await placeForLogin();
		const controller = new AbortController();
		const other = budget.enter({ queue: new Queue(), signal: controller.signal });

		const login = logIn(undefined, place);
		while (budget.logins.waiting.length === 0) await settled();
		budget.requestsPerMinute = 2;

		await expect(login).resolves.toHaveProperty('token');
		expect(logins()).toBe(2);
		expect(delayMs(budget)).toBeGreaterThan(50_000);
		controller.abort();
		await expect(other).resolves.toBeUndefined();
	});

	it('in the budget of its account, a login that has failed is not tried again where there is no place for it', async () => {
		limitTo(1);
		failWith(503);

		await expect(logIn()).resolves.toMatchObject({ failure: { retryable: true } });
		expect(logins()).toBe(1);
	});

	it.each<Fault | 'success'>(['success', { kind: 'status', status: 401 }, { kind: 'reset' }])(
		'in the budget of its account, a login counts until a minute after its end, and is not under way any more: %j',
		async (fault) => {
			if (fault !== 'success') emulator.fail({ route: 'token', fault });
			limitTo(1);
			await logIn();

			expect(delayMs(account.budget)).toBeGreaterThan(50_000);
			expect(delayMs(account.budget)).toBeLessThanOrEqual(60_000);
			// Of two requests a minute, one may be under way.
			limitTo(2);
			const next = { queue: new Queue(), endsAt: performance.now() + 5000 };
			await expect(account.budget.enter(next)).resolves.toBeDefined();
		},
	);
});

describe('a login', () => {
	const EMPTY = 'The answer to the login is empty';
	const REDIRECT = 'The service pointed to another address for the login';
	const NOT_SENT_THERE =
		"Nothing was sent there, to keep username and password with the service. If the service has moved, enter its new address as 'Base URL' in the credential.";
	const OTHER = 'The service answered the login with status *';
	const ASK_OPERATOR =
		"Check 'Base URL' in the credential, or ask the operator of the service what this status means.";
	const REFUSED = 'The service refused the login (status *)';
	const CHECK_HEADER = `'Version Header Name' in the credential is still Service-Version: enter the name that the service uses. Then check 'Token Request Version', 'Base URL', 'Username' and 'Password'. ${NEXT_LOGIN}`;
	const CHECK_SETTINGS = `Check 'Base URL', 'Username', 'Password', 'Version Header Name' and 'Token Request Version' in the credential. ${NEXT_LOGIN}`;
	const SLOW = 'The service waited too long for the login';
	const ASK_NETWORK = 'Try again. If it happens often, ask who runs your network.';
	const FAULT = 'The service could not answer the login (status *)';

	const ELSEWHERE = { location: `https://example.com/?${PASSWORD}` };
	const HOUR = { 'retry-after': '3600' };
	const IN_AN_HOUR = { retryable: true, waitMs: 3_600_000 };

	it.each<[number[], Record<string, string>, string, string, object]>([
		[[204, 299], {}, EMPTY, CHECK_BASE_URL, { cause: 'empty' }],
		[[300, 302, 399], ELSEWHERE, REDIRECT, NOT_SENT_THERE, {}],
		[[300, 304, 399], {}, OTHER, ASK_OPERATOR, {}],
		[
			[401, 403],
			{},
			'The service refused the username and password',
			CORRECT,
			{ loginRefused: true },
		],
		[[400], {}, REFUSED, CHECK_HEADER, { loginRefused: true }],
		[[402, 405, 422, 499], {}, REFUSED, CHECK_SETTINGS, { loginRefused: true }],
		[[408], HOUR, SLOW, ASK_NETWORK, IN_AN_HOUR],
		[[500, 502, 503, 504], HOUR, FAULT, LATER, IN_AN_HOUR],
		[[501, 505], {}, FAULT, LATER, { retryable: false }],
	])(
		'a login that is answered with %j and %j says, after one try: %s',
		async (statuses, headers, message, description, more) => {
			const body = statuses.every((status) => status < 400) ? '' : '{}';
			for (const status of statuses) {
				emulator.reset();
				emulator.fail({ route: 'token', fault: { kind: 'status', status, headers, body } });

				const said = message.replace('*', `${status}`);
				await expect(logIn()).resolves.toEqual({
					failure: { message: said, description, cause: `${status}`, ...more },
				});
				expect(logins()).toBe(1);
			}
		},
	);

	it.each([
		['staff ', 'secret', 'The username ends with a space.'],
		['\tstaff', 'secret', 'The username begins with a space.'],
		['staff', ' secret\u00a0', 'The password begins and ends with a space.'],
		[' staff', 'secret ', 'The username begins with a space. The password ends with a space.'],
		['fish farm', 'pass word', undefined],
	])(
		'a login as %j with %j that is refused names a space as the likely cause',
		async (...typed) => {
			const [username, password, cause] = typed;
			const named = cause === undefined ? /^(?!.*space)/ : new RegExp(`(?:^|\\. )${cause}`);

			for (const status of [401, 400, 422]) {
				const failure = await failureOf(status, { username, password });
				expect(failure?.description).toMatch(named);
			}
		},
	);

	it.each([
		['service-version', 400, /^'Version Header Name' in the credential is still service-version:/],
		['Service-Version', 422, /^Check 'Base URL'/],
		['Other-Version', 400, /^Check 'Base URL'/],
	])(
		'a login with the header %s that is answered with %d says what to check',
		async (versionHeader, status, description) => {
			const failure = await failureOf(status, { versionHeader });

			expect(failure?.description).toMatch(description);
		},
	);

	it.each([
		['', 'If it is right, contact the operator of the service.'],
		[
			'/auth/token',
			'Keep the address up to the host, *, unless the operator of the service gave you a longer one.',
		],
	])('a login that finds nothing below the path "%s" says what was typed', async (path, next) => {
		const { origin } = account.connection;
		const failure = await failureOf(404, { baseUrl: `${origin}${path}` });

		expect(failure?.message).toBe('There is no login at this address');
		expect(failure?.description).toMatch(
			`'Base URL' in the credential is ${origin}${path}. ${next.replace('*', origin)}`,
		);
	});

	it.each([
		['<html>', 'The answer to the login is a web page'],
		['{}', 'The answer to the login contains no usable token'],
	])('a login that is answered with %j says so', async (body, message) => {
		emulator.fail({ route: 'token', fault: { kind: 'body', body } });

		await expect(logIn()).resolves.toMatchObject({
			failure: { message, description: expect.stringContaining('operator') as unknown },
		});
	});

	it('a login says at the end what the service says, without the password', async () => {
		const body = JSON.stringify({ message: `It is "${PASSWORD}".`, traceId: '00-1' });
		emulator.fail({ route: 'token', fault: { kind: 'status', status: 401, body } });

		await expect(logIn()).resolves.toMatchObject({
			failure: {
				description: `${CORRECT} The service says: "It is "*****"." Trace ID for its operator: 00-1.`,
			},
		});
	});

	it.each<Fault>([{ kind: 'hang' }, { kind: 'trickle', msPerByte: 100 }])(
		'a login ends when its time is over: %j',
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

	it('a login that is refused is not repeated where the rest of the answer is lost', async () => {
		emulator.fail({ route: 'token', fault: { kind: 'status', status: 401, body: '{}' } });
		const cutOff = (async (options) => {
			const answer = (await helpers.httpRequest(options)) as IN8nHttpFullResponse;
			(answer.body as Readable).destroy();
			return answer;
		}) as typeof helpers.httpRequest;

		await expect(exchange(cutOff, account, await placeForLogin())).resolves.toMatchObject({
			failure: { loginRefused: true, description: CORRECT },
		});
		expect(logins()).toBe(1);
	});

	it('a login that n8n does not send says why, without the password', async () => {
		const refusing = (async () => {
			await Promise.resolve();
			throw new Error(`Not allowed: ${JSON.stringify(account.connection.password)}`);
		}) as typeof helpers.httpRequest;

		await expect(exchange(refusing, account, await placeForLogin())).resolves.toEqual({
			failure: {
				message: 'n8n did not send the login',
				description: 'Not allowed: "*****".',
				cause: 'notSent',
			},
		});
	});
});
