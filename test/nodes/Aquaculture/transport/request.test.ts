import type { Readable } from 'node:stream';
import { siteDocument } from '../../../../api/site';
import { TokenFailure } from '../../../../credentials/token/tokenFailure';
import { Emulator, UNLIMITED } from '../../../../emulator/server';
import {
	requestDocument,
	type DocumentRequest,
} from '../../../../nodes/Aquaculture/transport/request';
import type { Transport } from '../../../../nodes/Aquaculture/transport/transport';
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

describe('a request that fails', () => {
	it.each<[number, Record<string, string>, boolean, number | undefined]>([
		[404, {}, false, undefined],
		[408, {}, true, undefined],
		[500, { 'retry-after': 'soon' }, true, undefined],
		[503, { 'retry-after': '9', date: 'Thu, 01 Jan 2026 00:00:00 GMT' }, true, 9000],
		[
			503,
			{ 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' },
			true,
			9000,
		],
	])('with %d and %j keeps what is known of it', async (status, headers, passing, waitMs) => {
		answerWith(status, headers);

		const { outcome } = await request(transportTo(emulator.baseUrl));

		expect(outcome.failure).toMatchObject({
			message: expect.stringContaining('site 7') as unknown,
			statusCode: status,
			body: { why: '*****' },
			passing,
		});
		expect(outcome.failure?.waitMs).toBe(waitMs);
	});

	it('says the same where the body never comes', async () => {
		answerWith(404);
		const transport = transportTo(emulator.baseUrl);

		const { outcome } = await request({
			...transport,
			async send(...parameters) {
				const response = await transport.send(...parameters);
				(response.body as Readable).destroy();
				return response;
			},
		});

		expect(outcome.failure).toMatchObject({ statusCode: 404 });
		expect(outcome.failure).not.toHaveProperty('body');
	});

	describe.each(['1.x', '2.x'] as const)('without an answer in n8n %s', (version) => {
		const NO_TOKEN = { message: 'Refused', description: 'Do this', cause: '401' };

		it.each<[string, Error, object]>([
			['no token', new TokenFailure(NO_TOKEN), { ...NO_TOKEN, accountWide: true }],
			[
				'a refusal of n8n',
				new Error('Domain not allowed'),
				{
					message: 'n8n did not send the request for site 7',
					description: 'Domain not allowed.',
					cause: 'notSent',
				},
			],
		])('is explained: %s', async (_what, error, failure) => {
			const beforeSending = () => {
				throw error;
			};

			const { outcome } = await request(transportTo(emulator.baseUrl, { version, beforeSending }));

			expect(outcome).toEqual({ failure });
		});

		it('is explained: no connection', async () => {
			const { outcome } = await request(transportTo('http://127.0.0.1:1', { version }));

			expect(outcome.failure).toMatchObject({ cause: 'ECONNREFUSED' });
		});
	});
});

describe('a request', () => {
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

	it.each<[string, number, boolean, object]>([
		['its time is over', 30, false, { cause: 'timeout', passing: true, timedOut: true }],
		['the execution is cancelled', 60_000, true, { cancelled: true, accountWide: true }],
	])('ends when %s, and says so', async (_what, timeoutMs, isCancelled, failure) => {
		hang();
		const signals: AbortSignal[] = [];
		const transport = transportTo(emulator.baseUrl, {
			beforeSending: (_options, _credential, signal) => signals.push(signal),
		});

		const reading = request(transport, { timeoutMs });
		if (isCancelled) transport.cancellation.cancel();

		const { outcome, tookMs } = await reading;
		expect(outcome.failure).toMatchObject(failure);
		if (!isCancelled) expect(tookMs).toBeGreaterThanOrEqual(29);
		expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
	});

	it('is aborted where something may be under way still, and left alone where it was answered', async () => {
		const signals: AbortSignal[] = [];
		const transport = transportTo(emulator.baseUrl, {
			beforeSending: (_options, _credential, signal) => signals.push(signal),
		});

		answer();
		await request(transport);
		emulator.reset();
		answerWith(500);
		await request(transport);
		transport.cancellation.cancel();

		expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
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
});

describe('the account', () => {
	it.each<Record<string, string>>([
		{ 'retry-after': '120' },
		{ 'retry-after': 'Thu, 01 Jan 2026 00:02:00 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' },
	])('stops where a request is refused, for as long as the service asks: %j', async (headers) => {
		answerWith(429, headers);
		const transport = transportTo(emulator.baseUrl);

		await expect(request(transport)).resolves.toMatchObject({ inconclusive: 'refused' });

		expect(Math.round(transport.budget.stoppedMs() / 1000)).toBe(120);
		const late = await request(transport, { patienceMs: 100_000 });
		expect(late).toMatchObject({ inconclusive: 'tooLate', tookMs: 0 });
		expect(emulator.journal.count('site')).toBe(1);
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
		const entry = { lane, requestsPerMinute: 1, maxWaitMs: 0 };
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

		await expect(request(transport)).resolves.toMatchObject({ inconclusive: 'needsToken' });
	});
});
