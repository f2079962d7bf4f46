import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import * as z from '../service/zod';
import { digest, type Account } from './account';
import type { IssuedToken } from './tokenSource';

/** What is stored beside the token, in the credential's second hidden field. */
const bindingSchema = z.object({
	/** A digest of the token and of the account that it was issued to. */
	fingerprint: z.string(),
	issuedAt: z.number(),
	endsAt: z.optional(z.number()),
});

/** The fields by which a token is kept in the credential. */
export type StoredFields = {
	accessToken: string;
	tokenBinding: string;
};

/**
 * A token in the form in which it is kept, bound to the account that it was issued to: n8n keeps it when username, password
 * or address are edited (n8n 1.123 and 2.40).
 */
export function toStoredFields(account: Account, token: IssuedToken): StoredFields {
	const { value, issuedAt, endsAt } = token;
	const binding = { fingerprint: fingerprintOf(account, value), issuedAt, endsAt };
	return { accessToken: value, tokenBinding: JSON.stringify(binding) };
}

/** The token that a credential holds; undefined if it holds none, or one that was issued to another account. */
export function storedToken(
	account: Account,
	{ accessToken, tokenBinding }: ICredentialDataDecryptedObject,
): IssuedToken | undefined {
	if (typeof accessToken !== 'string' || accessToken === '') return undefined;
	const binding = bindingSchema.safeParse(parseJson(tokenBinding)).data;
	if (binding?.fingerprint !== fingerprintOf(account, accessToken)) return undefined;
	return { value: accessToken, issuedAt: binding.issuedAt, endsAt: binding.endsAt };
}

function parseJson(text: unknown): unknown {
	try {
		return JSON.parse(String(text));
	} catch {
		return undefined;
	}
}

function fingerprintOf({ settings }: Account, token: string): string {
	return digest([settings.baseUrl, settings.username, settings.password, token]);
}
