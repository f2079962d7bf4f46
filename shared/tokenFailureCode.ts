/**
 * How the `errorCode` begins of what the credential throws when no token can be had. The node recognises it by this code, and so needs
 * nothing of the credential.
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
