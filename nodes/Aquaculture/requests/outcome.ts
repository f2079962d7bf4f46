import { MESSAGES } from '../../../texts/messages';
import type { Failure } from './failure';

/** Either a value or the reason why there is none. */
export type Outcome<T, F extends Failure = Failure> =
	| { value: T; failure?: never }
	| { value?: never; failure: F };

/**
 * What a function returns for a document. An exception becomes the failure of this document only: if it were thrown, the
 * results of the others would be lost, and n8n would return the input items instead.
 *
 * @param subject what the document is about.
 */
export function outcomeOf<T>(subject: string, make: () => T): Outcome<T> {
	try {
		return { value: make() };
	} catch (error) {
		return { failure: MESSAGES.answer.unprocessed(subject, (error as Error).message) };
	}
}
