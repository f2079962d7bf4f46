import { checkSwitch } from './checks';
import { field, option } from './field';

export const simplify = field(
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: false,
		description: 'Whether to return a simplified version of the response instead of the raw data',
		hint: 'Turned on, each site becomes one flat row, ready for a spreadsheet. Run the node once before you drag fields from it.',
	},
	checkSwitch,
);

export const includeResponseDetails = option(
	{
		displayName: 'Include Response Details',
		name: 'includeResponseDetails',
		type: 'boolean',
		default: true,
		displayOptions: { hide: { '/simplify': [true] } },
		description:
			'Whether to return the status code and the headers of the answer too, with the site under "body"',
	},
	checkSwitch,
	false,
);
