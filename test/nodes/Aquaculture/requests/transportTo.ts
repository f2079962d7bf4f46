import axios from 'axios';
import {
	NodeApiError,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
	type JsonObject,
} from 'n8n-workflow';
import { obtainToken, signRequest } from '../../../../credentials/token/n8nHooks';
import { Cancellation } from '../../../../nodes/Aquaculture/requests/cancellation';
import type { Transport } from '../../../../nodes/Aquaculture/requests/transport';
import { accountOf } from '../../../../account/accounts';
import { toStoredFields } from '../../../../account/storedToken';
import type { QueueKind } from '../../../../account/limit/queue';
import { checkConnection, type Connection } from '../../../../account/connection';
import { credentialFor } from '../../../credentials/token/credentialFor';
import { helpers } from '../../../credentials/token/httpRequest';
import { nodeOf } from '../nodeOf';

export interface Circumstances {
	/** The account; one of its own if it is left out, since what is known of an account outlives its transports. */
	username?: string;
	/** The stored token, which the emulator need not know if faults answer; an empty one has to be obtained. */
	accessToken?: string;
	/** The credential's; 0 for no limit. */
	requestsPerMinute?: number;
	queueKind?: QueueKind;
	/** What happens at each call of n8n's helper; what it throws keeps the request from being sent. */
	beforeSending?: (
		options: IHttpRequestOptions,
		data: ICredentialDataDecryptedObject,
		signal?: AbortSignal,
	) => void;
}

/** The password of each account. */
export const PASSWORD = 'pass';

let accounts = 0;

/** Obtains tokens and signs with the credential's own functions, and sends, as n8n's helper does; so does it wrap failures. */
export function transportTo(
	baseUrl: string,
	{
		username = `transport-${++accounts}`,
		accessToken = 'stored-token',
		requestsPerMinute = 0,
		queueKind = 'execution',
		beforeSending,
	}: Circumstances = {},
): Transport {
	const fields = { ...credentialFor(baseUrl, username, PASSWORD), requestsPerMinute };
	const connection = checkConnection(fields).value as Connection;
	const account = accountOf(connection);
	const stored = toStoredFields(connection, { value: accessToken, issuedAt: Date.now() });
	return {
		credential: { ...fields, ...(accessToken === '' ? { accessToken } : stored) },
		account,
		queueKind,
		cancellation: new Cancellation(),
		async send(options, data, signal) {
			try {
				beforeSending?.(options, data, signal);
				if (data.accessToken === '') Object.assign(data, await obtainToken(helpers, data));
				return await get(await signRequest(data, options), signal);
			} catch (error) {
				throw new NodeApiError(nodeOf(), error as JsonObject);
			}
		},
	};
}

async function get(
	{ url = '', headers }: Partial<IHttpRequestOptions>,
	signal?: AbortSignal,
): Promise<IN8nHttpFullResponse> {
	const { status, data, ...response } = await axios.get<unknown>(url, {
		headers: headers as Record<string, string>,
		...(signal && { signal }),
		responseType: 'stream',
		maxRedirects: 0,
		validateStatus: () => true,
	});
	return { statusCode: status, headers: response.headers, body: data } as IN8nHttpFullResponse;
}
