import { NodeApiError, NodeOperationError, UserError, type INode } from 'n8n-workflow';
import { fullDescription, passesByItself, type Failure } from '../messages/failure';

/** Creates an error for what somebody entered, in the node unless it says another cause. */
export function inputError(node: INode, failure: Failure, itemIndex?: number): NodeOperationError {
	const { message, cause = 'configuration-invalid' } = failure;
	const description = fullDescription(failure);
	const error = new NodeOperationError(node, message, {
		description,
		...(itemIndex !== undefined && { itemIndex }),
		...declareCause({ cause }),
	});
	return restoreTexts(error, message, description);
}

/** Creates an error for a failed request, with the service's status and body where the editor shows them. */
export function requestError(node: INode, failure: Failure, itemIndex?: number): NodeApiError {
	const { message, statusCode, body } = failure;
	const description = fullDescription(failure);
	const error = new NodeApiError(
		node,
		{},
		{
			message,
			description,
			...(itemIndex !== undefined && { itemIndex }),
			...(statusCode !== undefined && { httpCode: String(statusCode) }),
			...declareCause(failure),
		},
	);
	restoreTexts(error, message, description);
	if (body !== undefined) error.context.data = structuredClone(body);
	return error;
}

/** Why the credential lets no request be sent. It has no `response` or `code`: n8n would replace the message or try again. */
export class RequestBlockedError extends UserError {
	constructor(failure: Failure) {
		super(failure.message, { description: fullDescription(failure) });
	}
}

/** Returns the option by which n8n 2.40 decides when to poll again; n8n 1.123 ignores it. */
function declareCause({ cause, waitMs: retryAfterMs }: Pick<Failure, 'cause' | 'waitMs'>) {
	if (cause === undefined) return {};
	const saysWhen = passesByItself({ cause }) && retryAfterMs !== undefined;
	return { failure: saysWhen ? { cause, retryAfterMs } : { cause } };
}

function restoreTexts<E extends NodeApiError | NodeOperationError>(
	error: E,
	message: string,
	description: string,
): E {
	// n8n's error classes replace a message that contains certain words, such as "ENOENT".
	error.message = message;
	// The editor renders this template, instead of the description, as HTML; workflows, logs and agents read the description as
	// text.
	error.context.descriptionTemplate = escapeHtml(description);
	return error;
}

const ENTITIES: Record<string, string> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	// n8n shows text between backticks as code.
	'`': '&#96;',
	// n8n replaces "%%PARAMETER%%" with the name of a parameter.
	'%': '&#37;',
	'\n': '<br>',
};

/** Escapes a text that n8n renders as HTML: notices, and the descriptions of errors. */
export function escapeHtml(text: string): string {
	return text.replace(/[&<>"`%\n]/g, (character) => ENTITIES[character] ?? character);
}
