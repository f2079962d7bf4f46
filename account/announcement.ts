import type { Place } from './limit/queue';
import type { Account } from './accounts';
import type { IssuedToken } from './issuedToken';
import type { ExchangeOutcome } from './tokenChoice';

/**
 * A login that the node asks the credential for: n8n stores a token only if the credential obtains it. The credential
 * adds the outcome here since n8n's helper hands back nothing of it: it returns the answer to a request, of which there is
 * none, or wraps what was thrown in an error of its own (n8n 1.123 and 2.40).
 */
export interface Login {
	readonly place: Place;
	outcome?: ExchangeOutcome;
}

/** What the node has decided about a call of n8n's helper before it makes it. */
export type Announcement =
	/** A request that is to be signed with this token. */
	| { account: Account; token: IssuedToken; login?: never }
	/** Nothing is to be sent but a login. */
	| { account: Account; login: Login; token?: never };

const announcements = new WeakMap<object, Announcement>();

/**
 * Announces a call to the credential.
 *
 * @param credential the object that n8n is given for this call: it hands the same one to each step (n8n 1.123 and 2.40).
 */
export function announce(credential: object, announcement: Announcement): void {
	announcements.set(credential, announcement);
}

/** What the node has announced; undefined for credential tests and for requests of other nodes. */
export function announcementFor(credential: object): Announcement | undefined {
	return announcements.get(credential);
}
