import { UserError } from 'n8n-workflow';
import type { FailureText } from '../../texts/messages';
import { tokenFailureCode } from '../../account/tokenFailureCode';

/**
 * No token can be had, or a request may not be signed. It carries neither `response` nor `code`: with these, n8n would
 * try the login again or replace the message with its own (n8n 1.123 and 2.40).
 */
export class TokenFailure extends UserError {
	/** n8n keeps it as the `httpCode` of the error that it throws in the node. */
	readonly errorCode: string;

	constructor({ message, description, cause }: FailureText) {
		super(message, { description });
		this.errorCode = tokenFailureCode(cause);
	}
}

/** What n8n takes for an expired token, so that it asks for another one. */
export function tokenNeeded(): Error {
	return Object.assign(new Error('A new token is needed'), { response: { status: 401 } });
}
