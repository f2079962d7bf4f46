/* Names and facts that several folders need. This file imports nothing, because n8n's start loads it with the credential. */

/** The name of the credential in n8n. Credential and nodes spell it out, because n8n's lint rules read it there. */
export const CREDENTIAL_TYPE = 'aquacultureApi';

/** Where username and password are exchanged for a token, below the base URL. */
export const TOKEN_PATH = '/auth/token';

/** Where sites are, below the base URL. */
export const SITES_PATH = '/meta/sites';

/** A placeholder: the real name of the header begins with the name of the service, which the operator tells. */
export const DEFAULT_VERSION_HEADER = 'Service-Version';

/** The documented limit. Above it the service answers 429, and may ban an integration that goes on regardless. */
export const DEFAULT_REQUESTS_PER_MINUTE = 100;

/** The highest rate that a credential accepts, in case the operator allows more. */
export const MAX_REQUESTS_PER_MINUTE = 10_000;
