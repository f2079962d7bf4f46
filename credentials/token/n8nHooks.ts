import type { ICredentialDataDecryptedObject, IHttpRequestHelper } from 'n8n-workflow';
import type { Account } from '../../account/accounts';
import { announcementFor, type Login } from '../../account/announcement';
import { toStoredFields, type StoredFields } from '../../account/storedToken';
import type { RequestOptions } from './confinement';
import { isTest, logInForTest, signTest } from './credentialTest';
import { exchange } from './exchange';
import { obtainForOther, signForOther } from './otherRequest';
import { checkDomains } from './settings';
import { signed } from './requestHeaders';

type HttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

/**
 * n8n's `preAuthentication`: obtains a token.
 *
 * A token is given to n8n once, by the call that has exchanged it, unless n8n needs it to send the request again;
 * {@link signRequest} finds it for all others. n8n stores it by reading the whole credential and writing it back, which
 * undoes an edit that is saved meanwhile (n8n 1.123 and 2.40).
 *
 * @returns the fields that n8n stores in the credential; without any, n8n stores nothing.
 * @throws TokenFailure when no token can be had.
 */
export async function obtainToken(
	{ httpRequest }: IHttpRequestHelper['helpers'],
	credential: ICredentialDataDecryptedObject,
): Promise<Partial<StoredFields>> {
	const announcement = announcementFor(credential);
	if (announcement) {
		const { account, login } = announcement;
		return login ? await logInForNode(httpRequest, credential, account, login) : {};
	}
	const ofTest = await logInForTest(httpRequest, credential);
	return ofTest ?? (await obtainForOther(httpRequest, credential));
}

/**
 * n8n's `authenticate`: signs a request with the bearer token and the version header. Headers that the user has set stay.
 * The node has taken its turn before; a request of another node or a credential test does so here.
 *
 * @throws TokenFailure when the address is not the service's own, or when the request would have to wait for too long.
 */
export async function signRequest(
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): Promise<RequestOptions> {
	const announcement = announcementFor(credential);
	if (!announcement) {
		const signing = isTest(options) ? signTest : signForOther;
		return await signing(credential, options);
	}
	const { account, token } = announcement;
	if (!token) throw new Error('Nothing is to be sent after a login');
	checkDomains(credential, account.connection);
	return signed(options, account.connection, token);
}

/** Logs in for the node, which gets the outcome by what it has announced. */
async function logInForNode(
	httpRequest: HttpRequest,
	credential: ICredentialDataDecryptedObject,
	account: Account,
	login: Login,
): Promise<Partial<StoredFields>> {
	checkDomains(credential, account.connection);
	login.outcome = await exchange(httpRequest, account, login.place);
	const { token } = login.outcome;
	return token ? toStoredFields(account.connection, token) : {};
}
