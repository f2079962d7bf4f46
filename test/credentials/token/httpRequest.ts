import axios from 'axios';
import type { IHttpRequestHelper, IHttpRequestOptions } from 'n8n-workflow';

/** n8n's helper for requests without a credential, as far as the exchange uses it. */
async function httpRequest(options: IHttpRequestOptions): Promise<unknown> {
	const { status, headers, data } = await axios.request<unknown>({
		method: options.method ?? 'GET',
		url: options.url,
		headers: options.headers as Record<string, string>,
		data: options.body,
		signal: options.abortSignal as AbortSignal,
		responseType: 'stream',
		maxRedirects: 0,
		validateStatus: () => true,
	});
	return { statusCode: status, headers, body: data };
}

/** What n8n hands a credential to send requests with. */
export const helpers = { httpRequest } as IHttpRequestHelper['helpers'];
