import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import * as z from '../service/zod';
import type { Account } from './accounts';
import type { IssuedToken } from './issuedToken';
import type { Connection } from './connection';
import { digest } from './digest';

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

/** A token in the form in which it is kept, bound to the account that it was issued to. */
export function toStoredFields(
	connection: Connection,
	{ value, issuedAt, endsAt }: IssuedToken,
): StoredFields {
	const binding = { fingerprint: fingerprintOf(connection, value), issuedAt, endsAt };
	return { accessToken: value, tokenBinding: JSON.stringify(binding) };
}

/** The token that a credential holds; undefined if it holds none, or one that was issued to another account. */
export function storedToken(
	account: Account,
	{ accessToken, tokenBinding }: ICredentialDataDecryptedObject,
): IssuedToken | undefined {
	const { stored } = account;
	const isChecked =
		stored && stored.accessToken === accessToken && stored.tokenBinding === tokenBinding;
	if (isChecked) return stored.token;

	const token = checkStored(account.connection, accessToken, tokenBinding);
	account.stored = { accessToken, tokenBinding, token };
	return token;
}

function checkStored(
	connection: Connection,
	accessToken: unknown,
	tokenBinding: unknown,
): IssuedToken | undefined {
	if (typeof accessToken !== 'string' || accessToken === '') return undefined;
	const binding = bindingSchema.safeParse(parseJson(tokenBinding)).data;
	if (binding?.fingerprint !== fingerprintOf(connection, accessToken)) return undefined;
	return { value: accessToken, issuedAt: binding.issuedAt, endsAt: binding.endsAt };
}

function parseJson(text: unknown): unknown {
	try {
		return JSON.parse(String(text));
	} catch {
		return undefined;
	}
}

function fingerprintOf({ baseUrl, username, password }: Connection, token: string): string {
	return digest([baseUrl, username, password, token]);
}
