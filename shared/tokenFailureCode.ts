/**
 * The start of the `errorCode` that the credential throws when it has no token. The node recognises the failure by it,
 * without importing the credential.
 */
export const TOKEN_FAILURE = 'NO_ACCESS_TOKEN';

/** The code with the cause of the failure behind it, where that is known. */
export function tokenFailureCode(cause = ''): string {
	return `${TOKEN_FAILURE} ${cause}`.trimEnd();
}

/** The cause behind the code: empty where it is not known, undefined where the code is another one. */
export function causeOfTokenFailure(code: string | null | undefined): string | undefined {
	const [name, ...cause] = (code ?? '').split(' ');
	return name === TOKEN_FAILURE ? cause.join(' ') : undefined;
}
