import type { INodeProperties } from 'n8n-workflow';
import { executionOptions } from './readingOptions';

/** The collection of an operation's options, its own ones and those of every operation. */
export function optionsField(...own: INodeProperties[]): INodeProperties {
	return optionsCollection([...own, ...executionOptions.fields]);
}

/** A collection of options, in alphabetical order. */
export function optionsCollection(options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		default: {},
		placeholder: 'Add option',
		options: [...options].sort((a, b) => (a.displayName < b.displayName ? -1 : 1)),
	};
}
