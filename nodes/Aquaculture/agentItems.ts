import type {
	INodeExecutionData,
	NodeApiError,
	NodeExecutionHint,
	NodeOperationError,
} from 'n8n-workflow';
import { MESSAGES, SENTENCES } from '../../texts/messages';

/**
 * An error item with the whole text of the error in its message: an agent sees only the message (n8n 1.123 and 2.40). It is not
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

/** The items without those that repeat an error: if the account is busy, an agent would read so for each of its sites. */
export function eachErrorOnce(items: INodeExecutionData[]): INodeExecutionData[] {
	const errors = items.map(({ json }) => json.error);
	return items.filter(
		({ json: { error } }, index) => error === undefined || errors.indexOf(error) === index,
	);
}

/** What an agent gets in place of an empty answer, which would not show what has happened. */
export function nothingFound(hints: readonly NodeExecutionHint[]): INodeExecutionData {
	const sentences = [MESSAGES.hints.nothingFound(), ...hints.map(({ message }) => message)];
	return { json: { message: sentences.join('. ') }, pairedItem: { item: 0 } };
}
