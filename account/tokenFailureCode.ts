/**
 * The beginning of `errorCode` in the error that the credential throws when it cannot get a token. The node recognises
 * the error by this code, so it imports nothing from the credential.
 */
export const TOKEN_FAILURE = 'NO_ACCESS_TOKEN';

/** The code, followed by the cause of the failure if that is known. */
export function tokenFailureCode(cause = ''): string {
	return `${TOKEN_FAILURE} ${cause}`.trimEnd();
}

/** The cause behind the code: empty if it is not known, undefined if the code is another one. */
export function causeOfTokenFailure(code: string | null | undefined): string | undefined {
	const [name, ...cause] = (code ?? '').split(' ');
	return name === TOKEN_FAILURE ? cause.join(' ') : undefined;
}
