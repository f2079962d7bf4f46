import type { INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';
import { MESSAGES } from '../../texts/messages';

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
