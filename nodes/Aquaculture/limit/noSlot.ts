import type { Failure } from '../messages/failure';
import { formatDuration, plural } from '../messages/phrases';
import type { Queue } from './queue';
import type { LimitState, RateLimiter } from './rateLimiter';

/* Why did a request get no slot, and when may it be sent? */

/** Explains it to those who started the request: an execution has its own limit, 'Maximum Wait'. */
export function explainNoSlot(limiter: RateLimiter, queue: Queue): Failure {
	const limit = limiter.describeLimit(queue, Math.max(1, queue.totalRequests));
	return queue.owner === 'execution' ? maxWaitReached(limit) : explainWait(limit);
}

function maxWaitReached(limit: LimitState): Failure {
	return {
		...explainWait(limit),
		message: "The wait for the request limit would be longer than 'Maximum Wait (Minutes)' allows",
		description: `Try again in ${formatDuration(limit.delayMs)}, or raise 'Maximum Wait (Minutes)' under Options.`,
	};
}

/** Explains it for what has no 'Maximum Wait', such as a login or a poll. */
export function explainWait({ requestsPerMinute, waitReason, delayMs }: LimitState): Failure {
	const notes = {
		rate: `The account may send ${plural(requestsPerMinute, 'request')} a minute, shared by all workflows.`,
		refusals:
			'The service refused requests because there were too many, so fewer are sent for a while.',
	};
	return {
		message: `The account has reached its request limit and may send again in ${formatDuration(delayMs)}`,
		description: 'Try again after that.',
		note: notes[waitReason],
		kind: 'noSlot',
		stopsAll: true,
	};
}
