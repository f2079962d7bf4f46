import type { INode, IPollFunctions } from 'n8n-workflow';

/** How many triggers a process keeps state for. */
export const MAX_TRIGGERS = 1000;

/** Identifies a trigger by its workflow and name, which is unique there; node IDs may repeat (docs/architecture.md, n8n 22). */
export function getTriggerName(context: IPollFunctions): string {
	return `${context.getWorkflow().id}/${context.getNode().name}`;
}

/** Covers what n8n compares to find an edit (docs/architecture.md, n8n 21). */
export function getFingerprint({ type, typeVersion, credentials, parameters }: INode): string {
	return JSON.stringify([type, typeVersion, credentials, parameters]);
}
