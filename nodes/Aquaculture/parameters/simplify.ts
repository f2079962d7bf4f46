import type { INodeProperties } from 'n8n-workflow';
import { checkSwitch } from './checks';
import type { Parameter } from './parameters';

export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: false,
	description: 'Whether to return a simplified version of the response instead of the raw data',
	hint: 'One flat row for each site, ready for a spreadsheet',
};

export const simplify: Parameter<boolean> = {
	name: 'simplify',
	label: 'Simplify',
	fallback: false,
	check: checkSwitch,
};
