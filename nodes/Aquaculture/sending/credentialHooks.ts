import type { ICredentialDataDecryptedObject, IDataObject, IHttpRequestHelper } from 'n8n-workflow';
import { getAccount, type Account } from '../login/account';
import { checkCredentialSettings } from '../input/credentialSettings';
import { CREDENTIAL_MESSAGES } from '../messages/invalid';
import { RequestBlockedError } from '../n8n/errors';
import { logIn, MAX_SLOT_WAIT_MS } from './logIn';
import { unauthorizedRequest } from '../service/statusFailures';
import { systemClock, MINUTE_MS, SECOND_MS } from '../utils/time';
import type { SendHttpRequest } from './exchange';
import { signRequest, type RequestOptions } from './signRequest';
import { acquireTokenAndSlot, type TokenAndSlot } from './tokenAndSlot';

/*
 * How do the credential's hooks sign requests? n8n calls them for each request that uses the credential. It documents little of this:
 * read in its source, and seen in n8n 1.123 and 2.40. `test/engine/httpRequestNode.test.ts` and `test/n8n/tokens.test.ts` fail if it
 * changes.
 *
 * | Request of            | When              | n8n calls           | which here                                          |
 * | --------------------- | ----------------- | ------------------- | --------------------------------------------------- |
 * | this package's nodes  | before it         | `authenticate`      | calls their `sign`: they have a token and a slot    |
 * | all other nodes       | before it         | `preAuthentication` | waits for a token and a slot, and returns `{}`      |
 * |                       | next              | `authenticate`      | checks the address, and signs                       |
 * | HTTP Request nodes    | after any failure | `preAuthentication` | may have the token renewed, and returns `{}`        |
 * | other packages' nodes | after a 401       | `preAuthentication` | does the same                                       |
 * |                       | next              | `authenticate`      | throws, so that n8n does not send the request again |
 *
 * So nothing is sent twice: it could be a POST.
 *
 * - HTTP Request nodes use an older helper of n8n's. If `preAuthentication` returns 'Access Token', even an empty one, this helper calls
 *   `authenticate` and sends the request again, and n8n stores what it returns. The newer helper sends it again unless `authenticate`
 *   throws.
 * - If 'Access Token' is not empty, n8n leaves out the first `preAuthentication`. This package's nodes fill it for that reason: see
 *   {@link signWith}. They also set `ignoreHttpStatusErrors`, so that n8n takes no 401 for a failure.
 * - If somebody has saved an 'Access Token', as by `n8n import:credentials`, n8n leaves out the first `preAuthentication`, too, so HTTP
 *   Request nodes cannot use the credential.
 * - With Never Error or Pagination, an HTTP Request node takes no status for a failure.
 * - All hooks of a request get the same credential object.
 */

/** Returns the options to send. */
type Sign = (options: RequestOptions) => RequestOptions;

/** By the credential object. Credential and nodes share this map, because the build makes one bundle of them. */
const ownRequests = new WeakMap<ICredentialDataDecryptedObject, Sign>();

/** Returns a copy of the credential for which n8n's newer helper calls `authenticate` alone, which then calls `sign`. */
export function signWith(
	credential: ICredentialDataDecryptedObject,
	sign: Sign,
): ICredentialDataDecryptedObject {
	// Any text but an empty one will do, so it is not the token: n8n needs to know only that there is one.
	const credentialCopy = { ...credential, accessToken: 'known to the node' };
	ownRequests.set(credentialCopy, sign);
	return credentialCopy;
}

/** How long a request of an HTTP Request node may wait for a slot. n8n cannot cancel that wait. */
const MAX_HTTP_NODE_WAIT_MS = 5 * MINUTE_MS;
/** Such a request counts as answered this long after it got its slot, because n8n never reports a success. */
const ASSUMED_RESPONSE_MS = 2 * SECOND_MS;

/** By the credential object. */
const httpNodeRequests = new WeakMap<ICredentialDataDecryptedObject, HttpNodeRequest>();

/**
 * Logs in if there is no token, and waits for a slot. Never returns the token, so n8n stores none.
 *
 * @throws RequestBlockedError if the request may not be sent.
 */
export async function preAuthenticate(
	{ httpRequest }: IHttpRequestHelper['helpers'],
	credential: ICredentialDataDecryptedObject,
): Promise<IDataObject> {
	const earlierRequest = httpNodeRequests.get(credential);
	if (earlierRequest) {
		// n8n asks again only after a failure.
		earlierRequest.recordFailed();
		return {};
	}
	// n8n's older helper asks after any failure, such as that of `authenticate` below.
	if (credential.accessToken) throw new RequestBlockedError(CREDENTIAL_MESSAGES.savedToken());
	const { value: settings, failure } = checkCredentialSettings(credential);
	if (failure) throw new RequestBlockedError(failure);
	const request = new HttpNodeRequest(getAccount(settings), httpRequest);
	httpNodeRequests.set(credential, request);
	await request.prepare();
	return {};
}

/**
 * Checks the address and signs the request, once.
 *
 * @throws RequestBlockedError for a request that may not be sent, or that has failed.
 */
export function authenticate(
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): RequestOptions {
	const sign = ownRequests.get(credential);
	if (sign) return sign(options);
	const request = httpNodeRequests.get(credential);
	// n8n has not called `preAuthentication`, because a token was saved.
	if (!request) throw new RequestBlockedError(CREDENTIAL_MESSAGES.savedToken());
	return request.sign(options);
}

/** A request of an HTTP Request node, or of another package's. It is signed once, so it is never sent twice. */
class HttpNodeRequest {
	/** Undefined until it may be sent, and if it may not. */
	private tokenAndSlot: TokenAndSlot | undefined;
	private isSigned = false;

	constructor(
		private readonly account: Account,
		private readonly httpRequest: SendHttpRequest,
	) {}

	/**
	 * Waits until it may be sent.
	 *
	 * @throws RequestBlockedError if it may not be sent.
	 */
	async prepare(): Promise<void> {
		const { account, httpRequest } = this;
		const { httpNodeQueue: queue } = account;
		// Such a request is never sent again, so it waits for a better token if there may be one soon.
		await account.tokens.waitForLogin();
		const deadline = systemClock.now() + MAX_HTTP_NODE_WAIT_MS;
		const login = async () => await logIn(httpRequest, account);
		const { value, failure } = await acquireTokenAndSlot(account, { queue, deadline }, login);
		if (failure) throw new RequestBlockedError(failure);
		this.tokenAndSlot = value;
		void this.assumeAllowed(value);
	}

	private async assumeAllowed({ slot }: TokenAndSlot): Promise<void> {
		await systemClock.sleep(ASSUMED_RESPONSE_MS);
		this.account.limiter.assumeAllowed(slot);
	}

	sign(options: RequestOptions): RequestOptions {
		const { tokenAndSlot, account } = this;
		// n8n asks again only after a 401.
		if (!tokenAndSlot || this.isSigned) {
			throw new RequestBlockedError(unauthorizedRequest());
		}
		try {
			const signed = signRequest(options, account.settings, tokenAndSlot.token);
			this.isSigned = true;
			return signed;
		} finally {
			// Not in a `catch`, which would have to throw again: n8n's lint rules forbid that.
			if (!this.isSigned) {
				account.limiter.release(tokenAndSlot.slot);
				this.tokenAndSlot = undefined;
			}
		}
	}

	/**
	 * Records that it has failed, for a reason that n8n does not give. Throws nothing, because n8n would hide the failure.
	 */
	recordFailed(): void {
		if (!this.tokenAndSlot) return;
		const { account, httpRequest } = this;
		const { slot, token } = this.tokenAndSlot;
		account.limiter.recordUnanswered(slot);
		// Such requests may have used up the slots of the minute.
		const limits = { firstSlotWaitMs: MAX_SLOT_WAIT_MS };
		void account.tokens.renew(token, async () => await logIn(httpRequest, account, limits));
	}
}
