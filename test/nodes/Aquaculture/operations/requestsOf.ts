import type { IDataObject } from 'n8n-workflow';
import { Parameters } from '../../../../nodes/Aquaculture/fields/parameters';
import type { Operation } from '../../../../nodes/Aquaculture/operations/operation';
import { nodeOf } from '../nodeOf';

/** What an item asks for, with these values in the panel, by the path of each. */
export async function requestsOf(operation: Operation, typed: Record<string, unknown>) {
	const parameters = new Parameters({
		getNode: () => nodeOf(),
		getNodeParameter: (name, _itemIndex, fallback) => typed[name] ?? fallback,
	});
	return operation.requests((field) => parameters.read(field, 0), await operation.contract());
}

/** The items that the service's answers become, one answer for each request. */
export async function outputOf(
	operation: Operation,
	typed: Record<string, unknown>,
	answers: readonly unknown[],
): Promise<IDataObject[]> {
	const requests = await requestsOf(operation, typed);
	return requests.flatMap(({ toOutput }, index) =>
		toOutput({ statusCode: 200, headers: { etag: 'x' }, json: answers[index] }),
	);
}
