import type { ICredentialDataDecryptedObject, IHttpRequestHelper } from 'n8n-workflow';
import { getAccount } from '../login/account';
import { checkCredentialSettings } from '../login/credentialSettings';
import { systemClock } from '../utils/clock';
import { MINUTE_MS } from '../utils/time';
import { PendingRequest, pendingRequests, RequestRefusedError } from './pendingRequest';
import type { RequestOptions } from './signRequest';

/*
 * A request goes through one of n8n's helpers, which calls two hooks of the credential. n8n documents none of this; it was seen
 * in n8n 1.123 and 2.40, and `test/engine/httpRequestNode.test.ts` and `test/n8n/tokens.test.ts` fail if it changes:
 *
 * 1. `preAuthentication` logs in if need be, and waits for a slot. Before a request, n8n calls it only if 'Access Token' is empty,
 *    which it is unless somebody has saved a token (see below).
 * 2. `authenticate` checks the address and signs.
 *
 * Two kinds of nodes call a helper: this package's own, which register the request first, and HTTP Request nodes, of which
 * `preAuthentication` is the first to hear.
 *
 * | Request                       | n8n calls                                              | Result |
 * | ----------------------------- | ------------------------------------------------------ | ------ |
 * | succeeds, either helper       | `preAuthentication`, `authenticate`                    | sent once |
 * | fails, older helper           | the same, then `preAuthentication`, which returns `{}` | sent once; n8n throws its failure |
 * | 401, newer helper             | the same, then both hooks; `authenticate` throws       | sent once; n8n throws that error |
 * | fails otherwise, newer helper | the same as if it succeeds                             | sent once; n8n throws its failure |
 *
 * A second `preAuthentication` tells that the request has failed. Nothing is sent twice, because it could be a POST. HTTP Request
 * nodes use the older helper, which would send a failed request again if `preAuthentication` returned a token. Other packages' nodes
 * may use the newer one, which sends again after a 401 unless `authenticate` throws.
 *
 * If somebody has saved a token with the credential, as by `n8n import:credentials`, the first request of an HTTP Request node
 * works differently:
 *
 * 1. n8n calls `authenticate` alone. It finds no registered request, so it throws an error that looks like a 401.
 * 2. After a 401, n8n calls `preAuthentication`, which returns an empty token.
 * 3. n8n stores the empty token and sends the request. From the next one on, the table above applies.
 */

/** How long a request of an HTTP Request node may wait for a slot. n8n cannot cancel that wait. */
const MAX_HTTP_NODE_WAIT_MS = 5 * MINUTE_MS;

/**
 * Logs in if there is no token, and waits for a slot. Never returns a token, so n8n stores none. If the credential was saved with
 * one, returns an empty token.
 *
 * @throws RequestRefusedError if the request may not be sent.
 */
export async function preAuthenticate(
	{ httpRequest }: IHttpRequestHelper['helpers'],
	credential: ICredentialDataDecryptedObject,
): Promise<{ accessToken?: '' }> {
	const request = pendingRequests.get(credential) ?? registerHttpNodeRequest(credential);
	if (request.state.step !== 'new') {
		// n8n asks again only after a failure.
		request.reportFailed();
		return {};
	}
	await request.prepare(httpRequest);
	return credential.accessToken !== '' ? { accessToken: '' } : {};
}

function registerHttpNodeRequest(credential: ICredentialDataDecryptedObject): PendingRequest {
	const { value: settings, failure } = checkCredentialSettings(credential);
	if (failure) throw new RequestRefusedError(failure);
	const account = getAccount(settings);
	const deadline = systemClock.now() + MAX_HTTP_NODE_WAIT_MS;
	const request = new PendingRequest(account, { queue: account.httpNodeQueue, deadline });
	pendingRequests.set(credential, request);
	return request;
}

/**
 * Checks the address and signs the request, once.
 *
 * @throws RequestRefusedError for a request that may not be sent, or that has failed.
 */
export function authenticate(
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): RequestOptions {
	const request = pendingRequests.get(credential);
	if (!request) throw new FakeUnauthorizedError();
	return request.sign(options);
}

/** Looks like a 401 to n8n's helpers. No other error makes them call `preAuthentication` if a token was saved. */
class FakeUnauthorizedError extends Error {
	readonly response = { status: 401 };

	constructor() {
		super('n8n called authenticate without preAuthentication');
	}
}
