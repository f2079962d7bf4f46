import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { asHtml } from './html';
import { fullDescription } from '../messages/messages';
import type { Failure } from '../service/failures';

/** Makes the error of input that cannot be used, before any request. */
export function inputError(
	node: INode,
	message: string,
	description: string,
	itemIndex?: number,
): NodeOperationError {
	const error = new NodeOperationError(node, message, {
		description,
		...(itemIndex !== undefined && { itemIndex }),
	});
	return withTexts(error, message, description);
}

/** Makes the error of a request that failed, with the service's status and body where the editor shows them. */
export function requestError(
	node: INode,
	{ statusCode, body, ...text }: Failure,
	itemIndex?: number,
): NodeApiError {
	const { message } = text;
	const description = fullDescription(text);
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
	withTexts(error, message, description);
	if (body !== undefined) error.context.data = structuredClone(body);
	return error;
}

function withTexts<E extends NodeApiError | NodeOperationError>(
	error: E,
	message: string,
	description: string,
): E {
	// n8n's error classes replace a message that contains certain words, such as "ENOENT" (docs/architecture.md, n8n 17).
	error.message = message;
	// Set for the editor, which would render the description as HTML. Workflows, logs and agents read it as text (docs/architecture.md, n8n 16).
	error.context.descriptionTemplate = asHtml(description);
	return error;
}
