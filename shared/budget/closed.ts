import type { FailureText } from '../connectionFailures';
import { spellDuration, spellRate } from '../duration';
import type { Budget } from './budget';
import type { Lane } from './lane';

const MINUTE_MS = 60_000;

/** The failure of a request that cannot wait until its account may send again. */
export function describeClosed(budget: Budget, lane: Lane): FailureText {
	return {
		message: `The account has reached its limit and may send again in ${spellWait(budget, lane)}`,
		description: `${describeLimit(budget)} Try again after that.`,
		cause: 'closed',
	};
}

/** Why an account may not send now, as a sentence. */
export function describeLimit(budget: Budget): string {
	return budget.stoppedMs() > 0
		? 'The service refused requests because there were too many, so nothing is sent for now.'
		: `The account may send ${spellRate(budget.requestsPerMinute())}, shared by all workflows.`;
}

/** How long to wait until a request of a lane may be sent; where that is not known, the least that it can be. */
export function spellWait(budget: Budget, lane: Lane): string {
	return spellDuration(budget.closedMs(lane) || MINUTE_MS);
}
