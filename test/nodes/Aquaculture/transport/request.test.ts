import type { IHttpRequestOptions } from 'n8n-workflow';
import { siteDocument } from '../../../../api/documents';
import { TokenFailure } from '../../../../credentials/token/tokenFailure';
import { Emulator } from '../../../../emulator/server';
import {
	requestDocument,
	type DocumentRequest,
} from '../../../../nodes/Aquaculture/transport/request';
import { transportTo } from './transportTo';

const SITE_7: DocumentRequest<unknown> = {
	...siteDocument(7, []),
	check: (value) => ({ value }),
};

let emulator: Emulator;

beforeAll(async () => {
	emulator = await Emulator.start();
});
afterAll(async () => await emulator.stop());
beforeEach(() => emulator.reset());

const answerWith = (status: number, headers: Record<string, string> = {}) =>
	emulator.fail({
		route: 'site',
		fault: { kind: 'status', status, headers, body: '{"why":"pass"}' },
	});

describe.each(['1.x', '2.x'] as const)('a request that fails in n8n %s', (version) => {
	const read = async (transport = transportTo(emulator.baseUrl, { version })) =>
		await requestDocument(transport, SITE_7, 2000);

	it.each([400, 401, 403, 404, 408, 418, 500, 503])(
		'keeps status %d and the body',
		async (status) => {
			answerWith(status);

			await expect(read()).resolves.toMatchObject({
				failure: {
					message: expect.stringContaining('site 7') as unknown,
					statusCode: status,
					body: { why: '*****' },
				},
			});
		},
	);

	it('tells how long to wait, and where a redirect points', async () => {
		answerWith(429, { 'retry-after': '9' });
		expect((await read()).failure).toMatchObject({ passing: true, waitMs: 9000 });

		emulator.reset();
		answerWith(302, { location: 'https://example.com/there' });
		expect((await read()).failure?.message).toContain('https://example.com/there');
	});

	it('explains a connection', async () => {
		const { failure } = await read(transportTo('http://127.0.0.1:1', { version }));

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
			failure: { message: 'Refused', description: 'Do this', accountWide: true, cause: '401' },
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
			failure: {
				message: 'Domain not allowed',
				description: 'n8n did not send the request.',
				cause: 'notSent',
			},
		});
	});
});

describe('a request', () => {
	const answer = () =>
		emulator.fail({ route: 'site', fault: { kind: 'body', body: '{"siteId":7}' } });

	it.each<[string | undefined, Record<string, string>]>([
		[undefined, { Accept: 'application/json' }],
		['2024-05-06', { Accept: 'application/json', 'Service-Version': '2024-05-06' }],
	])('names version %s where it is not the credential’s', async (dataVersion, headers) => {
		answer();
		const sent: IHttpRequestOptions[] = [];
		const transport = transportTo(emulator.baseUrl, {
			beforeSending: (options) => sent.push(options),
		});

		await requestDocument(transport, { ...SITE_7, dataVersion }, 2000);

		expect(sent.map((options) => options.headers)).toEqual([headers]);
		expect(Object.keys(sent[0]?.headers ?? {})).toEqual(Object.keys(headers));
	});

	it('never throws, whatever its check does', async () => {
		answer();
		const check = () => {
			throw new RangeError('Not with pass');
		};

		await expect(
			requestDocument(transportTo(emulator.baseUrl), { ...SITE_7, check }, 2000),
		).resolves.toEqual({
			failure: {
				message: 'The answer for site 7 could not be processed',
				description: 'Tell the maintainers of this node: Not with *****.',
			},
		});
	});

	it('is over when its time is, and says after how long', async () => {
		emulator.fail({ route: 'site', fault: { kind: 'hang' } });
		const signals: AbortSignal[] = [];
		const transport = transportTo(emulator.baseUrl, {
			beforeSending: (_options, _credential, signal) => signals.push(signal),
		});

		await expect(requestDocument(transport, SITE_7, 30)).resolves.toEqual({
			failure: {
				message: 'The service did not send the whole answer for site 7 within 0.03 seconds',
				description: 'Run the workflow again, or raise Timeout under Options.',
				cause: 'timeout',
				passing: true,
				timedOut: true,
			},
		});
		expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
	});

	it('is over when the execution is cancelled, and says so', async () => {
		emulator.fail({ route: 'site', fault: { kind: 'hang' } });
		const transport = transportTo(emulator.baseUrl);

		const reading = requestDocument(transport, SITE_7, 60_000);
		transport.cancellation.cancel();

		await expect(reading).resolves.toMatchObject({ failure: { cancelled: true } });
	});

	it('leaves its means to end it to the next one, unless something may be under way still', async () => {
		const signals: AbortSignal[] = [];
		let renews = false;
		const transport = transportTo(emulator.baseUrl, {
			beforeSending(_options, credential, signal) {
				signals.push(signal);
				if (renews) credential.accessToken = 'newer';
			},
		});
		const read = async () => await requestDocument(transport, SITE_7, 2000);

		answer();
		await read();
		await read();
		renews = true;
		await read();
		renews = false;
		await read();
		emulator.reset();
		answerWith(500);
		await read();
		await read();

		const [first, , , fourth, , sixth] = signals;
		expect(signals).toEqual([first, first, first, fourth, fourth, sixth]);
		expect(new Set(signals).size).toBe(3);
		expect([first?.aborted, fourth?.aborted, sixth?.aborted]).toEqual([true, true, true]);
	});

	it.each<[Record<string, string>, Record<string, string>]>([
		[
			{ accessToken: 'newer', tokenBinding: 'binding' },
			{ accessToken: 'newer', tokenBinding: 'binding' },
		],
		[{ accessToken: 'newer' }, { accessToken: 'token' }],
		[{ tokenBinding: 'binding' }, { accessToken: 'token', tokenBinding: 'binding' }],
		[{ accessToken: '', tokenBinding: 'binding' }, { accessToken: 'token' }],
	])('keeps a token with its binding for the next one: %j', async (found, kept) => {
		answer();
		const transport = transportTo(emulator.baseUrl, {
			beforeSending: (_options, credential) => Object.assign(credential, found),
		});

		await requestDocument(transport, SITE_7, 2000);

		expect(transport.credential).toEqual({ password: 'pass', ...kept });
	});
});
