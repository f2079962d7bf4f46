import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	IPollFunctions,
} from 'n8n-workflow';
import { getAccount, type Account } from '../login/account';
import { logIn } from './logIn';
import type { Login } from '../login/tokenSource';
import { Queue } from '../limit/queue';
import type { StreamedResponse } from './exchange';
import { checkCredentialSettings } from '../input/credentialSettings';
import { CREDENTIAL_MESSAGES } from '../messages/invalid';
import { inputError } from '../n8n/errors';
import { CREDENTIAL_TYPE } from '../service/constants';

/** What the requests of an execution or a poll share. */
export interface Client {
	readonly account: Account;
	/** The credential as n8n read it at the beginning. */
	readonly credential: ICredentialDataDecryptedObject;
	readonly queue: Queue;
	/** Until when requests may wait for slots, by the limiter's clock. */
	readonly waitDeadline?: number;
	/** Cancels all requests. */
	readonly signal?: AbortSignal | undefined;
	readonly logIn: Login;
	/**
	 * Calls n8n's helper with options for a {@link StreamedResponse}. It has the credential's `authenticate` sign the request, which asks
	 * back for token and signature (`credentialHooks.ts`). `httpRequest` would be the shorter way, but n8n's reviewers and lint rules
	 * (`no-http-request-with-manual-auth`) want a node to leave signing to its credential.
	 */
	send(
		options: IHttpRequestOptions,
		credential: ICredentialDataDecryptedObject,
	): Promise<StreamedResponse>;
}

/**
 * Reads the credential once, and passes its data to n8n's helper, which would otherwise read and decrypt it for every
 * request (n8n 1.123 and 2.40).
 *
 * @throws NodeOperationError that names the field of the credential that cannot be used.
 */
export async function createClient(
	context: IExecuteFunctions | IPollFunctions,
	owner: 'execution' | 'poll' | 'interactivePoll',
	limits: Pick<Client, 'signal' | 'waitDeadline'> = {},
): Promise<Client> {
	const credential = await context.getCredentials(CREDENTIAL_TYPE);
	const { value: settings, failure } = checkCredentialSettings(credential);
	if (failure) throw inputError(context.getNode(), failure);
	const { id, name } = context.getNode().credentials?.[CREDENTIAL_TYPE] ?? {};
	const account = getAccount(settings);
	const { httpRequest } = context.helpers;
	return {
		...limits,
		account,
		credential,
		queue: new Queue(owner, settings.requestsPerMinute),
		logIn: async () => await logIn(httpRequest, account),
		send: async (options, data) =>
			(await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL_TYPE, options, {
				credentialsDecrypted: { id: id ?? '', name: name ?? '', type: CREDENTIAL_TYPE, data },
			})) as StreamedResponse,
	};
}

/** Compare the credential of the first items, because accounts that take turns differ in them. */
const FIRST_COMPARED = 10;
/** Of all items, compare this many, or up to twice as many. n8n 2.40 takes more than a millisecond to read a credential. */
const COMPARED = 100;

/**
 * Compares the credential of some items with that of the first one, because an execution uses one account, but expressions in the
 * credential may depend on the item.
 *
 * @param itemCount how many input items the execution uses.
 * @throws NodeOperationError that names the item for which the credential has other values than for the first one.
 */
export async function spotCheckCredential(
	context: IExecuteFunctions,
	{ credential }: Client,
	itemCount: number,
): Promise<void> {
	const expected = JSON.stringify(credential);
	const step = Math.max(1, Math.floor(itemCount / COMPARED));
	for (let index = 1; index < itemCount; index += 1) {
		const isCompared = index < FIRST_COMPARED || index % step === 0 || index === itemCount - 1;
		if (!isCompared) continue;
		const other = await context.getCredentials(CREDENTIAL_TYPE, index);
		if (JSON.stringify(other) === expected) continue;
		throw inputError(context.getNode(), CREDENTIAL_MESSAGES.differs(index + 1), index);
	}
}
