import type { INodeProperties } from 'n8n-workflow';
import { checkSwitch } from './checks';
import { fieldParameter } from './parameters';

export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: false,
	description: 'Whether to return a simplified version of the response instead of the raw data',
	hint: 'One flat row for each site, ready for a spreadsheet',
};

export const simplify = fieldParameter(simplifyField, checkSwitch);
