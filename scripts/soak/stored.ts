import { parse } from 'flatted';
import type { IRunExecutionData } from 'n8n-workflow';
import { itemsOf, type Execution } from '../../testbed/n8n/instance';
import { reasonFor, type Witness } from './answers';
import type { AnsweredCall } from './calls';
import type { ToldChange } from './changes';
import { callOf } from './marks';
import { TRIGGER } from './workflows';

/** What is wrong with the stored executions that were stopped by a failure: one for each call that failed, with its reason. */
export function faultsOfStopped(
	executions: readonly Execution[],
	calls: readonly AnsweredCall[],
	witness: Witness,
): string[] {
	const faults: string[] = [];
	const due = new Map(
		calls
			.filter(({ operation, status }) => operation === 'stop' && status === 500)
			.map((call) => [call.index, call]),
	);
	for (const execution of executions) {
		const index = callOf(itemsOf(execution, 'Rows')[0]?.json.mark) ?? -1;
		const call = due.get(index);
		const message = messageOf(execution);
		if (!call) faults.push(`call ${index}: an execution is stored that did not fail: ${message}`);
		else if (!call.ids.some((id) => reasonFor(call, id, message, witness))) {
			faults.push(`call ${index}: it failed without a reason: ${message}`);
		}
		due.delete(index);
	}
	for (const index of due.keys()) faults.push(`call ${index}: its failed execution is not stored`);
	return faults;
}

/** What the trigger has told, the oldest first; its failures put out nothing. */
export function changesIn(executions: readonly Execution[]): ToldChange[] {
	return executions
		.flatMap((execution) => itemsOf(execution, TRIGGER))
		.map(({ json }) => ({ oldValue: json.oldValue, newValue: json.newValue }));
}

function messageOf({ data }: Execution): string {
	return String((parse(data) as IRunExecutionData).resultData.error?.message);
}
