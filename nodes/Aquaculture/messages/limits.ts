import type { LimitState } from '../limit/rateLimiter';
import { plural } from '../utils/text';
import { SECOND_MS } from '../utils/time';
import type { FailureText } from './failureText';
import { capitalise, FIELD_LABELS, TRY_LATER } from './phrases';
import { LOGIN, type Subject } from './subject';
import { formatDuration } from './timeFormats';

function explainLimit({ requestsPerMinute, credential, limitCause }: LimitState): string {
	return {
		rate: `The account may send ${plural(requestsPerMinute, 'request')} a minute${credential ? ` (credential '${credential}')` : ''}, shared by all workflows.`,
		cooldown:
			'The service refused requests because there were too many, so nothing is sent for now.',
		reducedRate:
			'The service refused requests because there were too many, so fewer are sent for a while.',
	}[limitCause];
}

/** A request or an execution has used up its time. */
export const LIMIT_MESSAGES = {
	tookTooLong: (subject: Subject, limitMs: number): FailureText => ({
		message: `${capitalise(subject.name)} took longer than ${plural(Math.ceil(limitMs / SECOND_MS), 'second')}`,
		...(subject === LOGIN
			? TRY_LATER
			: { description: `Try again, or raise '${FIELD_LABELS.timeout}' under Options.` }),
		failureKey: 'timeout',
	}),
	/** The result of each site that was not requested. */
	noSlot: (limit: LimitState): FailureText => ({
		message: `The wait for the request limit would be longer than '${FIELD_LABELS.maxWait}' allows`,
		description: `Try again in ${formatDuration(limit.delayMs)}, or raise '${FIELD_LABELS.maxWait}' under Options.`,
		note: explainLimit(limit),
		failureKey: 'noSlot',
	}),
	reached: (limit: LimitState): FailureText => ({
		message: `The account has reached its request limit and may send again in ${formatDuration(limit.delayMs)}`,
		description: 'Try again after that.',
		note: explainLimit(limit),
		failureKey: 'noSlot',
	}),
	/** The result of each document that was not requested because so many others had failed. */
	down: (): FailureText => ({
		message: 'The service seems to be down, so no more requests were sent',
		...TRY_LATER,
		failureKey: 'down',
	}),
	/** Hardly ever shown: n8n has a message of its own for an execution that it ended. */
	cancelled: (): FailureText => ({
		message: 'The execution ended before the service answered',
		description: 'Run the workflow again.',
	}),
};
