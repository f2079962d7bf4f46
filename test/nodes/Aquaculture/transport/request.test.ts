import type { Readable } from 'node:stream';
import { siteDocument } from '../../../../api/site';
import type { Fault } from '../../../../emulator/faults';
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
afterEach(() => emulator.reset());

const SITE: Fault = { kind: 'body', body: '{"siteId":7}' };
const fail = (fault: Fault) => emulator.fail({ route: 'site', fault, times: 1 });
const moment = async () => await new Promise((resolve) => setTimeout(resolve, 10));

const request = async (
	transport: Transport,
	{ timeoutMs = 2000, maxWaitMs = Infinity, document = SITE_7 } = {},
) => await requestDocument(transport, document, timeoutMs, () => maxWaitMs);

describe('a request that fails', () => {
	it('keeps its status where the body never comes', async () => {
		fail({ kind: 'status', status: 404 });
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

	it('because n8n does not send it repeats what n8n says', async () => {
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
});

/** A transport, and the signals of the requests that were sent with it. */
function transportWithSignals() {
	const signals: AbortSignal[] = [];
	const transport = transportTo(emulator.baseUrl, {
		beforeSending: (_options, _credential, signal) => signals.push(signal),
	});
	return { transport, signals };
}

describe('a request', () => {
	it('never throws, whatever its check does', async () => {
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
		['its time is over', 30, false, { cause: 'timeout', passing: true, timedOut: true }],
		[
			'the execution is cancelled',
			60_000,
			true,
			// n8n recognises it by this word.
			{ message: expect.stringContaining('canceled'), cancelled: true, accountWide: true },
		],
	])('ends when %s, and says so', async (_what, timeoutMs, isCancelled, failure) => {
		fail({ kind: 'hang' });
		const { transport, signals } = transportWithSignals();

		const reading = request(transport, { timeoutMs });
		if (isCancelled) transport.cancellation.cancel();

		const { outcome, tookMs } = await reading;
		expect(outcome.failure).toMatchObject(failure);
		if (!isCancelled) expect(tookMs).toBeGreaterThanOrEqual(29);
		expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
	});

	it('is aborted where something may be under way still, and left alone where it was answered', async () => {
		const { transport, signals } = transportWithSignals();
		fail(SITE);
		fail({ kind: 'status', status: 500 });

		await request(transport);
		await request(transport);
		transport.cancellation.cancel();

		expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
	});
});

describe('the account', () => {
	it('stops where a request is refused, for as long as the service asks', async () => {
		const headers = {
			'retry-after': 'Thu, 01 Jan 2026 00:02:00 GMT',
			date: 'Thu, 01 Jan 2026 00:00:00 GMT',
		};
		fail({ kind: 'status', status: 429, headers });
		const transport = transportTo(emulator.baseUrl);

		await expect(request(transport)).resolves.toMatchObject({ inconclusive: 'refused' });

		expect(Math.round(transport.budget.stoppedMs() / 1000)).toBe(120);
		const late = await request(transport, { maxWaitMs: 100_000 });
		expect(late).toMatchObject({ inconclusive: 'tooLate', tookMs: 0 });
		expect(emulator.journal.count('site')).toBe(1);
	});

	it.each<[string, Fault, timeoutMs: number]>([
		['it was answered with success', SITE, 2000],
		['it was answered with another status', { kind: 'status', status: 404 }, 2000],
		['the connection broke off', { kind: 'reset' }, 2000],
		['its time was over', { kind: 'hang' }, 100],
		['it was cancelled', { kind: 'hang' }, 60_000],
	])('counts a request until a minute after %s', async (_what, fault, timeoutMs) => {
		fail(fault);
		const transport = transportTo(emulator.baseUrl, { requestsPerMinute: 1 });

		const reading = request(transport, { timeoutMs });
		if (timeoutMs === 60_000) {
			while (emulator.journal.count('site') === 0) await moment();
			transport.cancellation.cancel();
		}
		await reading;

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
		await moment();

		place?.giveBack();
		transport.cancellation.cancel();
		await expect(reading).resolves.toMatchObject({ outcome: { failure: { cancelled: true } } });
		await moment();

		expect(emulator.journal.requests).toEqual([]);
		await expect(budget.enter(entry)).resolves.toBeDefined();
	});
});
