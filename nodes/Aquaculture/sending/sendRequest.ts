import type { Failure } from '../messages/failure';
import type { RawAnswer, ServiceDocument } from '../service/answer';
import type { Client } from './client';
import { signWith } from './credentialHooks';
import { exchange } from './exchange';
import { signRequest, type RequestOptions } from './signRequest';
import { acquireTokenAndSlot, type TokenAndSlot } from './tokenAndSlot';

/** An answer, or why there is none. Without a token and a slot, the request was not sent. */
export type SendOutcome =
	| ({ answer: RawAnswer; failure?: never } & TokenAndSlot)
	| ({ failure: Failure } & Partial<TokenAndSlot>);

/**
 * How is the request for a document sent once? It waits for a token and a slot, then n8n's helper sends it and asks `authenticate`
 * to sign it. Never throws. After a 401 or a 429, `fetchDocument` calls this again.
 *
 * @param timeoutMs the time for the whole answer, in milliseconds.
 */
export async function sendRequest(
	client: Client,
	document: ServiceDocument<unknown>,
	timeoutMs: number,
): Promise<SendOutcome> {
	const { account, credential, queue, waitDeadline: deadline, signal } = client;
	const { settings } = account;
	const { path, subject } = document;
	const { value: tokenAndSlot, failure: notSent } = await acquireTokenAndSlot(
		account,
		{ queue, deadline, signal },
		client.logIn,
	);
	if (notSent) return { failure: notSent };
	const { token, slot } = tokenAndSlot;
	const { value: answer, failure } = await exchange(account, slot, {
		subject,
		timeoutMs,
		signal,
		secrets: [settings.password, token.value],
		send: async (baseOptions, endSignal) => {
			const url = settings.baseUrl + path;
			const headers = { Accept: 'application/json' };
			const options = { ...baseOptions, method: 'GET', url, headers } as const;
			let isSigned = false;
			const sign = (unsigned: RequestOptions) => {
				isSigned = true;
				// Added here, because n8n's helper overwrites a signal in the options that it is called with.
				return { ...signRequest(unsigned, settings, token), abortSignal: endSignal };
			};
			const response = await client.send(options, signWith(credential, sign));
			if (isSigned) return response;
			response.body.destroy();
			throw new Error(
				"n8n did not call 'authenticate' of the credential, so the request had no token",
			);
		},
	});
	return failure ? { failure, token, slot } : { answer, token, slot };
}
