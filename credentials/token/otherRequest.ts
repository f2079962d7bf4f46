import type { ICredentialDataDecryptedObject, IHttpRequestHelper } from 'n8n-workflow';
import { accountOf, type Account } from '../../account/accounts';
import { describeNoPlace } from '../../account/limit/plan';
import { toStoredFields, type StoredFields } from '../../account/storedToken';
import { takeTurn, takeTurnAgain, type TakenTurn, type TurnRequest } from '../../account/turn';
import { MINUTE_MS } from '../../texts/duration';
import type { FailureText } from '../../texts/messages';
import { checkAddress, type RequestOptions } from './confinement';
import { exchange } from './exchange';
import { checkDomains, connectionOf } from './settings';
import { bearer, signed } from './requestHeaders';
import { TokenFailure, tokenNeeded } from './tokenFailure';

type HttpRequest = IHttpRequestHelper['helpers']['httpRequest'];

/** How long a request may wait for the budget. It cannot be cancelled while it waits. */
const LONGEST_WAIT_MS = 5 * MINUTE_MS;

/**
 * A request of another node, as far as it has come. n8n's calls, each with the same credential object (n8n 1.123 and 2.40):
 *
 * 1. `preAuthentication`, if the credential holds no token. Nothing is known of the request yet, so nothing is done.
 * 2. `authenticate`. The request takes its turn and is signed, or turns out to need a login. What then is thrown looks to
 *    n8n like the answer 401.
 * 3. `preAuthentication`, if it needs a login, or if it was sent and answered with 401. A request of the HTTP Request node
 *    comes here after any failure.
 * 4. `authenticate` again. A request of the HTTP Request node ends at 3, unless it was given a token there.
 *
 *          signed              failed, and another token may help
 *   new ──────────▶ sent ──────────────────────┐
 *    │               ▲                         ▼
 *    │               └────── signed ───────  ready
 *    ▼                                         ▲
 *   needsLogin ────────────────────────────────┘
 *
 * A request that goes to another address or would have to wait for too long is `givenUp`.
 */
interface OtherRequest {
	readonly account: Account;
	/** Until when it may wait for the budget, by the clock of `performance.now()`. */
	readonly endsAt: number;
	/** n8n's older helper, which the HTTP Request node uses, spells the address `uri` (n8n 1.123 and 2.40). */
	readonly isOlderSpelling: boolean;
	progress:
		| { step: 'needsLogin' }
		| ({ step: 'ready' | 'sent' } & TakenTurn)
		| { step: 'givenUp'; failure: TokenFailure };
	/** The header that it was signed with. n8n hands it over again. */
	authorization?: string;
}

const requests = new WeakMap<ICredentialDataDecryptedObject, OtherRequest>();

/**
 * `preAuthentication` of a request of another node.
 *
 * @throws TokenFailure when no token can be had.
 */
export async function obtainForOther(
	httpRequest: HttpRequest,
	credential: ICredentialDataDecryptedObject,
): Promise<Partial<StoredFields>> {
	const request = requests.get(credential);
	if (!request) return {};
	const { account, progress, isOlderSpelling } = request;
	if (progress.step === 'givenUp') throw progress.failure;
	let isOwnLogin = false;
	const failed = progress.step === 'sent' ? progress : undefined;
	const turn = await turnOf(request, {
		credential,
		failed,
		async logIn(place) {
			isOwnLogin = true;
			return await exchange(httpRequest, account, place);
		},
	});
	if (!turn) return {};
	request.progress = { step: 'ready', ...turn };
	const isForN8n = isOwnLogin || isOlderSpelling;
	return isForN8n ? toStoredFields(account.connection, turn.token) : {};
}

/**
 * `authenticate` of a request of another node.
 *
 * @throws TokenFailure when it may not be sent, and an error that n8n takes for the answer 401 when it needs a login.
 */
export async function signForOther(
	credential: ICredentialDataDecryptedObject,
	options: RequestOptions,
): Promise<RequestOptions> {
	const request = requests.get(credential) ?? begin(credential, options);
	const { account, progress } = request;
	const { failure } = checkAddress(options, account.connection);
	if (failure) throw giveUp(request, failure);
	const turn = progress.step === 'ready' ? progress : await turnOf(request, { credential });
	if (!turn) {
		request.progress = { step: 'needsLogin' };
		throw tokenNeeded();
	}
	const { token, place } = turn;
	Object.assign(credential, toStoredFields(account.connection, token));
	const result = signed(options, account.connection, token, request.authorization);
	request.authorization = bearer(token);
	request.progress = { step: 'sent', token, place };
	return result;
}

function begin(credential: ICredentialDataDecryptedObject, options: RequestOptions): OtherRequest {
	const connection = connectionOf(credential);
	checkDomains(credential, connection);
	const request: OtherRequest = {
		account: accountOf(connection),
		endsAt: performance.now() + LONGEST_WAIT_MS,
		isOlderSpelling: options.uri !== undefined,
		progress: { step: 'needsLogin' },
	};
	requests.set(credential, request);
	return request;
}

/**
 * @param failed that it was sent before, with this turn.
 * @returns undefined if it has no token, and another one cannot be obtained here or would be of no use.
 * @throws TokenFailure if there is no place in time, or if the login has failed.
 */
async function turnOf(
	request: OtherRequest,
	{ failed, ...rest }: Omit<TurnRequest, 'entry'> & { failed?: TakenTurn | undefined },
): Promise<TakenTurn | undefined> {
	const { account, endsAt } = request;
	const entry = { queue: account.budget.others, endsAt, isUnseen: true };
	const turn = failed
		? await takeTurnAgain(account, { entry, ...rest }, failed)
		: await takeTurn(account, { entry, ...rest });
	if (!turn?.missing) return turn;
	if (turn.failure) throw giveUp(request, turn.failure);
	if (turn.missing === 'place') throw giveUp(request, describeNoPlace(account.budget));
	return undefined;
}

/** The failure of a request that may not be sent. If n8n then asks for a token for it, it gets the same failure again. */
function giveUp(request: OtherRequest, text: FailureText): TokenFailure {
	const failure = new TokenFailure(text);
	request.progress = { step: 'givenUp', failure };
	return failure;
}
