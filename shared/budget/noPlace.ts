import { MESSAGES, type FailureText, type Limit } from '../messages';
import type { Budget } from './budget';

/** The failure of a request for which its account has no place now. */
export function describeNoPlace(budget: Budget): FailureText {
	return MESSAGES.limits.reached(limitOf(budget), budget.delayMs());
}

/** What keeps an account from sending more. */
export function limitOf(budget: Budget): Limit {
	return { requestsPerMinute: budget.requestsPerMinute, cause: budget.cause() };
}
