/** Why a value cannot be used. */
export interface Invalid {
	value?: never;
	/** Ends a sentence that begins with the name of the field: "'Site' is empty". */
	reason: string;
	/** What to do, unless correcting the value says it all. */
	description?: string;
	/** The same for an AI agent, if that differs. */
	toolDescription?: string;
}

/** The result of a check: the value in the form that other code uses, or why it cannot be used. */
export type Validated<T> = { value: T; reason?: never } | Invalid;
