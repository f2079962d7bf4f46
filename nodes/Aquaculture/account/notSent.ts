import { UserError } from 'n8n-workflow';
import { descriptionOf, type FailureText } from '../messages/messages';

/** A request may not be sent. It carries neither `response` nor `code`, or else n8n would replace the message or try again. */
export class NotSentError extends UserError {
	constructor(text: FailureText) {
		super(text.message, { description: descriptionOf(text) });
	}
}

/** What n8n takes for an expired token, so that it asks for another one. */
export function tokenNeeded(): Error {
	return Object.assign(new Error('A new token is needed'), { response: { status: 401 } });
}
