import type { AccessToken } from '../service/token';

/* Which documents has the service answered with 401 since they were last accepted? */

/** Remember this many. */
const MAX_REJECTED = 500;

interface Rejection {
	/** The last token that the document was rejected with. */
	token: AccessToken;
	/** When another token than before did not help it either; -Infinity if that has not happened. */
	notHelpedAt: number;
}

/** Counts and remembers rejected documents. */
export class RejectedDocuments {
	/** By document, the longest known first. */
	private readonly rejections = new Map<string, Rejection>();
	/** How many answers in a row were rejections, of whatever documents. */
	inARow = 0;

	/** @returns when a fresh token last did not help the document; -Infinity if that is not known. */
	add(document: string, token: AccessToken, now: number): number {
		this.inARow += 1;
		const known = this.rejections.get(document) ?? { token, notHelpedAt: -Infinity };
		const notHelpedAt = token === known.token ? known.notHelpedAt : now;
		this.rejections.set(document, { token, notHelpedAt });
		// A Map keeps the order of insertion.
		const [oldest] = this.rejections.keys();
		if (this.rejections.size > MAX_REJECTED) this.rejections.delete(oldest as string);
		return notHelpedAt;
	}

	/** Forgets a document that was accepted. */
	accept(document: string): void {
		this.inARow = 0;
		this.rejections.delete(document);
	}
}
