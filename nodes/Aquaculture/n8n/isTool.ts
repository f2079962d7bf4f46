import type { INode } from 'n8n-workflow';

/**
 * Returns whether the node is a tool of an AI agent, by the type that n8n derives for tools: the node's own with `Tool` at the
 * end. n8n's `isToolExecution` is missing in n8n 1, and false in 2.40 if the agent runs its tools as steps.
 */
export function isTool({ type }: INode): boolean {
	return type.endsWith('Tool');
}
