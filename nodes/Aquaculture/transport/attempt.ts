import { MESSAGES } from '../../../shared/messages';
import type { Outcome } from './request';

/**
 * Makes something of a document. An exception is the failure of this document alone: thrown further, it would lose what
 * was made of the others, and n8n would hand on the input as if it were output.
 *
 * @param subject what the document is about.
 */
export function attempt<T>(subject: string, make: () => T): Outcome<T> {
	try {
		return { answer: make() };
	} catch (error) {
		return { failure: MESSAGES.answer.unprocessed(subject, (error as Error).message) };
	}
}
