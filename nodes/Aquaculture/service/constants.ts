/* What the operator documents and other folders need. It loads nothing: the credential's form is built from it. */

/** docs/service-interface.md, "POST {base_url}/auth/token". */
export const TOKEN_PATH = '/auth/token';

/** A stand-in: the real header name begins with the name of the service (docs/service-interface.md). */
export const VERSION_HEADER = 'Service-Version';

/** docs/service-interface.md, "Rate Limits". */
export const REQUESTS_PER_MINUTE = 100;

/** The highest rate that the credential accepts, for operators who raise theirs. */
export const MAX_REQUESTS_PER_MINUTE = 10_000;
