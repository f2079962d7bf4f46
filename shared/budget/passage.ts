import type { Lane } from './lane';
import type { Place } from './budget';

/** The token that a request was sent with. What becomes of it is told to the account that it belongs to. */
export interface CarriedToken {
	/** The service has accepted it. */
	accept(): void;
	/**
	 * The service has rejected it.
	 *
	 * @returns whether the request is worth sending again, which another token is then used for.
	 */
	reject(): boolean;
}

/** What the node tells the credential of one of its requests. */
export interface Passage {
	/** Names what is asked for. */
	document: string;
	lane: Lane;
	/** How long the request may still wait for the budget, in milliseconds. */
	patienceMs(): number;
	/** Ends the wait. */
	signal: AbortSignal;
	/** Called when the request is sent, which n8n does as soon as it is signed. */
	onSent(place: Place, token: CarriedToken): void;
	/** Called where the request would have to wait for too long. */
	onTooLate(): void;
}

const passages = new WeakMap<object, Passage>();

/**
 * Announces a request to the credential that will sign it.
 *
 * @param credential the object that n8n is given for this request: it hands the same one to each step (n8n 1.123 and 2.40).
 */
export function announce(credential: object, passage: Passage): void {
	passages.set(credential, passage);
}

/** What is known of a request; undefined for those of other nodes. */
export function passageOf(credential: object): Passage | undefined {
	return passages.get(credential);
}
