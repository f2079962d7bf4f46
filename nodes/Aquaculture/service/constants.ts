/* Names and facts that several folders need. This file imports nothing, because n8n's start loads it with the credential. */

/** The name of the credential in n8n. Credential and nodes spell it out, because n8n's lint rules read it there. */
export const CREDENTIAL_TYPE = 'aquacultureApi';

/** docs/service-interface.md, "POST {base_url}/auth/token". */
export const TOKEN_PATH = '/auth/token';

/** A placeholder: the real name of the header begins with the name of the service (docs/service-interface.md). */
export const DEFAULT_VERSION_HEADER = 'Service-Version';

/** docs/service-interface.md, "Rate Limits". */
export const DEFAULT_REQUESTS_PER_MINUTE = 100;

/** The highest rate that a credential accepts, in case the operator allows more. */
export const MAX_REQUESTS_PER_MINUTE = 10_000;
