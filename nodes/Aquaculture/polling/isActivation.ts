import type { IPollFunctions } from 'n8n-workflow';
import { MINUTE_MS } from '../utils/time';

/** The budget of a poll that n8n's scheduler did not start: the default in n8n-core's `PollContext` (2.40). n8n 1 has none. */
const UNSCHEDULED_BUDGET_MS = 5 * MINUTE_MS;

/**
 * Returns whether a poll belongs to an activation. n8n does not say so, but two facts tell (read in n8n's source, and tried with
 * timers and scheduler in test/n8n/trigger.test.ts):
 *
 * 1. An activation creates a context and polls with it. n8n's timers then poll with the same context again and again. So a
 *    context that has polled before is not that of an activation.
 * 2. The scheduler creates a context for each poll, with a budget of its own: 36 seconds by default. It would be five minutes only
 *    with N8N_SCHEDULER_POLL_TIMEOUT=375 and a lease of the same length.
 *
 * @param polled the contexts of earlier polls.
 */
export function isActivation(context: IPollFunctions, polled: WeakSet<IPollFunctions>): boolean {
	const isTimerPoll = polled.has(context);
	const budgetMs = context.getPollBudgetMs?.() ?? UNSCHEDULED_BUDGET_MS;
	const isSchedulerPoll = budgetMs !== UNSCHEDULED_BUDGET_MS;
	return !isTimerPoll && !isSchedulerPoll;
}
