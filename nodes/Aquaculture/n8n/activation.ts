import type { IPollFunctions } from 'n8n-workflow';
import { MINUTE_MS } from '../utils/time';

/** The contexts of earlier polls. Checking a context adds it, so check it once. */
const contexts = new WeakSet<IPollFunctions>();

/** The time that n8n 2 allows for a poll that its scheduler did not start. */
const UNSCHEDULED_BUDGET_MS = 5 * MINUTE_MS;

/**
 * Returns whether this poll belongs to the activation of the trigger. n8n does not say so, but who polls is seen by context,
 * budget and mode (read in n8n's source: docs/architecture.md, n8n 18):
 *
 * | Who polls                       | Context | Budget      | Mode     | Activation |
 * | ------------------------------- | ------- | ----------- | -------- | ---------- |
 * | n8n 1, activation               | new     | none        | any      | yes        |
 * | n8n 2, activation               | new     | 5 minutes   | any      | yes, but with 'update' only after an edit |
 * | timers, later polls             | known   | any         | any      | no         |
 * | scheduler of n8n 2              | new     | another one | 'update' | no         |
 *
 * - n8n's timers poll with the context of the activation again.
 * - The scheduler of n8n 2 creates a context for each poll, and gives it another budget. Only N8N_SCHEDULER_POLL_TIMEOUT=375
 *   with a lease of the same length results in the same five minutes.
 * - The scheduler polls in mode 'update'. In that mode, n8n 2 activates a trigger only after an edit of its node, or after an
 *   activation that failed.
 *
 * @param isEdited whether the node was another one at the last poll, or its settings were unusable at the last activation.
 */
export function isActivationPoll(context: IPollFunctions, isEdited: boolean): boolean {
	if (contexts.has(context)) return false;
	contexts.add(context);
	// n8n 1 has neither scheduler nor budget.
	const budgetMs = context.getPollBudgetMs?.();
	if (budgetMs === undefined) return true;
	if (budgetMs !== UNSCHEDULED_BUDGET_MS) return false;
	return isEdited || context.getActivationMode() !== 'update';
}
