import type { INodeProperties } from 'n8n-workflow';
import { readingOptions } from './reading';

/** The collection of an operation's options, its own ones and those of every operation, in alphabetical order. */
export function optionsField(...own: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		default: {},
		placeholder: 'Add option',
		options: [...own, ...readingOptions].sort((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}
