import { MESSAGES } from '../messages/messages';
import { LOGIN, type Subject } from '../messages/subject';
import type { Result } from '../utils/result';
import { MAX_BODY_BYTES, type Body } from './body';
import { connectionFailure } from './connection';
import { loginTimedOut, timedOut, type Failure } from './failures';

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
export function explainUnread(unread: Unread, subject: Subject, timeoutMs: number): Failure {
	if (unread === 'tooLarge') return MESSAGES.answer.tooLarge(subject, MAX_BODY_BYTES);
	return unread === 'timedOut'
		? timedOut(subject, timeoutMs)
		: connectionFailure('ECONNRESET', subject);
}

/** The same for the answer to a login: one that is too large cannot be the service's. */
export function explainUnreadLogin(unread: Unread, timeoutMs: number): Failure {
	if (unread === 'timedOut') return loginTimedOut(timeoutMs);
	return unread === 'tooLarge'
		? MESSAGES.answer.malformed(LOGIN)
		: connectionFailure('ECONNRESET', LOGIN);
}
