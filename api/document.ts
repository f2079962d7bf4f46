import type { Checked } from './checked';

/** What documents of a kind are called in a sentence. */
export interface Kind {
	one: string;
	many: string;
}

/** A document of the service. */
export interface ServiceDocument<T> {
	/** Where it lies under the base URL. */
	path: string;
	/** What it is about, as part of a sentence: "site 1001". */
	subject: string;
	/** What such documents are called in a sentence. */
	kind: Kind;
	/** Checks a parsed response body; a fault is the end of the sentence "The answer for site 1001 cannot be used: …". */
	check(body: unknown): Checked<T>;
}
