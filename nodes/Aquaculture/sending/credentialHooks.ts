import type { ICredentialDataDecryptedObject, IHttpRequestHelper } from 'n8n-workflow';
import { getAccount, type Account } from '../login/account';
import { checkCredentialSettings } from '../input/credentialSettings';
import type { Login } from '../login/tokenSource';
import { logIn } from './logIn';
import { unauthorizedRequest } from '../service/statusFailures';
import { systemClock, MINUTE_MS, SECOND_MS } from '../utils/time';
import type { SendHttpRequest } from './exchange';
import { RequestBlockedError, signRequest, type RequestOptions } from './signRequest';
import { acquireTokenAndSlot, type TokenAndSlot } from './tokenAndSlot';

/*
 * When does n8n call the hooks of the credential? It documents none of this: seen in n8n 1.123 and 2.40.
 * `test/engine/httpRequestNode.test.ts` and `test/n8n/tokens.test.ts` fail if it changes.
 *
 * `preAuthentication` comes before a request only if 'Access Token' is empty, `authenticate` before each. This package's own nodes
 * have a token and a slot already, so they fill 'Access Token'. Requests of HTTP Request nodes get both in `preAuthentication`:
 *
 * | Request                       | n8n calls                                              | n8n throws  |
 * | ----------------------------- | ------------------------------------------------------ | ----------- |
 * | succeeds                      | `preAuthentication`, `authenticate`                    |             |
 * | fails, older helper           | the same, then `preAuthentication`, which returns `{}` | its failure |
 * | 401, newer helper             | the same, then both hooks; `authenticate` throws       | that error  |
 * | fails otherwise, newer helper | the same as if it succeeds                             | its failure |
 *
 * Nothing is sent twice, because it could be a POST. The older helper, which HTTP Request nodes use, would do so if the second
 * `preAuthentication` returned a token; the newer one, of other packages' nodes, if the second `authenticate` did not throw.
 *
 * If a token was saved with the credential, as by `n8n import:credentials`, n8n calls `authenticate` alone. It throws what looks like
 * a 401, so that n8n calls `preAuthentication`, stores the empty token that this returns, and then sends the request.
 */

/** How long a request of an HTTP Request node may wait for a slot. n8n cannot cancel that wait. */
const MAX_HTTP_NODE_WAIT_MS = 5 * MINUTE_MS;
/** Such a request counts as answered this long after it got its slot, because n8n never reports a success. */
const ASSUMED_RESPONSE_MS = 2 * SECOND_MS;

type Sign = (options: RequestOptions) => RequestOptions;

/*
 * By the credential object, because n8n hands the same one to all hooks of a request. Credential and nodes share these maps, because
 * the build makes one bundle of them.
 */
const ownRequests = new WeakMap<ICredentialDataDecryptedObject, Sign>();
const httpNodeRequests = new WeakMap<ICredentialDataDecryptedObject, HttpNodeRequest>();

/** Returns a copy of the credential that n8n's helper calls `sign` with, for a request of this package's own nodes. */
export function signWith(
	credential: ICredentialDataDecryptedObject,
	sign: Sign,
): ICredentialDataDecryptedObject {
	// Any text but an empty one will do, so it is not the token: n8n needs to know only that there is one.
	const credentialCopy = { ...credential, accessToken: 'known to the node' };
	ownRequests.set(credentialCopy, sign);
	return credentialCopy;
}

/**
 * Logs in if there is no token, and waits for a slot. Never returns a token, so n8n stores none. If the credential was saved with
 * one, returns an empty token.
 *
 * @throws RequestBlockedError if the request may not be sent.
 */
export async function preAuthenticate(
	{ httpRequest }: IHttpRequestHelper['helpers'],
	credential: ICredentialDataDecryptedObject,
): Promise<{ accessToken?: '' }> {
	const known = httpNodeRequests.get(credential);
	if (known) {
		// n8n asks again only after a failure.
		known.recordFailed();
		return {};
	}
	const { value: settings, failure } = checkCredentialSettings(credential);
	if (failure) throw new RequestBlockedError(failure);
	const request = new HttpNodeRequest(getAccount(settings), httpRequest);
	httpNodeRequests.set(credential, request);
	await request.prepare();
	return credential.accessToken !== '' ? { accessToken: '' } : {};
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
	if (!request) throw new FakeUnauthorizedError();
	return request.sign(options);
}

/** A request of an HTTP Request node, or of another package's. It is signed once, so it is never sent twice. */
class HttpNodeRequest {
	/** Undefined until it may be sent, and if it may not. */
	private tokenAndSlot: TokenAndSlot | undefined;
	private isSigned = false;
	private readonly logIn: Login;

	constructor(
		private readonly account: Account,
		httpRequest: SendHttpRequest,
	) {
		this.logIn = async () => await logIn(httpRequest, account);
	}

	/**
	 * Waits until it may be sent.
	 *
	 * @throws RequestBlockedError if it may not be sent.
	 */
	async prepare(): Promise<void> {
		const { account } = this;
		const { httpNodeQueue: queue } = account;
		// Such a request is never sent again, so it waits for a better token if there may be one soon.
		await account.tokens.waitForLogin();
		const deadline = systemClock.now() + MAX_HTTP_NODE_WAIT_MS;
		const { value, failure } = await acquireTokenAndSlot(account, { queue, deadline }, this.logIn);
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
		if (!tokenAndSlot || this.isSigned) {
			throw new RequestBlockedError(unauthorizedRequest());
		}
		try {
			const signed = signRequest(options, account.settings, tokenAndSlot.token);
			this.isSigned = true;
			return signed;
		} finally {
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
		const { slot, token } = this.tokenAndSlot;
		this.account.limiter.recordUnanswered(slot);
		this.account.tokens.renew(token, this.logIn);
	}
}

/** Looks like a 401 to n8n's helpers. No other error makes them call `preAuthentication` if a token was saved. */
class FakeUnauthorizedError extends Error {
	readonly response = { status: 401 };

	constructor() {
		super('n8n called authenticate without preAuthentication');
	}
}
