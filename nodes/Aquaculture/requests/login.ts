import type { IHttpRequestOptions } from 'n8n-workflow';
import { tokenUrl } from '../../../service/tokenEndpoint';
import { announce, type Login } from '../../../account/announcement';
import type { ExchangeOutcome } from '../../../account/tokenChoice';
import type { Place } from '../../../account/limit/queue';
import { LOGIN } from '../../../texts/messages';
import { unansweredFailure, type HelperError } from './failure';
import { redactionOf } from './redaction';
import type { Transport } from './transport';

/**
 * Logs in by a call of n8n's helper: n8n lets the credential obtain a token if it holds none, and stores it. The
 * credential then ends the call, since there is nothing to send (n8n 1.123 and 2.40).
 *
 * @param place is used for the login.
 */
export async function askForLogin(
	{ account, credential, send }: Transport,
	place: Place,
): Promise<ExchangeOutcome> {
	const withoutToken = { ...credential, accessToken: '' };
	const login: Login = { place };
	announce(withoutToken, { account, login });
	const options: IHttpRequestOptions = {
		method: 'POST',
		url: tokenUrl(account.connection.baseUrl),
	};
	const error = await send(options, withoutToken).then(
		() => undefined,
		(thrown: HelperError) => thrown,
	);
	if (login.outcome) return login.outcome;
	const { redact } = redactionOf(credential);
	const failure = unansweredFailure(error ?? { message: '' }, LOGIN, redact);
	return { failure: { ...failure, isUnasked: true } };
}
