import { MINUTE_MS } from '../duration';
import { MESSAGES, type FailureText, type Limit } from '../messages';
import type { Budget } from './budget';
import type { Lane } from './lane';

/** The failure of a request that cannot wait until its account may send again. */
export function describeClosed(budget: Budget, lane: Lane): FailureText {
	return MESSAGES.limits.reached(limitOf(budget), waitOf(budget, lane));
}

/** Why an account may not send now. */
export function limitOf(budget: Budget): Limit {
	return { requestsPerMinute: budget.requestsPerMinute(), isRefused: budget.isRefused };
}

/**
 * How long until a request of a lane may be sent, in milliseconds. Where that is unknown, a minute: a request under way
 * counts for at least that long.
 */
export function waitOf(budget: Budget, lane: Lane): number {
	return budget.closedMs(lane) || MINUTE_MS;
}
