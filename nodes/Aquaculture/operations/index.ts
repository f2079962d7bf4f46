import type { OperationName } from './fields';
import { getManySites } from './getManySites';
import { getSite } from './getSite';
import { getUnits } from './getUnits';
import type { Operation } from './operation';

/** How each operation that the panel offers is run. */
export const operations: Record<OperationName, Operation> = { getManySites, getSite, getUnits };

/** The operation of that name; undefined where there is none. */
export function findOperation(name: unknown): Operation | undefined {
	return typeof name === 'string' && Object.hasOwn(operations, name)
		? operations[name as OperationName]
		: undefined;
}
