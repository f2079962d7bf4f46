import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import { accountOf, type Account } from '../account/account';
import { Queue, type QueueKind } from '../account/rateLimiter';
import type { StreamedResponse } from '../account/send';
import { checkSettings } from '../account/settings';
import { MESSAGES } from '../messages/messages';
import { inputError } from './errors';

const CREDENTIAL_TYPE = 'aquacultureApi';

/** Sends the requests of an execution or a poll. */
export interface Client {
	readonly account: Account;
	/** As n8n read it at the beginning. */
	readonly credential: ICredentialDataDecryptedObject;
	readonly queue: Queue;
	/** Until when requests may wait for slots, by the clock of the account. */
	readonly waitDeadline?: number;
	/** Cancels all requests. */
	readonly signal?: AbortSignal | undefined;
	/** Calls n8n's helper with options for a {@link StreamedResponse}. */
	send(
		options: IHttpRequestOptions,
		credential: ICredentialDataDecryptedObject,
	): Promise<StreamedResponse>;
}

/**
 * Reads the credential, once: n8n's helper gets its data, and need not read and decrypt it for every request (n8n 1.123 and
 * 2.40).
 *
 * @throws NodeOperationError that names the field of the credential that cannot be used.
 */
export async function clientFor(
	context: IExecuteFunctions | IPollFunctions | ILoadOptionsFunctions,
	kind: QueueKind,
	limits: Pick<Client, 'signal' | 'waitDeadline'> = {},
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
			})) as StreamedResponse,
	};
}

/** Compare the credential of at most this many items: n8n 2.40 takes more than a millisecond to read it. */
const MAX_COMPARED_ITEMS = 10;

/**
 * Checks that the credential is the same for all items, because an execution uses one account. Expressions in the credential
 * could make it another one for each item. Of many items, looks at the last one and some in between.
 *
 * @param items indexes of the input items.
 * @throws NodeOperationError that names an item for which the credential has other values.
 */
export async function checkCredentialOf(
	context: IExecuteFunctions,
	{ credential }: Client,
	items: readonly number[],
): Promise<void> {
	const first = JSON.stringify(credential);
	const step = Math.max(1, Math.ceil((items.length - 1) / MAX_COMPARED_ITEMS));
	for (let at = items.length - 1; at > 0; at -= step) {
		const itemIndex = items[at] as number;
		const own = await context.getCredentials(CREDENTIAL_TYPE, itemIndex);
		if (JSON.stringify(own) === first) continue;
		const { message, description } = MESSAGES.credential.differs(itemIndex + 1);
		throw inputError(context.getNode(), message, description, itemIndex);
	}
}
