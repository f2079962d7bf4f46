import type { ITaskData } from 'n8n-workflow';
import type { FloorResult } from './floor';
import { REQUEST } from './workflows';

/** What a contestant has read. */
export interface Reading {
	/** Time of the step that makes the requests. */
	stepSeconds: number;
	/** As they stand in its items, in their order; undefined for an item that holds no site. */
	siteIds: readonly unknown[];
}

/** Reads what a bare script prints. */
export function readFloor(output: string): Reading {
	const { seconds, siteIds } = JSON.parse(output) as FloorResult;
	return { stepSeconds: seconds, siteIds };
}

/**
 * Reads what `n8n execute` prints.
 *
 * @throws Error where the step that makes the requests has not run.
 */
export function readExecution(output: string): Reading {
	// Lines of n8n's log may stand before and after it.
	const json = output.slice(output.search(/^\{$/m), output.lastIndexOf('\n}') + 2);
	const { data } = JSON.parse(json) as {
		data: { resultData: { runData: Record<string, ITaskData[]> } };
	};
	const [step] = data.resultData.runData[REQUEST] ?? [];
	if (!step) throw new Error('n8n has not run the step that makes the requests');
	const items = step.data?.main?.[0] ?? [];
	return {
		stepSeconds: step.executionTime / 1000,
		siteIds: items.map(({ json: site }) => site.siteId),
	};
}
