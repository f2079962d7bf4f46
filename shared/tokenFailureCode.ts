/**
 * `errorCode` of what the credential throws when no token can be had. The node recognises it by this code, and so needs
 * nothing of the credential.
 */
export const TOKEN_FAILURE = 'NO_ACCESS_TOKEN';
