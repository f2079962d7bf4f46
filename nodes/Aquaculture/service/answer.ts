import { MESSAGES } from '../messages/messages';
import type { Subject } from '../messages/subject';
import type { Result } from '../utils/result';
import { MAX_BODY_BYTES, type Body } from './body';
import { connectionFailure, timedOut, type Failure } from './failures';

/** Why a body was not read to its end. */
export type Unread = 'tooLarge' | 'brokenOff' | 'timedOut';

/** An answer of the service. */
export interface Answer {
	statusCode: number;
	/** By lower-case name. */
	headers: Record<string, unknown>;
	body: Result<Body, Unread>;
}

/** @param timeoutMs the time that was allowed. */
export function describeUnread(unread: Unread, subject: Subject, timeoutMs: number): Failure {
	if (unread === 'tooLarge') return MESSAGES.answer.tooLarge(subject, MAX_BODY_BYTES);
	return unread === 'timedOut'
		? timedOut(subject, timeoutMs)
		: connectionFailure('ECONNRESET', subject);
}
