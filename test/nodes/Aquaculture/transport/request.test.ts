import axios from 'axios';
import {
	NodeApiError,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
	type JsonObject,
} from 'n8n-workflow';
import { siteDocument } from '../../../../api/documents';
import { TokenFailure } from '../../../../credentials/token/tokenFailure';
import { Emulator } from '../../../../emulator/server';
import { Cancellation } from '../../../../nodes/Aquaculture/transport/cancellation';
import { Deadlines } from '../../../../nodes/Aquaculture/transport/deadlines';
import { requestDocument } from '../../../../nodes/Aquaculture/transport/request';
import type { Transport } from '../../../../nodes/Aquaculture/transport/transport';
import type { Connection } from '../../../../shared/connection';

const NODE = {
	id: '',
	name: '',
	type: '',
	typeVersion: 1,
	position: [0, 0] as [number, number],
	parameters: {},
};

/**
 * Sends as n8n's helper does. n8n 1.x wraps a failure as 2.x does, except that the wrapping error has no cause: a field
 * that is declared in its class overwrites it. That both versions behave so is proven in test/n8n/rest.test.ts: "a site
 * request that fails … has its own sentence".
 */
function transportOf(version: '1.x' | '2.x', beforeSending?: () => void): Transport {
	return {
		connection: {} as Connection,
		credential: { password: 'pass', accessToken: 'token' },
		cancellation: new Cancellation(),
		deadlines: new Deadlines(),
		async send({ url, headers }: IHttpRequestOptions, _credential, signal) {
			try {
				beforeSending?.();
				const { status, data, ...response } = await axios.get<unknown>(url, {
					headers: headers as Record<string, string>,
					signal,
					responseType: 'stream',
					maxRedirects: 0,
				});
				return {
					statusCode: status,
					headers: response.headers,
					body: data,
				} as IN8nHttpFullResponse;
			} catch (error) {
				const wrapped = new NodeApiError(NODE, error as JsonObject);
				if (version === '1.x') Object.assign(wrapped, { cause: undefined });
				throw wrapped;
			}
		},
	};
}

describe.each(['1.x', '2.x'] as const)('a request that fails in n8n %s', (version) => {
	let emulator: Emulator;

	beforeAll(async () => {
		emulator = await Emulator.start();
	});
	afterAll(async () => await emulator.stop());
	beforeEach(() => emulator.reset());

	const read = async (transport = transportOf(version), baseUrl = emulator.baseUrl) =>
		await requestDocument(
			{ ...transport, connection: { baseUrl } as Connection },
			{ ...siteDocument(7, []), check: (value) => ({ value }) },
			2000,
		);
	const answerWith = (status: number, headers: Record<string, string> = {}) =>
		emulator.fail({
			route: 'site',
			fault: { kind: 'status', status, headers, body: '{"why":"pass"}' },
		});

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
		const { failure } = await read(undefined, 'http://127.0.0.1:1');

		expect(failure?.message).toBe('The service refused the connection, so site 7 was not read');
	});

	it('recognises that no token can be had', async () => {
		const transport = transportOf(version, () => {
			throw new TokenFailure({ message: 'Refused', description: 'Do this' });
		});

		await expect(read(transport)).resolves.toEqual({
			failure: { message: 'Refused', description: 'Do this', accountWide: true },
		});
	});

	it('hands on what n8n itself says', async () => {
		const transport = transportOf(version, () => {
			throw new Error('Domain not allowed');
		});

		await expect(read(transport)).resolves.toEqual({
			failure: { message: 'Domain not allowed', description: 'n8n did not send the request.' },
		});
	});
});
