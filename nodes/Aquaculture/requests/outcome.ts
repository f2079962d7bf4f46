import { MESSAGES } from '../../../texts/messages';
import type { Failure } from './failure';

/** Either a value or the reason why there is none. */
export type Outcome<T, F extends Failure = Failure> =
	| { value: T; failure?: never }
	| { value?: never; failure: F };

/**
 * The failure of a document that threw something when it was processed. It fails alone: if it were thrown, the results of the
 * other documents would be lost, and n8n would return the input items instead.
 *
 * @param subject what the document is about.
 */
export function unprocessed(subject: string, thrown: unknown): { failure: Failure } {
	return { failure: MESSAGES.answer.unprocessed(subject, (thrown as Error).message) };
}
