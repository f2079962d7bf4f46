/**
 * `errorCode` of what the credential throws when no token can be had. The node recognises it by this code, since
 * credential and node are loaded as separate bundles and share no classes.
 */
export const TOKEN_FAILURE = 'NO_ACCESS_TOKEN';
