import axios, { type AxiosError } from 'axios';
import {
	NodeApiError,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
	type JsonObject,
} from 'n8n-workflow';
import { toStoredFields } from '../../../../credentials/token/storedToken';
import { obtainToken, signRequest } from '../../../../credentials/token/signing';
import { Cancellation } from '../../../../nodes/Aquaculture/transport/cancellation';
import type { Transport } from '../../../../nodes/Aquaculture/transport/transport';
import { accountOf } from '../../../../shared/account/accounts';
import { Lane } from '../../../../shared/budget/lane';
import { checkConnection, type Connection } from '../../../../shared/connection';
import { credentialFor } from '../../../credentials/token/credentialFor';
import { helpers } from '../../../credentials/token/httpRequest';
import { nodeOf } from '../nodeOf';

export interface Circumstances {
	/** The account; one of its own where it is left out, since what is known of an account outlives its transports. */
	username?: string;
	/** The stored token, which the emulator need not know where faults answer; an empty one has to be obtained. */
	accessToken?: string;
	/** The credential's; 0 for no limit. */
	requestsPerMinute?: number;
	isPoll?: boolean;
	/** What happens to a request before it is signed; what it throws keeps the request from being sent. */
	beforeSending?(
		options: IHttpRequestOptions,
		credential: Parameters<Transport['send']>[1],
		signal: AbortSignal,
	): void;
}

/** The password of each account. */
export const PASSWORD = 'pass';

let accounts = 0;

/** Signs with the credential's own functions and sends, and wraps a failure as n8n's helper does. */
export function transportTo(
	baseUrl: string,
	{
		username = `transport-${++accounts}`,
		accessToken = 'stored-token',
		requestsPerMinute = 0,
		isPoll = false,
		beforeSending,
	}: Circumstances = {},
): Transport {
	const fields = { ...credentialFor(baseUrl, username, PASSWORD), requestsPerMinute };
	const connection = checkConnection(fields).value as Connection;
	const account = accountOf(connection);
	const stored = toStoredFields(connection, { value: accessToken, issuedAt: Date.now() });
	return {
		connection,
		credential: { ...fields, ...(accessToken === '' ? { accessToken } : stored) },
		account,
		budget: account.budget,
		lane: new Lane(isPoll),
		cancellation: new Cancellation(),
		async send(options, credential, signal) {
			const obtain = async () => Object.assign(credential, await obtainToken(helpers, credential));
			const signAndSend = async () => await get(await signRequest(credential, options), signal);
			try {
				beforeSending?.(options, credential, signal);
				if (credential.accessToken === '') await obtain();
				try {
					return await signAndSend();
				} catch (error) {
					if ((error as AxiosError).response?.status !== 401) throw error;
				}
				await obtain();
				return await signAndSend();
			} catch (error) {
				throw new NodeApiError(nodeOf(), error as JsonObject);
			}
		},
	};
}

async function get(
	{ url = '', headers }: Partial<IHttpRequestOptions>,
	signal: AbortSignal,
): Promise<IN8nHttpFullResponse> {
	const { status, data, ...response } = await axios.get<unknown>(url, {
		headers: headers as Record<string, string>,
		signal,
		responseType: 'stream',
		maxRedirects: 0,
		validateStatus: () => true,
	});
	return { statusCode: status, headers: response.headers, body: data } as IN8nHttpFullResponse;
}
