import type { AccessToken } from '../service/token';
import { MINUTE_MS } from '../utils/time';

/* Which documents has the service answered with 401, and which of them does no token help? For the rules in `tokenSource.ts`. */

/** An older rejection tells nothing about the current token, which may have been revoked since. */
const REMEMBERED_MS = 5 * MINUTE_MS;
/** Remember this many. */
const MAX_REJECTED = 500;

interface Rejection {
	/** The last token that the document was rejected with, and when. */
	token: AccessToken;
	at: number;
	/** When another token than before did not help it either; -Infinity if that has not happened. */
	notHelpedAt: number;
}

/** Counts and remembers rejected documents. */
export class RejectedDocuments {
	/** By document, the longest known first. */
	private readonly rejections = new Map<string, Rejection>();
	/** How many answers in a row were rejections, of whatever documents. */
	inARow = 0;

	/** @returns whether another token has not helped the document, now or in the last five minutes. */
	add(document: string, token: AccessToken, now: number): boolean {
		this.inARow += 1;
		const known = this.rejections.get(document);
		const isRecent = known !== undefined && now < known.at + REMEMBERED_MS;
		const before = isRecent ? known : { token, notHelpedAt: -Infinity };
		const notHelpedAt = token === before.token ? before.notHelpedAt : now;
		this.rejections.set(document, { token, at: now, notHelpedAt });
		// A Map keeps the order of insertion.
		const [oldest] = this.rejections.keys();
		if (this.rejections.size > MAX_REJECTED) this.rejections.delete(oldest as string);
		return now < notHelpedAt + REMEMBERED_MS;
	}

	/** Forgets a document that was accepted. */
	accept(document: string): void {
		this.inARow = 0;
		this.rejections.delete(document);
	}
}
