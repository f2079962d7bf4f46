import { createHash } from 'node:crypto';
import { jwtDecode } from 'jwt-decode';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import * as z from '../../api/zod';
import type { Token } from '../../api/token';
import type { Connection } from '../../shared/connection';

/** A token with what is known about it. Times are milliseconds since 1970 by this machine's clock. */
export interface IssuedToken {
	value: string;
	issuedAt: number;
	/** When it is likely to end; absent where nothing usable is said about it. */
	endsAt?: number | undefined;
}

/** What is stored beside the token, in the credential's second hidden field. */
const bindingSchema = z.object({
	/** Fingerprint of the token together with the account that it was issued to. */
	account: z.string(),
	issuedAt: z.number(),
	endsAt: z.optional(z.number()),
});

/** The fields by which a token is kept in the credential. */
export type StoredFields = {
	accessToken: string;
	tokenBinding: string;
};

/** Names an account in memory: all that could make a login succeed or fail, as a digest. */
export function accountKey({
	baseUrl,
	username,
	password,
	versionHeader,
	tokenVersion,
	allowUnauthorizedCerts,
}: Connection): string {
	return digest([baseUrl, username, password, versionHeader, tokenVersion, allowUnauthorizedCerts]);
}

/** A token in the form in which it is kept, bound to the account that it was issued to. */
export function toStoredFields(
	connection: Connection,
	{ value, issuedAt, endsAt }: IssuedToken,
): StoredFields {
	const account = fingerprint(connection, value);
	return { accessToken: value, tokenBinding: JSON.stringify({ account, issuedAt, endsAt }) };
}

/** The stored token; undefined where there is none or where it was issued to another account. */
export function fromStoredFields(
	connection: Connection,
	{ accessToken, tokenBinding }: ICredentialDataDecryptedObject,
): IssuedToken | undefined {
	if (typeof accessToken !== 'string' || accessToken === '') return undefined;
	const binding = bindingSchema.safeParse(parseJson(tokenBinding)).data;
	if (binding?.account !== fingerprint(connection, accessToken)) return undefined;
	return { value: accessToken, issuedAt: binding.issuedAt, endsAt: binding.endsAt };
}

/**
 * When a token that was issued now is likely to end; undefined where that cannot be told.
 *
 * A JWT tells its lifetime in seconds (RFC 7519: `exp` less `iat`), which holds whatever the clocks say. A JWT without
 * `iat` is read by this machine's clock, and `expires_in` as seconds, although the interface document shows no unit; a
 * very short time is then taken for a clock that is wrong, or for another unit.
 */
export function expectedEnd({ access_token, expires_in }: Token, now: number): number | undefined {
	const SHORTEST_BELIEVED_SECONDS = 5;
	const { exp, iat } = decodeJwt(access_token);
	if (typeof exp === 'number' && typeof iat === 'number' && exp > iat) {
		return now + (exp - iat) * 1000;
	}
	const byClock = typeof exp === 'number' ? exp - now / 1000 : NaN;
	return [byClock, Number(expires_in)]
		.filter((seconds) => Number.isFinite(seconds) && seconds >= SHORTEST_BELIEVED_SECONDS)
		.map((seconds) => now + seconds * 1000)[0];
}

/** Whether the token has ended, or is so near its end that it would end on the way. */
export function hasEnded({ issuedAt, endsAt }: IssuedToken, now: number): boolean {
	const LONGEST_MARGIN_MS = 10_000;
	if (endsAt === undefined) return false;
	return now >= endsAt - Math.min(LONGEST_MARGIN_MS, (endsAt - issuedAt) / 10);
}

function decodeJwt(token: string): { exp?: unknown; iat?: unknown } {
	try {
		return jwtDecode<{ exp?: unknown; iat?: unknown } | null>(token) ?? {};
	} catch {
		return {};
	}
}

function parseJson(text: unknown): unknown {
	try {
		return JSON.parse(String(text));
	} catch {
		return undefined;
	}
}

function fingerprint({ baseUrl, username, password }: Connection, token: string): string {
	return digest([baseUrl, username, password, token]);
}

function digest(values: readonly unknown[]): string {
	return createHash('sha256').update(JSON.stringify(values)).digest('base64');
}
