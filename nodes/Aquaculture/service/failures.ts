import { MESSAGES, type FailureText } from '../messages/messages';
import type { Subject } from '../messages/subject';

/**
 * What a failure means for other requests:
 *
 * - `notSent`: the request got no slot in time.
 * - `cancelled`: the execution or poll ended, so nothing more is sent.
 * - `stopsAll`: every other request would fail for the same reason, so nothing more is sent.
 * - `loginRefused`: the service refused username and password, and repeating the login could lock the account.
 * - `transient`: the same request may succeed a little later.
 * - `timedOut`: the same, but nothing was answered in time.
 * - `notFound`: the service does not know the document.
 * - `forbidden`: the account has no right to read the document.
 */
export type FailureKind =
	| 'notSent'
	| 'cancelled'
	| 'stopsAll'
	| 'loginRefused'
	| 'transient'
	| 'timedOut'
	| 'notFound'
	| 'forbidden';

/** Why a document could not be read, or a login failed, in the words that people read. */
export interface Failure extends FailureText {
	/** Status of the service's answer, if there was one. */
	statusCode?: number;
	/** Body of the answer without secrets, parsed if it is JSON. */
	body?: unknown;
	/** Absent if the failure is final and concerns only this request. */
	kind?: FailureKind | undefined;
	/** How long the service asks to wait, in milliseconds. */
	waitMs?: number | undefined;
}

/** @param timeoutMs the time that was allowed. */
export function timedOut(subject: Subject, timeoutMs: number): Failure {
	return { ...MESSAGES.limits.tookTooLong(subject, timeoutMs), kind: 'timedOut' };
}

export function cancelled(): Failure {
	return { ...MESSAGES.limits.cancelled(), kind: 'cancelled' };
}

/** Identifies a failure while it continues, from try to try or from poll to poll. */
export function identifyFailure({ failureKey, statusCode }: Failure): string {
	return failureKey ?? String(statusCode ?? '');
}
