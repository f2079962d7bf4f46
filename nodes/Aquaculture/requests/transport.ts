import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	IPollFunctions,
} from 'n8n-workflow';
import { accountOf, type Account } from '../../../account/accounts';
import type { QueueKind } from '../../../account/limit/queue';
import { checkConnection } from '../../../account/connection';
import { inputError } from './nodeErrors';
import { Cancellation } from './cancellation';

/** What data requests need of n8n and the credential. A transport serves one execution or poll, and one call of `readDocuments`. */
export interface Transport {
	account: Account;
	/** The credential's data, as n8n has read it. */
	credential: ICredentialDataDecryptedObject;
	/** Whose requests it sends. */
	queueKind: QueueKind;
	cancellation: Cancellation;
	/** Says what takes long while it runs, if a person may wait for it. */
	reportProgress?(message: string): void;
	/** Signs and sends a request, and ends it when the signal is aborted. */
	send(
		options: IHttpRequestOptions,
		credential: ICredentialDataDecryptedObject,
		signal?: AbortSignal,
	): Promise<IN8nHttpFullResponse>;
}

const CREDENTIAL_TYPE = 'aquacultureApi';

/** What n8n offers to a node that is executed. */
export async function transportForExecution(context: IExecuteFunctions): Promise<Transport> {
	const cancellation = new Cancellation(context.getExecutionCancelSignal());
	return {
		...(await connect(context)),
		queueKind: 'execution',
		cancellation,
		reportProgress(message) {
			const { logger } = context;
			logger.info(`${context.getNode().name}: ${message}`, {
				workflowId: context.getWorkflow().id,
			});
			// The browser's console in a manual run: n8n shows nothing else of a node that runs (n8n 1.123 and 2.40).
			context.sendMessageToUI(message);
		},
	};
}

/**
 * What n8n offers to a trigger that polls.
 *
 * @param signal ends the poll; n8n has none.
 */
export async function transportForPoll(
	context: IPollFunctions,
	queueKind: 'poll' | 'attendedPoll',
	signal?: AbortSignal,
): Promise<Transport> {
	return { ...(await connect(context)), queueKind, cancellation: new Cancellation(signal) };
}

/** What n8n offers to the lists in the panel. */
export async function transportForPanel(context: ILoadOptionsFunctions): Promise<Transport> {
	return { ...(await connect(context)), queueKind: 'execution', cancellation: new Cancellation() };
}

/** What n8n calls the node with. */
type NodeFunctions = IExecuteFunctions | IPollFunctions | ILoadOptionsFunctions;

/**
 * Reads the credential, once for an execution or a poll, and joins it with n8n's authenticated request helper.
 *
 * Handing the decrypted credential to the helper keeps it from reading and decrypting it again for every request;
 * renewal and storing of the token, proxy settings and cancellation stay with n8n (n8n 1.123 and 2.40).
 *
 * @throws NodeOperationError that names the field of the credential that cannot be used.
 */
async function connect(
	context: NodeFunctions,
): Promise<Pick<Transport, 'account' | 'credential' | 'send'>> {
	const credential = await context.getCredentials(CREDENTIAL_TYPE);
	const { value: connection, failure } = checkConnection(credential);
	if (failure) throw inputError(context.getNode(), failure.message, failure.description);

	const { id, name } = context.getNode().credentials?.[CREDENTIAL_TYPE] ?? {};
	return {
		credential,
		account: accountOf(connection),
		async send(options, data, signal) {
			return (await context.helpers.httpRequestWithAuthentication.call(
				signal ? endingWith(context, signal) : context,
				CREDENTIAL_TYPE,
				options,
				{ credentialsDecrypted: { id: id ?? '', name: name ?? '', type: CREDENTIAL_TYPE, data } },
			)) as IN8nHttpFullResponse;
		},
	};
}

/** The same context, except that the helper takes this signal for the one that cancels the execution. */
function endingWith(context: NodeFunctions, signal: AbortSignal): IExecuteFunctions {
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as IExecuteFunctions;
}
