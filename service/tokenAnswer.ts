import * as z from './zod';

/**
 * Answer of the token endpoint (docs/service-interface.md, "Token"). Only `access_token` is needed; the other fields may
 * be missing or of another form, because nothing that must be right depends on them.
 */
const tokenSchema = z.looseObject({
	/** Bearer token, a JWT-like string, in the characters that a bearer token may have (RFC 6750, 2.1). */
	access_token: z.string().check(z.regex(/^[A-Za-z0-9\-._~+/]+=*$/)),
	/** Token lifetime, a decimal number written as a string; its unit is not shown. */
	expires_in: z.optional(z.unknown()),
	/** Token scheme, `Bearer` in docs/service-interface.md. */
	token_type: z.optional(z.unknown()),
});

export type Token = z.infer<typeof tokenSchema>;

/** The token in a parsed response body, or undefined if the body holds none. */
export function readToken(body: unknown): Token | undefined {
	return tokenSchema.safeParse(body).data;
}
