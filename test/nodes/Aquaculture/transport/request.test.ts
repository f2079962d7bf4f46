import type { IHttpRequestOptions } from 'n8n-workflow';
import { siteDocument } from '../../../../api/documents';
import { TokenFailure } from '../../../../credentials/token/tokenFailure';
import { Emulator, UNLIMITED } from '../../../../emulator/server';
import {
	requestDocument,
	type DocumentRequest,
} from '../../../../nodes/Aquaculture/transport/request';
import type { Transport } from '../../../../nodes/Aquaculture/transport/transport';
import { hasten, SHORT_MINUTE_MS } from './hasten';
import { transportTo } from './transportTo';

const SITE_7: DocumentRequest<unknown> = {
	...siteDocument(7, []),
	check: (value) => ({ value }),
};
const MINUTE_MS = 60_000;

let emulator: Emulator;

beforeAll(async () => {
	emulator = await Emulator.start(UNLIMITED);
});
afterAll(async () => await emulator.stop());
afterEach(() => {
	emulator.reset();
	emulator.settings.latencyMs = 0;
	jest.restoreAllMocks();
});

const answer = () =>
	emulator.fail({ route: 'site', fault: { kind: 'body', body: '{"siteId":7}' } });
const answerWith = (
	status: number,
	headers: Record<string, string> = {},
	body: string | undefined = '{"why":"pass"}',
) => emulator.fail({ route: 'site', fault: { kind: 'status', status, headers, body } });
const hang = () => emulator.fail({ route: 'site', fault: { kind: 'hang' } });

const request = async (
	transport: Transport,
	{ timeoutMs = 2000, patienceMs = Infinity, document = SITE_7 } = {},
) => await requestDocument(transport, document, timeoutMs, () => patienceMs);

describe.each(['1.x', '2.x'] as const)('a request that fails in n8n %s', (version) => {
	const read = async (transport = transportTo(emulator.baseUrl, { version })) =>
		(await request(transport)).outcome.failure;

	it.each([400, 401, 403, 404, 408, 418, 422, 500, 503])(
		'keeps status %d and the body',
		async (status) => {
			answerWith(status);

			await expect(read()).resolves.toMatchObject({
				message: expect.stringContaining('site 7') as unknown,
				statusCode: status,
				body: { why: '*****' },
				passing: [408, 500, 503].includes(status),
			});
		},
	);

	it('repeats what the service says, without secrets', async () => {
		const body = { code: 'no', message: 'Not with stored-token', traceId: '00-12-01', details: {} };
		answerWith(422, {}, JSON.stringify(body));

		await expect(read()).resolves.toEqual({
			message: 'The service could not carry out the request for site 7',
			description: expect.stringMatching(
				/\. The service says: "Not with \*{5}"\. Trace ID for its operator: 00-12-01\.$/,
			) as unknown,
			statusCode: 422,
			body: { ...body, message: 'Not with *****' },
			passing: false,
		});
	});

	it('says the same where the body never comes', async () => {
		answerWith(404, { 'content-length': '100' }, 'x');

		await expect(read()).resolves.toMatchObject({
			message: 'The service does not know site 7',
			statusCode: 404,
		});
	});

	it.each<[string, string, number]>([
		['9', 'Thu, 01 Jan 2026 00:00:00 GMT', 9000],
		['Thu, 01 Jan 2026 00:00:09 GMT', 'Thu, 01 Jan 2026 00:00:00 GMT', 9000],
	])('tells how long to wait: %s, answered on %s', async (retryAfter, date, waitMs) => {
		answerWith(503, { 'retry-after': retryAfter, date });

		await expect(read()).resolves.toMatchObject({ passing: true, waitMs });
	});

	it('tells where a redirect points, if it does', async () => {
		answerWith(302, { location: 'https://example.com/there' });
		expect((await read())?.message).toContain('https://example.com/there');

		emulator.reset();
		answerWith(302);
		expect((await read())?.message).toBe(
			'The service answered the request for site 7 with status 302',
		);
	});

	it('explains a connection', async () => {
		const failure = await read(transportTo('http://127.0.0.1:1', { version }));

		expect(failure?.message).toBe('The service refused the connection, so site 7 was not read');
	});

	it('recognises that no token can be had', async () => {
		const transport = transportTo(emulator.baseUrl, {
			version,
			beforeSending() {
				throw new TokenFailure({ message: 'Refused', description: 'Do this', cause: '401' });
			},
		});

		await expect(read(transport)).resolves.toEqual({
			message: 'Refused',
			description: 'Do this',
			accountWide: true,
			cause: '401',
		});
	});

	it('hands on what n8n itself says', async () => {
		const transport = transportTo(emulator.baseUrl, {
			version,
			beforeSending() {
				throw new Error('Domain not allowed');
			},
		});

		await expect(read(transport)).resolves.toEqual({
			message: 'n8n did not send the request for site 7',
			description: 'Domain not allowed.',
			cause: 'notSent',
		});
	});
});

describe('a request', () => {
	it.each<[string | undefined, Record<string, string>]>([
		[undefined, { Accept: 'application/json' }],
		['2024-05-06', { Accept: 'application/json', 'Service-Version': '2024-05-06' }],
	])('names version %s where it is not the credential’s', async (dataVersion, headers) => {
		answer();
		const sent: IHttpRequestOptions[] = [];
		const transport = transportTo(emulator.baseUrl, {
			beforeSending: (options) => sent.push(options),
		});

		await request(transport, { document: { ...SITE_7, dataVersion } });

		expect(sent.map((options) => options.headers)).toEqual([headers]);
		expect(Object.keys(sent[0]?.headers ?? {})).toEqual(Object.keys(headers));
	});

	it('never throws, whatever its check does', async () => {
		answer();
		const check = () => {
			throw new RangeError('Not with pass');
		};

		await expect(
			request(transportTo(emulator.baseUrl), { document: { ...SITE_7, check } }),
		).resolves.toMatchObject({
			outcome: {
				failure: {
					message: 'The answer for site 7 could not be processed',
					description: 'Report it to the maintainers of this node: Not with *****.',
				},
			},
		});
	});

	it('is over when its time is, and says after how long', async () => {
		hang();
		const signals: AbortSignal[] = [];
		const transport = transportTo(emulator.baseUrl, {
			beforeSending: (_options, _credential, signal) => signals.push(signal),
		});

		const { outcome, tookMs } = await request(transport, { timeoutMs: 30 });

		expect(outcome).toEqual({
			failure: {
				message: 'Site 7 took longer than 0.03 seconds',
				description: "Run the workflow again, or raise 'Timeout' under Options.",
				cause: 'timeout',
				passing: true,
				timedOut: true,
			},
		});
		expect(tookMs).toBeGreaterThanOrEqual(30);
		expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
	});

	it('is over when the execution is cancelled, and says so', async () => {
		hang();
		const transport = transportTo(emulator.baseUrl);

		const reading = request(transport, { timeoutMs: 60_000 });
		transport.cancellation.cancel();

		await expect(reading).resolves.toMatchObject({ outcome: { failure: { cancelled: true } } });
	});

	it('leaves its means to end it to the next one, unless something may be under way still', async () => {
		const signals: AbortSignal[] = [];
		const transport = transportTo(emulator.baseUrl, {
			beforeSending: (_options, _credential, signal) => signals.push(signal),
		});

		answer();
		await request(transport);
		await request(transport);
		emulator.reset();
		answerWith(500);
		await request(transport);
		await request(transport);

		const [first, second, third, fourth] = signals;
		expect([second, third]).toEqual([first, first]);
		expect(fourth).not.toBe(first);
		expect([first?.aborted, fourth?.aborted]).toEqual([true, true]);
	});

	it.each<[string, Record<string, string>, Record<string, string>]>([
		[
			'a token with its binding',
			{ accessToken: 'newer', tokenBinding: 'binding' },
			{ accessToken: 'newer', tokenBinding: 'binding' },
		],
		['no token without one', { accessToken: 'newer', tokenBinding: '' }, {}],
		['nothing where there is no token', { accessToken: '', tokenBinding: 'binding' }, {}],
	])('keeps %s for the next one', async (_what, found, kept) => {
		answer();
		const transport = transportTo(emulator.baseUrl);
		const { credential, send } = transport;
		const before = { ...credential };

		await request({
			...transport,
			async send(options, copy, signal) {
				const response = await send(options, copy, signal);
				Object.assign(copy, found);
				return response;
			},
		});

		expect(credential).toEqual({ ...before, ...kept });
	});

	it('keeps the token that was obtained for it', async () => {
		const username = 'without-token';
		emulator.settings.accounts[username] = 'pass';
		answer();
		const transport = transportTo(emulator.baseUrl, { username, accessToken: '' });

		await request(transport);
		await request(transport);

		expect(transport.credential.accessToken).toBe(emulator.tokens.issued.at(-1));
		expect(emulator.journal.count('token')).toBe(1);
	});
});

describe('the account', () => {
	it('stops where a request is refused, for as long as the service asks to wait', async () => {
		answerWith(429, { 'retry-after': '120' });
		const transport = transportTo(emulator.baseUrl);

		await expect(request(transport)).resolves.toMatchObject({ isRefused: true });

		const { budget } = transport;
		expect(Math.round(budget.stoppedMs() / 1000)).toBe(120);
		const late = await request(transport, { patienceMs: 100_000 });
		expect(late).toMatchObject({ isTooLate: true, tookMs: 0 });
		expect(emulator.journal.count('site')).toBe(1);
	});

	it('stops until the date that the service names, by its own clock', async () => {
		answerWith(429, {
			date: 'Thu, 01 Jan 2026 00:00:00 GMT',
			'retry-after': 'Thu, 01 Jan 2026 00:02:00 GMT',
		});
		const transport = transportTo(emulator.baseUrl);

		await request(transport);

		expect(Math.round(transport.budget.stoppedMs() / 1000)).toBe(120);
	});

	it('goes on where the service asks to wait for another reason', async () => {
		answerWith(503, { 'retry-after': '120' });
		const transport = transportTo(emulator.baseUrl);

		await request(transport);

		expect(transport.budget.closedMs(transport.lane)).toBe(0);
	});

	it.each<[string, () => void]>([
		['with success', answer],
		['with another status', () => answerWith(404)],
		['not at all', () => emulator.fail({ route: 'site', fault: { kind: 'reset' } })],
		['too late', hang],
	])('counts a request until a minute after it was answered %s', async (_how, prepare) => {
		prepare();
		const transport = transportTo(emulator.baseUrl, { requestsPerMinute: 1 });

		await request(transport, { timeoutMs: 100 });

		const closedMs = transport.budget.closedMs(transport.lane);
		expect(closedMs).toBeGreaterThan(MINUTE_MS - 1000);
		expect(closedMs).toBeLessThanOrEqual(MINUTE_MS);
	});

	it('leaves no place behind where it is cancelled as its turn comes', async () => {
		const transport = transportTo(emulator.baseUrl, { requestsPerMinute: 1 });
		const { budget, lane } = transport;
		const entry = { lane, requestsPerMinute: 1, patienceMs: 0 };
		const place = await budget.enter(entry);
		const reading = request(transport);
		await new Promise((resolve) => setTimeout(resolve, 10));

		place?.giveBack();
		transport.cancellation.cancel();
		await expect(reading).resolves.toMatchObject({ outcome: { failure: { cancelled: true } } });
		await new Promise((resolve) => setTimeout(resolve, 10));

		expect(emulator.journal.requests).toEqual([]);
		await expect(budget.enter(entry)).resolves.toBeDefined();
	});

	it('counts a request that was cancelled', async () => {
		hang();
		const transport = transportTo(emulator.baseUrl, { requestsPerMinute: 1 });

		const reading = request(transport, { timeoutMs: 60_000 });
		while (emulator.journal.count('site') === 0) await new Promise((done) => setTimeout(done, 5));
		transport.cancellation.cancel();
		await reading;

		expect(transport.budget.closedMs(transport.lane)).toBeGreaterThan(MINUTE_MS - 1000);
	});

	it.each([401, 403])('is told that its token was rejected with %d', async (status) => {
		answerWith(status);
		const transport = transportTo(emulator.baseUrl);

		await expect(request(transport)).resolves.toMatchObject({ needsToken: true });
	});

	it('is asked for no token for a document that was rejected with the one that it obtained for it', async () => {
		const username = 'without-rights';
		emulator.settings.accounts[username] = 'pass';
		answerWith(403);
		const read = async (siteId: number) =>
			await request(transportTo(emulator.baseUrl, { username, accessToken: '' }), {
				document: { ...siteDocument(siteId, []), check: (value) => ({ value }) },
			});

		await expect(read(7)).resolves.toMatchObject({ needsToken: true });
		emulator.reset();
		answer();
		await read(8);
		emulator.reset();
		answerWith(403);
		await expect(read(7)).resolves.not.toHaveProperty('needsToken');
	});
});

describe('the time of a request', () => {
	it('begins when it is sent, however long it has waited for the budget', async () => {
		hasten();
		answer();
		const transport = transportTo(emulator.baseUrl, { requestsPerMinute: 1 });
		await request(transport);
		const beganAt = performance.now();

		const { outcome, tookMs } = await request(transport, { timeoutMs: SHORT_MINUTE_MS / 2 });

		expect(outcome.answer?.json).toEqual({ siteId: 7 });
		expect(performance.now() - beganAt).toBeGreaterThan(SHORT_MINUTE_MS - 100);
		expect(tookMs).toBeLessThan(SHORT_MINUTE_MS / 2);
	});

	it('begins when it is sent, however long the login has taken', async () => {
		const username = 'slow-login';
		emulator.settings.accounts[username] = 'pass';
		emulator.fail({ route: 'token', times: 2, fault: { kind: 'status', status: 503 } });
		answer();
		jest.spyOn(Math, 'random').mockReturnValue(0.4);
		const transport = transportTo(emulator.baseUrl, { username, accessToken: '' });
		const beganAt = performance.now();

		const { outcome, tookMs } = await request(transport, { timeoutMs: 300 });

		expect(outcome.answer?.json).toEqual({ siteId: 7 });
		expect(performance.now() - beganAt).toBeGreaterThan(500);
		expect(tookMs).toBeLessThan(300);
	});
});

describe('cancelling', () => {
	/** Cancels a request that has not been sent, and looks whether it is sent nevertheless. */
	async function cancel(transport: Transport): Promise<void> {
		const sent = emulator.journal.count('site');
		const reading = request(transport);
		await new Promise((resolve) => setTimeout(resolve, 50));
		const cancelledAt = performance.now();
		transport.cancellation.cancel();

		await expect(reading).resolves.toMatchObject({ outcome: { failure: { cancelled: true } } });
		expect(performance.now() - cancelledAt).toBeLessThan(50);
		await new Promise((resolve) => setTimeout(resolve, 250));
		expect(emulator.journal.count('site')).toBe(sent);
	}

	it('ends the wait for the budget at once', async () => {
		answer();
		const transport = transportTo(emulator.baseUrl, { requestsPerMinute: 1 });
		await request(transport);

		await cancel(transport);
	});

	it('ends the wait for a login at once', async () => {
		answer();
		const username = 'slow-service';
		emulator.settings.accounts[username] = 'pass';
		emulator.settings.latencyMs = 200;

		await cancel(transportTo(emulator.baseUrl, { username, accessToken: '' }));

		expect(emulator.journal.count('token')).toBe(1);
	});
});
