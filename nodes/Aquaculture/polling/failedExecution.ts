import type { IPollFunctions } from 'n8n-workflow';

/**
 * Adds a failed execution with this error, which n8n reports to the error workflow.
 *
 * A poll does not throw for what it cannot fetch: n8n would lose its items, the changes of all other sites, and would not
 * activate a workflow while the service is down. In return n8n counts the poll as a success: in its metrics, and for its
 * scheduler, which waits longer between polls only after exceptions (2.40).
 */
export function startFailedExecution(context: IPollFunctions, error: Error): void {
	context.__emitError(error);
}
