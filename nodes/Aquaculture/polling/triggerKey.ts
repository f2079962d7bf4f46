import type { IPollFunctions } from 'n8n-workflow';

/**
 * Identifies a trigger by its workflow and name, as n8n does for its memory. Node IDs may repeat: n8n 1.123 activates triggers
 * that share one.
 */
export function getTriggerKey(context: IPollFunctions): string {
	return `${context.getWorkflow().id}/${context.getNode().name}`;
}
