import type { IPollFunctions, NodeOperationError } from 'n8n-workflow';

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

/**
 * Adds what to do to the message of an error that keeps n8n from activating a workflow: n8n then shows the message alone (both
 * versions). A programming error has no description.
 */
export function describeInMessage(error: NodeOperationError): NodeOperationError {
	if (error.description) error.message = `${error.message}. ${error.description}`;
	return error;
}
