import type { FailureText } from '../connectionFailures';
import { spellDuration } from '../duration';
import type { Budget } from './budget';
import type { Lane } from './lane';

/** The failure of a request that cannot wait until its account may send again. */
export function describeClosed(budget: Budget, lane: Lane): FailureText {
	return {
		message: `The account may send again in ${spellDuration(budget.closedMs(lane))}`,
		description: `${describeLimit(budget)} Try again after that.`,
		cause: 'closed',
	};
}

/** Why an account may not send now, as a sentence. */
export function describeLimit(budget: Budget): string {
	if (budget.stoppedMs() > 0) {
		return 'The service has refused requests because there were too many, so nothing is sent to it for now.';
	}
	const count = budget.requestsPerMinute();
	return `The account may send ${count} ${count === 1 ? 'request' : 'requests'} a minute, which all workflows share.`;
}
