import type { Place } from '../budget/budget';
import type { Lane } from '../budget/lane';
import type { Account } from './accounts';

/** The token that a request was sent with. The node reports how the service has answered it. */
export interface CarriedToken {
	/** The service has accepted it. */
	accept(): void;
	/**
	 * The service has rejected it.
	 *
	 * @returns whether to send the request again, which gets another token then.
	 */
	reject(): boolean;
}

/** What the node announces to the credential about one of its requests. */
export interface RequestContext {
	account: Account;
	/** Names what is asked for. */
	document: string;
	lane: Lane;
	/** How long the request may still wait for the budget, in milliseconds. */
	maxWaitMs(): number;
	/** Ends the wait. */
	signal: AbortSignal;
	/** Called when the request is signed; n8n sends it at once. */
	onSent(place: Place, token: CarriedToken): void;
	/** Called instead where the request would have to wait for longer than it may. */
	onTooLate(): void;
}

const contexts = new WeakMap<object, RequestContext>();

/**
 * Announces a request to the credential that will sign it.
 *
 * @param credential the object that n8n is given for this request: it hands the same one to each step (n8n 1.123 and 2.40).
 */
export function announce(credential: object, context: RequestContext): void {
	contexts.set(credential, context);
}

/** The context of a request; undefined for those of other nodes. */
export function contextOf(credential: object): RequestContext | undefined {
	return contexts.get(credential);
}
