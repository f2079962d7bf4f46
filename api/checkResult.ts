/** The outcome of a check: the value in the form that is used further on, or what is wrong with it. */
export type Checked<T> =
	| { value: T; fault?: never }
	| {
			value?: never;
			fault: string;
			/** How to get unstuck, if there is more to say than to correct it. */
			description?: string;
	  };

/** The outcome of checking a typed value. Its fault is the end of a sentence that begins with the field's name: "is empty". */
export type CheckedField<T> = Checked<T>;

/** The typed value as a person would recognise it, cut to a readable length. */
export function quote(value: unknown): string {
	return shortened(typeof value === 'object' ? JSON.stringify(value) : `"${String(value)}"`);
}

/** A text, cut to a readable length, but not within a character. */
export function shortened(text: string, maxCharacters = 60): string {
	if (text.length <= maxCharacters) return text;
	return `${text.slice(0, maxCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
