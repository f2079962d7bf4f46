import type { INode, IPollFunctions } from 'n8n-workflow';
import { MINUTE_MS } from '../utils/time';

/** The contexts of earlier polls. */
const polledContexts = new WeakSet<IPollFunctions>();

/** The time that n8n 2 allows for a poll that its scheduler did not start. */
const UNSCHEDULED_BUDGET_MS = 5 * MINUTE_MS;

/** Not the fingerprint of any node. */
const FAILED_ACTIVATION = 'failed';

/** Detects with which polls n8n activates a trigger. */
export class ActivationDetector {
	/** Of the node as n8n activated it, or else polled it first. */
	private fingerprint: string | undefined;

	/** Detects whether a poll belongs to an activation. Call it once for each poll, because it remembers the context. */
	detect(context: IPollFunctions): boolean {
		const isNewContext = !polledContexts.has(context);
		polledContexts.add(context);
		const fingerprint = getFingerprint(context.getNode());
		const isEdited = this.fingerprint !== undefined && this.fingerprint !== fingerprint;
		const isActivation = isNewContext && isFromActivation(context, isEdited);
		if (isActivation || this.fingerprint === undefined) this.fingerprint = fingerprint;
		return isActivation;
	}

	/** The next activation counts as one even without an edit of the node: after a failed activation, n8n tries again. */
	reportFailed(): void {
		this.fingerprint = FAILED_ACTIVATION;
	}
}

/**
 * Returns whether a poll with a new context belongs to an activation. n8n does not say so; context, budget and mode tell who
 * polls (read in n8n's source, and tried with timers and scheduler in test/n8n/trigger.test.ts):
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
 */
function isFromActivation(context: IPollFunctions, isEdited: boolean): boolean {
	// n8n 1 has neither scheduler nor budget.
	const budgetMs = context.getPollBudgetMs?.();
	if (budgetMs === undefined) return true;
	if (budgetMs !== UNSCHEDULED_BUDGET_MS) return false;
	return isEdited || context.getActivationMode() !== 'update';
}

/** Covers what n8n 2.40 compares to find an edit: it activates the trigger again if one of these differs. */
function getFingerprint({ type, typeVersion, credentials, parameters }: INode): string {
	return JSON.stringify([type, typeVersion, credentials, parameters]);
}
