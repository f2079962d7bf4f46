import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import type { FailureText } from '../../../texts/messages';
import { asHtml } from '../../../texts/html';

/** The error of input that cannot be used, before any request. */
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
	return finished(error, message, description);
}

/** What is shown of a request that failed. */
interface RequestFailure extends FailureText {
	/** Status of the service's answer, if there was one. */
	statusCode?: number;
	/** Body of the service's answer. */
	body?: unknown;
}

/** The error of a request that failed. The service's status and body are kept where the editor shows them. */
export function requestError(
	node: INode,
	{ message, description, statusCode, body }: RequestFailure,
	itemIndex?: number,
): NodeApiError {
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
	finished(error, message, description);
	if (body !== undefined) error.context.data = structuredClone(body);
	return error;
}

function finished<E extends NodeApiError | NodeOperationError>(
	error: E,
	message: string,
	description: string,
): E {
	// n8n's error classes replace a message that contains certain words, such as "ENOENT", wherever these come from.
	error.message = message;
	// The editor renders this as HTML, or else the description, which workflows, logs and agents read (n8n 1.123 and 2.40).
	error.context.descriptionTemplate = asHtml(description);
	return error;
}
