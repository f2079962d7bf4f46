import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';
import { accountOf, type Account } from '../../../account/account';
import { Queue, type QueueKind } from '../../../account/limit';
import { checkSettings } from '../../../account/settings';
import { inputError } from './errors';

const CREDENTIAL_TYPE = 'aquacultureApi';

/** What an execution, a poll or a list in the panel needs to ask the service for documents. */
export interface Client {
	readonly account: Account;
	/** The credential's data, as n8n has read it. */
	readonly credential: ICredentialDataDecryptedObject;
	/** In which its requests wait for their places. */
	readonly queue: Queue;
	/** Until when they may wait, by the clock of the account. */
	readonly waitEndsAt?: number;
	/** Ends all of them. */
	readonly signal?: AbortSignal | undefined;
	/** Calls n8n's helper, which signs and sends a request with the data of a credential. */
	send(
		options: IHttpRequestOptions,
		credential: ICredentialDataDecryptedObject,
	): Promise<IN8nHttpFullResponse>;
}

/**
 * Reads the credential once. Handing its data to n8n's helper keeps that from reading and decrypting it again for every
 * request; storing of the token and proxy settings stay with n8n (n8n 1.123 and 2.40).
 *
 * @throws NodeOperationError that names the field of the credential that cannot be used.
 */
export async function clientFor(
	context: IExecuteFunctions | IPollFunctions | ILoadOptionsFunctions,
	kind: QueueKind,
	limits: Pick<Client, 'signal' | 'waitEndsAt'> = {},
): Promise<Client> {
	const credential = await context.getCredentials(CREDENTIAL_TYPE);
	const { value: settings, failure } = checkSettings(credential);
	if (failure) throw inputError(context.getNode(), failure.message, failure.description);
	const { id, name } = context.getNode().credentials?.[CREDENTIAL_TYPE] ?? {};
	return {
		...limits,
		account: accountOf(settings),
		credential,
		queue: new Queue(kind, settings.requestsPerMinute, name),
		send: async (options, data) =>
			(await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL_TYPE, options, {
				credentialsDecrypted: { id: id ?? '', name: name ?? '', type: CREDENTIAL_TYPE, data },
			})) as IN8nHttpFullResponse,
	};
}
