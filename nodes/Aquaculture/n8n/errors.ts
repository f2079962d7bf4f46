import { NodeApiError, NodeOperationError, UserError, type INode } from 'n8n-workflow';
import { fullDescription, type Failure } from '../messages/failure';

/** Creates an error for what somebody entered. */
export function inputError(node: INode, failure: Failure, itemIndex?: number): NodeOperationError {
	const { message } = failure;
	const description = fullDescription(failure);
	const error = new NodeOperationError(node, message, {
		description,
		...(itemIndex !== undefined && { itemIndex }),
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
		},
	);
	restoreTexts(error, message, description);
	if (body !== undefined) error.context.data = structuredClone(body);
	return error;
}

/**
 * Why a request with the credential is not sent, or not sent again. It has no `response` or `code`: n8n would replace the message or try
 * again.
 */
export class RequestBlockedError extends UserError {
	constructor(failure: Failure) {
		super(failure.message, { description: fullDescription(failure) });
	}
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
