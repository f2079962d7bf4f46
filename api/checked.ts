/** Outcome of a check: the value in the form that is used further on, or a sentence that says what is wrong. */
export type Checked<T> = { value: T; fault?: never } | { value?: never; fault: string };
