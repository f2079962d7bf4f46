import type { INodeProperties, NodeParameterValueType } from 'n8n-workflow';
import type { CheckedField } from '../../../api/checked';

/** A field of the panel, and the check that what is typed there must pass. */
export interface Field<T> {
	property: INodeProperties;
	/** Where n8n keeps the value, for example `options.timeout`. */
	path: string;
	/** What is taken where the field has not been filled in. */
	fallback: NodeParameterValueType;
	isOption: boolean;
	check(typed: unknown): CheckedField<T>;
}

export function field<T>(property: INodeProperties, check: Field<T>['check']): Field<T> {
	const { name, default: fallback } = property;
	return { property, path: name, fallback, isOption: false, check };
}

/** A field in the collection of options. */
export function option<T>(property: INodeProperties, check: Field<T>['check']): Field<T> {
	const { name, default: fallback } = property;
	return { property, path: `options.${name}`, fallback, isOption: true, check };
}

/** What the panel shows for the fields: their own places first, then the collection of options in alphabetical order. */
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
