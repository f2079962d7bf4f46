import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import type { FailureText } from '../../shared/messages';

/*
 * n8n's error classes replace a message that contains certain words, such as "ENOENT", wherever these come from. So the
 * message is set again afterwards.
 */

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
	error.message = message;
	return error;
}

/** What is shown of a request that failed. */
interface RequestFailure extends FailureText {
	/** Status of the service's answer, where there was one. */
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
	error.message = message;
	if (body !== undefined) error.context.data = structuredClone(body);
	return error;
}
