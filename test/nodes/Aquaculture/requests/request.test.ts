import type { Readable } from 'node:stream';
import { siteDocument } from '../../../../service/siteAnswer';
import type { Fault } from '../../../../emulator/faults';
import { Emulator, UNLIMITED } from '../../../../emulator/server';
import { Cancellation } from '../../../../nodes/Aquaculture/requests/cancellation';
import {
	requestDocument,
	type DocumentRequest,
} from '../../../../nodes/Aquaculture/requests/request';
import type { Transport } from '../../../../nodes/Aquaculture/requests/transport';
import { Queue } from '../../../../account/limit/queue';
import { delayMs, limitOf } from '../../../../account/limit/plan';
import type { Place } from '../../../../account/limit/queue';
import { MINUTE_MS, SECOND_MS } from '../../../../texts/duration';
import { jumpingTime } from '../../../../testbed/engine/jumpingTime';
import { settled } from '../../../../testbed/simulation/virtualClock';
import { PASSWORD, transportTo, type Circumstances } from './transportTo';

const SITE_7: DocumentRequest<unknown> = {
	...siteDocument(7, []),
	check: (value) => ({ value }),
};

let emulator: Emulator;

beforeAll(async () => {
	emulator = await Emulator.start(UNLIMITED);
});
afterAll(async () => await emulator.stop());
afterEach(() => {
	emulator.reset();
	emulator.settings.latencyMs = 0;
});

const SITE: Fault = { kind: 'body', body: '{"siteId":7}' };
const fail = (fault: Fault) => emulator.fail({ route: 'site', fault, times: 1 });
const failLogin = (fault: Fault) => emulator.fail({ route: 'token', fault, times: 1 });
const routes = () => emulator.journal.requests.map(({ route }) => route);

const request = async (
	transport: Transport,
	{ timeoutMs = 10_000, maxWaitMs = Infinity, document = SITE_7 } = {},
) => await requestDocument(transport, new Queue({ maxWaitMs }), document, timeoutMs);

/** Waits until the emulator has received a request. */
async function received(route: 'site' | 'token'): Promise<void> {
	while (emulator.journal.count(route) === 0) {
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

/** A transport, and the calls of n8n's helper that were made with it. */
function watched(circumstances: Circumstances = {}) {
	const calls: Array<{ method?: string; accessToken: unknown; signal?: AbortSignal }> = [];
	const transport = transportTo(emulator.baseUrl, {
		beforeSending({ method }, { accessToken }, signal) {
			calls.push({ ...(method && { method }), accessToken, ...(signal && { signal }) });
		},
		...circumstances,
	});
	emulator.settings.accounts[transport.account.connection.username] = PASSWORD;
	return { transport, calls };
}

/** The same for an account without a token. */
const withoutToken = (circumstances: Circumstances = {}) =>
	watched({ accessToken: '', ...circumstances });

/** The only place of an account that may send one request a minute. */
const takePlace = async ({ account }: Transport) =>
	(await account.budget.enter({ queue: new Queue() })) as Place;

/** Whether a request finds a place within a few seconds. */
const hasPlace = async ({ account }: Transport) => {
	const endsAt = performance.now() + 5 * SECOND_MS;
	return (await account.budget.enter({ queue: new Queue(), endsAt })) !== undefined;
};

it('a request that fails keeps its status where the body never comes', async () => {
	fail({ kind: 'status', status: 404 });
	const transport = transportTo(emulator.baseUrl);

	const { outcome } = await request({
		...transport,
		async send(...parameters) {
			const response = await transport.send(...parameters);
			(response.body as Readable).destroy(new Error('cut off'));
			return response;
		},
	});

	expect(outcome.failure).toMatchObject({ statusCode: 404 });
	expect(outcome.failure).not.toHaveProperty('body');
});

it('a request that fails because n8n does not send it repeats what n8n says', async () => {
	const beforeSending = () => {
		throw new Error('Not allowed to pass');
	};

	const { outcome } = await request(transportTo(emulator.baseUrl, { beforeSending }));

	expect(outcome.failure).toEqual({
		message: 'n8n did not send the request for site 7',
		description: 'Not allowed to *****.',
		cause: 'notSent',
	});
});

it('a request never throws, whatever its check does', async () => {
	fail(SITE);
	const check = () => {
		throw new RangeError('Not with pass');
	};

	const document = { ...SITE_7, check };
	const { outcome } = await request(transportTo(emulator.baseUrl), { document });

	expect(outcome.failure).toMatchObject({
		message: 'The answer for site 7 could not be processed',
		description: 'Report it to the maintainers of this node: Not with *****.',
	});
});

it.each<[string, number, boolean, object]>([
	['its time is over', 30, false, { cause: 'timeout', retryable: true, timedOut: true }],
	[
		'the execution is cancelled',
		60_000,
		true,
		// n8n recognises it by this word.
		{ message: expect.stringContaining('canceled'), cancelled: true, accountWide: true },
	],
])('a request ends when %s, and says so', async (_what, timeoutMs, isCancelled, failure) => {
	fail({ kind: 'hang' });
	const { transport, calls } = watched();

	const reading = request(transport, { timeoutMs });
	if (isCancelled) {
		await received('site');
		transport.cancellation.cancel();
	}

	const { outcome } = await reading;
	expect(outcome.failure).toMatchObject(failure);
	expect(calls.map(({ signal }) => signal?.aborted)).toEqual([true]);
});

it('a request is aborted where something may be under way still, and left alone where it was answered', async () => {
	const { transport, calls } = watched();
	fail(SITE);
	fail({ kind: 'status', status: 500 });

	await request(transport);
	await request(transport);
	transport.cancellation.cancel();

	expect(calls.map(({ signal }) => signal?.aborted)).toEqual([false, true]);
});

describe('the turn of a request', () => {
	it('the turn of a request comes before n8n is called, and with it the token that is known then', async () => {
		fail(SITE);
		const { transport, calls } = watched({ requestsPerMinute: 1 });
		const { budget, tokens } = transport.account;
		const place = await takePlace(transport);
		const reading = request(transport);
		await settled();
		expect(calls).toEqual([]);

		const token = { value: 'newer', issuedAt: Date.now() };
		await tokens.renew(async () => await Promise.resolve({ token }));
		budget.giveBack(place);

		await expect(reading).resolves.toMatchObject({ outcome: { value: { json: { siteId: 7 } } } });
		expect(calls).toMatchObject([{ method: 'GET', accessToken: 'newer' }]);
		expect(emulator.journal.of('site')[0]?.headers.authorization).toBe('Bearer newer');
	});

	describe('on a clock that jumps', () => {
		const { until, wait } = jumpingTime();

		it('the turn of a request is not counted in the time that it takes, nor limited by it', async () => {
			emulator.settings.latencyMs = 100;
			fail(SITE);
			const transport = transportTo(emulator.baseUrl, { requestsPerMinute: 1 });
			const place = await takePlace(transport);
			const reading = request(transport, { timeoutMs: SECOND_MS });
			await wait(2 * SECOND_MS);

			transport.account.budget.giveBack(place);

			const { outcome, tookMs } = await until(reading);
			expect(outcome.failure).toBeUndefined();
			expect(tookMs).toBe(100);
		});
	});
});

it('the account stops where a request is refused, for as long as the service asks', async () => {
	const headers = {
		'retry-after': 'Thu, 01 Jan 2026 00:02:00 GMT',
		date: 'Thu, 01 Jan 2026 00:00:00 GMT',
	};
	fail({ kind: 'status', status: 429, headers });
	const { transport, calls } = watched();

	await expect(request(transport)).resolves.toMatchObject({ resendReason: 'refused' });

	expect(Math.round(delayMs(transport.account.budget) / 1000)).toBe(120);
	await expect(request(transport, { maxWaitMs: 100_000 })).resolves.toMatchObject({
		outcome: { failure: { noPlace: true } },
		tookMs: 0,
	});
	expect(calls).toHaveLength(1);
});

it.each<[string, Fault, timeoutMs: number]>([
	['it was answered with success', SITE, 10_000],
	['it was answered with another status', { kind: 'status', status: 404 }, 10_000],
	['the connection broke off', { kind: 'reset' }, 10_000],
	['its time was over', { kind: 'hang' }, 100],
	['it was cancelled', { kind: 'hang' }, 60_000],
])('the account counts a request until a minute after %s', async (_what, fault, timeoutMs) => {
	fail(fault);
	const transport = transportTo(emulator.baseUrl, { requestsPerMinute: 1 });
	const { budget } = transport.account;

	const reading = request(transport, { timeoutMs });
	if (timeoutMs === 60_000) {
		await received('site');
		transport.cancellation.cancel();
	}
	await reading;

	expect(delayMs(budget)).toBeGreaterThan(MINUTE_MS - 5 * SECOND_MS);
	expect(delayMs(budget)).toBeLessThanOrEqual(MINUTE_MS);
	// Of two requests a minute, one may be under way.
	budget.requestsPerMinute = 2;
	await expect(hasPlace(transport)).resolves.toBe(true);
});

describe('a request that is cancelled', () => {
	const CANCELLED = { outcome: { failure: { cancelled: true } }, tookMs: 0 };

	it.each<[string, (transport: Transport, place: Place) => void]>([
		['while it waits for a place', () => {}],
		[
			'just as its turn comes',
			({ account, cancellation }, place) => {
				account.budget.giveBack(place);
				cancellation.cancel();
			},
		],
		[
			'just before its turn comes',
			({ account, cancellation }, place) => {
				cancellation.cancel();
				account.budget.giveBack(place);
			},
		],
	])(
		'a request that is cancelled %s is not sent and leaves no place behind',
		async (_what, end) => {
			const { transport, calls } = watched({ requestsPerMinute: 1 });
			const place = await takePlace(transport);
			const reading = request(transport);
			await settled();

			end(transport, place);
			transport.cancellation.cancel();

			await expect(reading).resolves.toMatchObject(CANCELLED);
			transport.account.budget.giveBack(place);
			expect(calls).toEqual([]);
			await expect(hasPlace(transport)).resolves.toBe(true);
		},
	);

	it('a request that is cancelled before it begins to wait is not sent and leaves no place behind', async () => {
		const { transport, calls } = withoutToken({ requestsPerMinute: 1 });
		transport.cancellation.cancel();

		await expect(request(transport)).resolves.toMatchObject(CANCELLED);
		expect(calls).toEqual([]);
		await expect(hasPlace(transport)).resolves.toBe(true);
	});

	it('a request that is cancelled while another one logs in ends at once and leaves no place behind', async () => {
		emulator.settings.latencyMs = 500;
		const { transport, calls } = withoutToken({ requestsPerMinute: 2 });
		const other = { ...transport, cancellation: new Cancellation() };
		const order: string[] = [];
		const loggingIn = request(transport);
		await received('token');
		void transport.account.tokens.renewal?.finally(() => order.push('logged in'));
		const reading = request(other).finally(() => order.push('cancelled'));
		await settled();

		other.cancellation.cancel();

		await expect(reading).resolves.toMatchObject(CANCELLED);
		await loggingIn;
		expect(order).toEqual(['cancelled', 'logged in']);
		// One for the login and one for the other request.
		expect(routes()).toEqual(['token', 'site']);
		expect(calls).toHaveLength(2);
	});

	it('a request that is cancelled while it logs in itself ends at once; the login goes on for the others', async () => {
		emulator.settings.latencyMs = 500;
		const { transport, calls } = withoutToken();
		const other = { ...transport, cancellation: new Cancellation() };
		const order: string[] = [];
		const reading = request(transport).finally(() => order.push('cancelled'));
		await received('token');
		const otherReading = request(other).finally(() => order.push('other'));
		void transport.account.tokens.renewal?.finally(() => order.push('login'));

		transport.cancellation.cancel();

		await expect(reading).resolves.toMatchObject(CANCELLED);
		await otherReading;
		expect(order).toEqual(['cancelled', 'login', 'other']);
		expect(calls.map(({ method }) => method)).toEqual(['POST', 'GET']);
		expect(routes()).toEqual(['token', 'site']);
	});
});

describe('a login', () => {
	const REFUSED = 'The service refused the username and password';

	it('a login that many requests need is one exchange and one call of n8n, which sends nothing else', async () => {
		const { transport, calls } = withoutToken();
		const document = { ...siteDocument(1001, []), check: SITE_7.check };

		const attempts = await Promise.all(
			Array.from({ length: 20 }, async () => await request(transport, { document })),
		);

		expect(attempts.map(({ outcome }) => outcome.failure)).toEqual(Array(20).fill(undefined));
		expect(routes()).toEqual(['token', ...Array<string>(20).fill('site')]);
		expect(calls.map(({ method }) => method)).toEqual(['POST', ...Array<string>(20).fill('GET')]);
		expect(calls[0]?.accessToken).toBe('');
		const [{ issued } = {}] = emulator.journal.of('token');
		expect(calls.slice(1).map(({ accessToken }) => accessToken)).toEqual(Array(20).fill(issued));
	});

	it('a login for which there is no place in time is not made, nor is one for whose request there is none', async () => {
		const { transport } = withoutToken({ requestsPerMinute: 1 });

		await expect(request(transport, { maxWaitMs: 0 })).resolves.toMatchObject({
			outcome: { failure: { noPlace: true } },
		});
		expect(routes()).toEqual(['token']);
		await expect(request(transport, { maxWaitMs: 0 })).resolves.toMatchObject({
			outcome: { failure: { noPlace: true } },
		});
		expect(routes()).toEqual(['token']);
	});

	it('a login that fails is the outcome of all requests that need it, and of those soon after, whose places are free again', async () => {
		failLogin({ kind: 'status', status: 401, body: '{}' });
		const { transport, calls } = withoutToken({ requestsPerMinute: 2 });
		const failed = {
			outcome: {
				failure: {
					message: REFUSED,
					description: expect.stringMatching(/^Correct 'Username' and 'Password'/) as unknown,
					cause: '401',
					accountWide: true,
				},
			},
			tookMs: 0,
		};

		const attempts = await Promise.all([1, 2, 3].map(async () => await request(transport)));

		expect(attempts).toEqual([failed, failed, failed]);
		await expect(request(transport)).resolves.toEqual(failed);
		expect(routes()).toEqual(['token']);
		expect(calls).toHaveLength(1);
		await expect(hasPlace(transport)).resolves.toBe(true);
	});

	it('a login that is refused because there are too many requests stops the account, and is tried again after that', async () => {
		const headers = { 'retry-after': '2' };
		failLogin({ kind: 'status', status: 429, headers });
		fail(SITE);
		const { transport } = withoutToken();

		const reading = request(transport);
		await received('token');
		while (transport.account.tokens.renewal) await settled();
		expect(limitOf(transport.account.budget).cause).toBe('stopped');
		const late = await request(transport, { maxWaitMs: 0 });

		expect(late).toMatchObject({ outcome: { failure: { noPlace: true } } });
		await expect(reading).resolves.toMatchObject({ outcome: { value: { json: { siteId: 7 } } } });
		expect(routes()).toEqual(['token', 'token', 'site']);
	});

	it('a login that n8n does not make says why, and leaves no place behind', async () => {
		const { transport } = withoutToken({
			requestsPerMinute: 1,
			beforeSending() {
				throw new Error('Not allowed to pass');
			},
		});

		await expect(request(transport)).resolves.toMatchObject({
			outcome: {
				failure: {
					message: 'n8n did not send the login',
					description: 'Not allowed to *****.',
					cause: 'notSent',
					accountWide: true,
				},
			},
		});
		expect(routes()).toEqual([]);
		await expect(hasPlace(transport)).resolves.toBe(true);
	});

	it('a login is made by a request whose token was rejected for another one while it waited for its turn', async () => {
		// So two of them may be under way at once.
		const { transport, calls } = watched({ requestsPerMinute: 20 });
		const { tokens, budget } = transport.account;
		fail(SITE);
		await request(transport);
		const places = [await takePlace(transport), await takePlace(transport)];
		fail(SITE);
		const reading = request(transport);
		await settled();

		const token = { value: 'stored-token', issuedAt: 0 };
		expect(tokens.reject(token, 'another document')).toBe('again');
		for (const place of places) budget.giveBack(place);

		await expect(reading).resolves.toMatchObject({ outcome: { value: { json: { siteId: 7 } } } });
		expect(routes()).toEqual(['site', 'token', 'site']);
		expect(calls.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
	});
});
