import type { IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { MINUTE_MS } from '../utils/time';

/*
 * How does n8n poll a trigger? It documents none of this: read in its source, and seen in n8n 1.123 and 2.40.
 * `test/n8n/trigger.test.ts` fails if it changes.
 *
 * | Who polls                 | Context          | Budget | Memory   | n8n stores the memory | If the poll throws          |
 * | ------------------------- | ---------------- | ------ | -------- | --------------------- | --------------------------- |
 * | an activation             | new              | 5 min  | observed | always                | no activation               |
 * | the same, durable cursors | new              | 5 min  | a copy   | with an execution     | no activation               |
 * | timers                    | the activation's | 5 min  | observed | with an execution     | a failed execution          |
 * | the scheduler             | new              | 36 s   | observed | with an execution     | the same, and longer pauses |
 * | the same, durable cursors | new              | 36 s   | a copy   | always                | the same, and longer pauses |
 * | a person, a test event    | new              | 5 min  | observed | never                 | the person sees the error   |
 *
 * - Budgets, the scheduler and its durable cursors came with n8n 2. An instance must turn on the scheduler, and the cursors, too.
 * - The scheduler's budget is four fifths of N8N_SCHEDULER_POLL_TIMEOUT (45 s), or of N8N_SCHEDULER_LEASE_DURATION (60 s) if that
 *   is shorter. It is five minutes only with a timeout of exactly 375 s and a lease at least as long. After the timeout, n8n gives up
 *   the poll, but cannot cancel its requests.
 * - A memory is the static data of a node. *Observed* means that n8n hands over an object that notes its changes in `__dataChanged`.
 *   With timers, it is the same object each time, as the last poll left it. The scheduler loads what is stored for each poll. n8n stores
 *   the memories of a workflow together if one has changed, so it may hand over an older memory than another poll has written.
 * - A durable cursor is the memory of one node. n8n hands over *a copy*, without `__dataChanged`.
 * - A poll starts an execution if it returns a list, even one without items. If the workflow is unpublished during the poll, n8n
 *   discards the list (2.40).
 * - n8n starts a poll although another one of the trigger is running. When one ends, n8n releases what expressions need, also for
 *   the others of the workflow (2.40).
 */

/** Who polls, as far as this package treats them differently. A person may wait for the first two. */
export type PollKind = 'activation' | 'testEvent' | 'regular';

/** The contexts that have polled. n8n may release them: its scheduler makes one for each poll. */
const polledContexts = new WeakSet<IPollFunctions>();

/**
 * Returns who polls. Must be called once for each poll, when it begins.
 *
 * n8n does not mark an activation, so every poll that is neither a timer's nor the scheduler's counts as one: only timers poll with a
 * context that has polled before, and only the scheduler has another budget than the default. If its budget is exactly five
 * minutes, each of its polls passes for an activation: such a poll has 28 seconds, forgets what this process knows of the trigger,
 * throws its exceptions, and does not see to it that n8n stores the values of new sites.
 */
export function identifyPoll(context: IPollFunctions): PollKind {
	if (context.getMode() === 'manual') return 'testEvent';
	const isTimer = polledContexts.has(context);
	polledContexts.add(context);
	const isScheduler = getPollBudgetMs(context) !== DEFAULT_BUDGET_MS;
	return isTimer || isScheduler ? 'regular' : 'activation';
}

/** The default of n8n-core's `PollContext` (2.40). */
const DEFAULT_BUDGET_MS = 5 * MINUTE_MS;

/** Returns how long n8n wants a poll to take at most, in milliseconds. */
export function getPollBudgetMs(context: IPollFunctions): number {
	// n8n 1 has no budgets.
	return context.getPollBudgetMs?.() ?? DEFAULT_BUDGET_MS;
}

/**
 * Identifies a trigger by its workflow and name, as n8n does for its memory. Node IDs may repeat: n8n 1.123 activates triggers
 * that share one.
 */
export function getTriggerKey(context: IPollFunctions): string {
	return `${context.getWorkflow().id}/${context.getNode().name}`;
}

/**
 * Adds what to do to the message of an error that keeps n8n from activating a workflow: n8n then shows the message alone (both
 * versions). A programming error has no description.
 */
export function describeInMessage(error: NodeOperationError): NodeOperationError {
	if (error.description) error.message = `${error.message}. ${error.description}`;
	return error;
}
