/**
 * `name` of the error that the credential throws when no token can be had. The node recognises it by this name,
 * since credential and node are loaded as separate bundles and share no classes.
 */
export const TOKEN_FAILURE = 'AquacultureTokenFailure';
