import type { INode, INodeProperties, NodeParameterValueType } from 'n8n-workflow';
import type { Checked } from '../../../texts/checked';
import type { SiteDirectory } from '../sites/directory';
import type { Found } from '../sites/typedSites';

/** What a check needs besides the value. */
export interface FieldContext {
	/** Whether the node is a tool of an AI agent, so that a language model has filled in the value. */
	isTool: boolean;
}

/**
 * Whether the node is a tool of an AI agent: n8n makes a type of its own for that. `isToolExecution` is not in n8n 1.123,
 * and says false in n8n 2.40 if the agent has its tools run as steps of the workflow.
 */
export function isTool({ type }: INode): boolean {
	return type.endsWith('Tool');
}

/** A field of the panel, and the check that what is typed there must pass. */
export interface Field<T> {
	property: INodeProperties;
	/** The default of a tool of an AI agent, if it opens with another one. */
	toolDefault: NodeParameterValueType | undefined;
	/** Where n8n keeps the value, for example `options.timeout`. */
	path: string;
	/** The value if the field has not been filled in. */
	fallback: NodeParameterValueType;
	isOption: boolean;
	check(typed: unknown, context: FieldContext): Checked<T>;
}

/** A field that names sites: what is typed is checked first, and then looked up. */
export interface SiteField<T, Sites> extends Field<T> {
	lookUp(checked: T, directory: SiteDirectory, context: FieldContext): Promise<Found<Sites>>;
}

/** Reads the fields of one item. */
export interface FieldReader {
	/**
	 * The checked value of a field.
	 *
	 * @throws NodeOperationError that names the field and the item.
	 */
	read<T>(field: Field<T>): T;
	/**
	 * The sites that a field names.
	 *
	 * @throws NodeOperationError as `read`; NodeApiError if the service's list of sites is needed and cannot be read.
	 */
	find<T, Sites>(field: SiteField<T, Sites>): Promise<Sites>;
	/** What `find` has found for this item; undefined if it has not. */
	found<T, Sites>(field: SiteField<T, Sites>): Sites | undefined;
}

export function field<T>(
	property: INodeProperties,
	check: Field<T>['check'],
	toolDefault?: NodeParameterValueType,
): Field<T> {
	const { name, default: fallback } = property;
	return { property, toolDefault, path: name, fallback, isOption: false, check };
}

/**
 * A field in the collection of options.
 *
 * @param fallback the value if the option has not been added. The property's default is the value it gets when it is added.
 */
export function option<T>(
	property: INodeProperties,
	check: Field<T>['check'],
	fallback: NodeParameterValueType = property.default,
): Field<T> {
	const { name } = property;
	return {
		property,
		toolDefault: undefined,
		path: `options.${name}`,
		fallback,
		isOption: true,
		check,
	};
}

/** The fields of a node that n8n also makes a tool of. A field with another default there becomes two, one for each. */
export function withToolDefaults(fields: ReadonlyArray<Field<unknown>>): Array<Field<unknown>> {
	return fields.flatMap((each) => {
		const { property, toolDefault } = each;
		if (toolDefault === undefined) return [each];
		const shownFor = (isTool: boolean, value: NodeParameterValueType): Field<unknown> => ({
			...each,
			property: {
				...property,
				default: value,
				displayOptions: {
					...property.displayOptions,
					show: { ...property.displayOptions?.show, '@tool': [isTool] },
				},
			},
		});
		return [shownFor(false, property.default), shownFor(true, toolDefault)];
	});
}

/** The panel of the fields: first those that are always shown, then the options in alphabetical order. */
export function panelOf(fields: ReadonlyArray<Field<unknown>>): INodeProperties[] {
	const shown = (isOption: boolean) =>
		fields.filter((each) => each.isOption === isOption).map(({ property }) => property);
	const options = shown(true).sort((a, b) => (a.displayName < b.displayName ? -1 : 1));
	return [
		...shown(false),
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			default: {},
			placeholder: 'Add option',
			options,
		},
	];
}
