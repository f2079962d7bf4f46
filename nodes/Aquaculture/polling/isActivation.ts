import type { IPollFunctions } from 'n8n-workflow';
import { MINUTE_MS } from '../utils/time';

/** The time that n8n 2 allows for a poll that its scheduler did not start: the default in n8n-core's `PollContext`. */
const UNSCHEDULED_BUDGET_MS = 5 * MINUTE_MS;

/**
 * Returns whether a poll belongs to an activation. n8n does not say who polls, but context and budget tell (read in n8n's source,
 * and tried with timers and scheduler in test/n8n/trigger.test.ts):
 *
 * | Who polls           | Context                       | Budget      | Activation |
 * | ------------------- | ----------------------------- | ----------- | ---------- |
 * | n8n 1, activation   | new                           | none        | yes        |
 * | n8n 2, activation   | new                           | 5 minutes   | yes        |
 * | timers, later polls | that of the activation, again | any         | no         |
 * | scheduler of n8n 2  | new                           | another one | no         |
 *
 * The scheduler's budget is 36 seconds by default. It would be five minutes only with N8N_SCHEDULER_POLL_TIMEOUT=375 and a lease
 * of the same length.
 *
 * @param polled the contexts of earlier polls.
 */
export function isActivation(context: IPollFunctions, polled: WeakSet<IPollFunctions>): boolean {
	const budgetMs = context.getPollBudgetMs?.() ?? UNSCHEDULED_BUDGET_MS;
	return !polled.has(context) && budgetMs === UNSCHEDULED_BUDGET_MS;
}
