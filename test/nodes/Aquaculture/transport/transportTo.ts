import axios from 'axios';
import {
	NodeApiError,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
	type JsonObject,
} from 'n8n-workflow';
import { Cancellation } from '../../../../nodes/Aquaculture/transport/cancellation';
import { Deadlines } from '../../../../nodes/Aquaculture/transport/deadlines';
import type { Transport } from '../../../../nodes/Aquaculture/transport/transport';
import type { Connection } from '../../../../shared/connection';
import { nodeOf } from '../nodeOf';

export interface Circumstances {
	/** Whose helper it is. */
	version?: '1.x' | '2.x';
	/** What happens to a request before it is sent; what it throws keeps the request from being sent. */
	beforeSending?(
		options: IHttpRequestOptions,
		credential: Parameters<Transport['send']>[1],
		signal: AbortSignal,
	): void;
}

/**
 * Sends as n8n's helper does. n8n 1.x wraps a failure as 2.x does, except that the wrapping error has no cause: a field
 * that is declared in its class overwrites it. That both versions behave so is proven in test/n8n/rest.test.ts: "a site
 * request that fails … has its own sentence".
 */
export function transportTo(
	baseUrl: string,
	{ version = '2.x', beforeSending }: Circumstances = {},
): Transport {
	return {
		connection: { baseUrl, versionHeader: 'Service-Version' } as Connection,
		credential: { password: 'pass', accessToken: 'token' },
		cancellation: new Cancellation(),
		deadlines: new Deadlines(),
		async send(options, credential, signal) {
			try {
				beforeSending?.(options, credential, signal);
				const { status, data, ...response } = await axios.get<unknown>(options.url, {
					headers: options.headers as Record<string, string>,
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
				const wrapped = new NodeApiError(nodeOf(), error as JsonObject);
				if (version === '1.x') Object.assign(wrapped, { cause: undefined });
				throw wrapped;
			}
		},
	};
}
