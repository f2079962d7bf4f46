/** A value, or why there is none: `Failure` for a request, `Invalid` for what somebody entered. */
export type Result<T, F> = { value: T; failure?: never } | { value?: never; failure: F };
