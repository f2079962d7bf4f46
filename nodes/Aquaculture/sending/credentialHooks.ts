import type { ICredentialDataDecryptedObject, IHttpRequestHelper } from 'n8n-workflow';
import { getAccount, type Account } from '../login/account';
import { checkCredentialSettings } from '../input/credentialSettings';
import { RequestBlockedError } from '../n8n/errors';
import { FakeUnauthorizedError, findSign, type RequestOptions } from '../n8n/requestHelpers';
import { logIn } from './logIn';
import { unauthorizedRequest } from '../service/statusFailures';
import { systemClock, MINUTE_MS, SECOND_MS } from '../utils/time';
import type { SendHttpRequest } from './exchange';
import { signRequest } from './signRequest';
import { acquireTokenAndSlot, type TokenAndSlot } from './tokenAndSlot';

/*
 * How do HTTP Request nodes, and other packages' nodes, get token, slot and signature for a request? By these two hooks. When n8n
 * calls them stands in `n8n/requestHelpers.ts`.
 *
 * |                     | Before the request                         | After a failure                          |
 * | ------------------- | ------------------------------------------ | ---------------------------------------- |
 * | `preAuthentication` | waits for a token and a slot, returns `{}` | may have the token renewed, returns `{}` |
 * | `authenticate`      | checks the address and signs               | throws                                   |
 *
 * Nothing is sent twice, because it could be a POST: the older helper would do so if `preAuthentication` returned a token, the newer
 * one if `authenticate` signed again.
 *
 * A request of this package's own nodes has a token and a slot already, so `authenticate` only calls its `sign`.
 */

/** How long a request of an HTTP Request node may wait for a slot. n8n cannot cancel that wait. */
const MAX_HTTP_NODE_WAIT_MS = 5 * MINUTE_MS;
/** Such a request counts as answered this long after it got its slot, because n8n never reports a success. */
const ASSUMED_RESPONSE_MS = 2 * SECOND_MS;

/** How long a login after a failure may wait for a slot: until one expires, if such requests use up those of a minute. */
const MAX_RENEWAL_WAIT_MS = MINUTE_MS;

/** By the credential object, because n8n hands the same one to all hooks of a request. */
const httpNodeRequests = new WeakMap<ICredentialDataDecryptedObject, HttpNodeRequest>();

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
	const sign = findSign(credential);
	if (sign) return sign(options);
	const request = httpNodeRequests.get(credential);
	// A token was saved with the credential, so n8n has not called `preAuthentication`. It does after this.
	if (!request) throw new FakeUnauthorizedError();
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
		const { account, httpRequest } = this;
		const { slot, token } = this.tokenAndSlot;
		account.limiter.recordUnanswered(slot);
		const limits = { maxWaitMs: MAX_RENEWAL_WAIT_MS };
		void account.tokens.renew(token, async () => await logIn(httpRequest, account, limits));
	}
}
