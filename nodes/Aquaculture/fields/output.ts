import { checkSwitch } from './checks';
import { field, option } from './field';

export const simplify = field(
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: false,
		description: 'Whether to return a simplified version of the response instead of the raw data',
		hint: 'One flat row for each site, ready for a spreadsheet',
	},
	checkSwitch,
);

export const includeResponseDetails = option(
	{
		displayName: 'Include Response Details',
		name: 'includeResponseDetails',
		type: 'boolean',
		default: false,
		displayOptions: { hide: { '/simplify': [true] } },
		description:
			'Whether to return the status code and the headers of the answer too, with the site under "body"',
	},
	checkSwitch,
);
