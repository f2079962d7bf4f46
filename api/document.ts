import type { Checked } from './checked';

/** A document of the service. */
export interface ServiceDocument<T> {
	/** Where it lies under the base URL. */
	path: string;
	/** What it is about, as it stands in a sentence: "site 1001". */
	subject: string;
	/** Checks a parsed response body against the contract. */
	check(body: unknown): Checked<T>;
}
