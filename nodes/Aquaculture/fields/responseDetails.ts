import type { INodeProperties } from 'n8n-workflow';
import { checkSwitch } from './checks';
import { optionParameter } from './parameters';

export const responseDetailsOption: INodeProperties = {
	displayName: 'Include Response Details',
	name: 'includeResponseDetails',
	type: 'boolean',
	default: false,
	displayOptions: { hide: { '/simplify': [true] } },
	description:
		'Whether to return the status code and the headers of the answer too, with the site under "body"',
};

export const includeResponseDetails = optionParameter(responseDetailsOption, checkSwitch);
