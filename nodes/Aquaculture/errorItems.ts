import type { INodeExecutionData, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { labelOf, type ServiceDocument } from '../../service/document';
import { SENTENCES } from '../../texts/messages';

/** A document that could not be read. Of one that was never asked for, only the ID is known. */
export type Failed = Pick<ServiceDocument<unknown>, 'id'> &
	Partial<Pick<ServiceDocument<unknown>, 'path' | 'subject' | 'kind'>>;

/** An error item for the main output. It has no `error` beside `json`: with one, n8n would replace the JSON (n8n 1.123, 2.40). */
export function errorItem(
	error: NodeApiError | NodeOperationError,
	{ id }: Failed,
	item: number,
): INodeExecutionData {
	const { message, description, httpCode = null } = error as NodeApiError;
	return {
		json: { error: message, ...id, description: description || null, httpCode },
		pairedItem: { item },
	};
}

/**
 * An error item for the error branch. n8n (1.123, 2.40) recognises it because it has only these two fields, and
 * adds those of the input item.
 */
export function errorBranchItem(
	{ message, description }: NodeApiError | NodeOperationError,
	failed: Failed,
	item: number,
): INodeExecutionData {
	const text = { message, description: description ?? '' };
	return {
		json: { error: message, message: SENTENCES.failed(prefixFor(message, failed), text) },
		pairedItem: { item },
	};
}

/** What is put before a message, so that it names its document; undefined if the message names it already. */
function prefixFor(message: string, { id, subject, kind }: Failed): string | undefined {
	if (!subject || !kind) return undefined;
	const name = `${kind.one} ${labelOf(id)}`;
	return name === subject && message.toLowerCase().includes(subject.toLowerCase())
		? undefined
		: name;
}

/**
 * An error item for an AI agent, with the whole text of the error in its message: an agent sees only the message (n8n 1.123 and 2.40). It is not
 * told how to leave out a site, since it would then not learn which one is missing.
 */
export function agentItem(
	error: NodeApiError | NodeOperationError,
	_failed: unknown,
	item: number,
): INodeExecutionData {
	const description = error.description?.replace(`${SENTENCES.leaveOut()} `, '');
	error.message = [error.message, description].filter(Boolean).join('. ');
	return { json: { error: error.message }, error, pairedItem: { item } };
}
