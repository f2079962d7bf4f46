import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';
import { accountOf, type Account } from '../account/account';
import { Queue, type QueueKind } from '../account/rateLimiter';
import { checkSettings } from '../account/settings';
import { MESSAGES } from '../messages/messages';
import { inputError } from './errors';

const CREDENTIAL_TYPE = 'aquacultureApi';

/** What an execution, a poll or a list in the panel needs to ask the service for documents. */
export interface Client {
	readonly account: Account;
	/** The credential's data, as n8n has read it at the beginning. */
	readonly credential: ICredentialDataDecryptedObject;
	/** Reads it again, as somebody may have edited it. */
	credentialNow(): Promise<ICredentialDataDecryptedObject>;
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
		// It may have been deleted.
		credentialNow: async () =>
			await context.getCredentials(CREDENTIAL_TYPE).catch(() => credential),
		queue: new Queue(kind, settings.requestsPerMinute, name),
		send: async (options, data) =>
			(await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL_TYPE, options, {
				credentialsDecrypted: { id: id ?? '', name: name ?? '', type: CREDENTIAL_TYPE, data },
			})) as IN8nHttpFullResponse,
	};
}

/** With how many further items that of the first one is compared: reading it takes n8n more than a millisecond (n8n 2.40). */
const COMPARED_ITEMS = 10;

/**
 * All items of an execution are read with one account. In a credential with expressions, it could be another one for each.
 *
 * @param items indexes of the input items; of many, the last one and some between are looked at.
 * @throws NodeOperationError that names an item for which the credential has other values.
 */
export async function checkCredentialOf(
	context: IExecuteFunctions,
	{ credential }: Client,
	items: readonly number[],
): Promise<void> {
	const first = settingsIn(credential);
	const step = Math.max(1, Math.ceil((items.length - 1) / COMPARED_ITEMS));
	for (let at = items.length - 1; at > 0; at -= step) {
		const itemIndex = items[at] as number;
		const own = await context.getCredentials(CREDENTIAL_TYPE, itemIndex);
		if (settingsIn(own) === first) continue;
		const { message, description } = MESSAGES.credential.differs(itemIndex + 1);
		throw inputError(context.getNode(), message, description, itemIndex);
	}
}

/** Other executions may store another token meanwhile. */
function settingsIn(credential: ICredentialDataDecryptedObject): string {
	return JSON.stringify({ ...credential, accessToken: undefined, tokenBinding: undefined });
}
