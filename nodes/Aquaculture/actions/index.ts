import type { INodeProperties } from 'n8n-workflow';
import { getManySites } from './getManySites.operation';
import { getSite } from './getSite.operation';
import { getUnits } from './getUnits.operation';
import type { Operation } from './operation';

/** All operations, by the value that the panel stores for them. An operation is offered and run if it stands here. */
export const operations: Record<string, Operation> = { getManySites, getSite, getUnits };

const operationField: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	options: Object.entries(operations).map(([value, { option }]) => ({ ...option, value })),
	default: 'getSite',
};

/** The node's properties: the choice of the operation, then the fields of each. */
export const properties: INodeProperties[] = [
	operationField,
	...Object.entries(operations).flatMap(([value, { fields }]) =>
		fields.map((field) => ({ ...field, displayOptions: { show: { operation: [value] } } })),
	),
];

/** The operation of that name; undefined where there is none. */
export function findOperation(name: unknown): Operation | undefined {
	return typeof name === 'string' && Object.hasOwn(operations, name) ? operations[name] : undefined;
}
