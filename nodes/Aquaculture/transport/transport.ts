import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';
import { accountOf, type Account } from '../../../shared/account/accounts';
import type { Budget } from '../../../shared/budget/budget';
import { Lane } from '../../../shared/budget/lane';
import { checkConnection, type Connection } from '../../../shared/connection';
import { inputError } from '../errors';
import { Cancellation } from './cancellation';

/** What data requests need of n8n and the credential. A transport serves one execution or poll, and one call of `readDocuments`. */
export interface Transport {
	connection: Connection;
	account: Account;
	/** The credential's data, as n8n has read it. */
	credential: ICredentialDataDecryptedObject;
	budget: Budget;
	/** With whom its requests take turns. */
	lane: Lane;
	cancellation: Cancellation;
	/** Signs and sends a request, and ends it when the signal is aborted. */
	send(
		options: IHttpRequestOptions,
		credential: ICredentialDataDecryptedObject,
		signal: AbortSignal,
	): Promise<IN8nHttpFullResponse>;
}

const CREDENTIAL_TYPE = 'aquacultureApi';

/** What n8n offers to a node that is executed, or to a trigger that polls; a poll cannot be cancelled. */
type Context = IExecuteFunctions | IPollFunctions;

/**
 * Reads the credential, once for an execution or a poll, and joins it with n8n's authenticated request helper.
 *
 * Handing the decrypted credential to the helper keeps it from reading and decrypting it again for every request;
 * renewal and storing of the token, proxy settings and cancellation stay with n8n (n8n 1.123 and 2.40).
 *
 * @throws NodeOperationError that names the field of the credential that cannot be used.
 */
export async function transportOf(context: Context): Promise<Transport> {
	const credential = await context.getCredentials(CREDENTIAL_TYPE);
	const { value: connection, failure } = checkConnection(credential);
	if (failure) throw inputError(context.getNode(), failure.message, failure.description);

	const account = accountOf(connection);
	const { id, name } = context.getNode().credentials?.[CREDENTIAL_TYPE] ?? {};
	return {
		connection,
		credential,
		account,
		budget: account.budget,
		lane: new Lane(!('getExecutionCancelSignal' in context)),
		cancellation: new Cancellation(cancelSignalOf(context)),
		async send(options, data, signal) {
			return (await context.helpers.httpRequestWithAuthentication.call(
				endingWith(context, signal),
				CREDENTIAL_TYPE,
				options,
				{ credentialsDecrypted: { id: id ?? '', name: name ?? '', type: CREDENTIAL_TYPE, data } },
			)) as IN8nHttpFullResponse;
		},
	};
}

function cancelSignalOf(context: Context): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/** The same context, except that the helper takes this signal for the one that cancels the execution. */
function endingWith(context: Context, signal: AbortSignal): IExecuteFunctions {
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as IExecuteFunctions;
}
