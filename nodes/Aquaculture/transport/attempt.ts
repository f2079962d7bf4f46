import { MESSAGES } from '../../../shared/messages';
import type { Outcome } from './request';

/**
 * Processes a document. An exception becomes the failure of this document only: if it were thrown, the results of the
 * others would be lost, and n8n would pass on the input as if it were output.
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
