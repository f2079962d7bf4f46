import type { INodeProperties } from 'n8n-workflow';
import { panelOf, withToolDefaults } from '../fields/field';
import { executionOptions } from '../fields/limitOptions';
import { getManySites } from './getManySites';
import { getSite } from './getSite';
import { getUnits } from './getUnits';
import type { Operation } from './operation';

/** All operations, by the value that the panel stores for them. Panel, schemas and tests derive from it. */
export const operations = { getManySites, getSite, getUnits } satisfies Record<string, Operation>;

/** The operation of that name; undefined if there is none. */
export function findOperation(name: unknown): Operation | undefined {
	return typeof name === 'string' && Object.hasOwn(operations, name)
		? operations[name as keyof typeof operations]
		: undefined;
}

/** The node's properties: the choice of the operation, then the fields of each. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		options: Object.entries(operations).map(([value, { option }]) => ({ ...option, value })),
		default: 'getSite',
	},
	...Object.entries<Operation>(operations).flatMap(([value, { fields }]) =>
		panelOf(withToolDefaults([...fields, ...executionOptions.fields])).map((property) => ({
			...property,
			displayOptions: {
				...property.displayOptions,
				show: { operation: [value], ...property.displayOptions?.show },
			},
		})),
	),
];
