/** The outcome of a check: the value in the form that is used further on, or what is wrong with it. */
export type Checked<T> =
	| { value: T; fault?: never }
	| {
			value?: never;
			fault: string;
			/** How to get unstuck, where there is more to say than to correct it. */
			description?: string;
	  };

/** The outcome of checking a typed value. Its fault is the end of a sentence that begins with the field's name: "is empty". */
export type CheckedField<T> = Checked<T>;

/** The typed value as a person would recognise it, cut to a readable length. */
export function quote(value: unknown): string {
	return shortened(typeof value === 'object' ? JSON.stringify(value) : `"${String(value)}"`);
}

/** A text, cut to a readable length. */
export function shortened(text: string): string {
	return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
