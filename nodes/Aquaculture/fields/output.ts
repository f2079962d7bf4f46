import { checkSwitch } from './checks';
import { field, option } from './field';

/** @param isOn whether it is on by default. */
export const simplifyField = (isOn: boolean) =>
	field(
		{
			displayName: 'Simplify',
			name: 'simplify',
			type: 'boolean',
			// eslint-disable-next-line n8n-nodes-base/node-param-default-wrong-for-boolean -- each operation has its own
			default: isOn,
			description: 'Whether to return a simplified version of the response instead of the raw data',
			hint: 'Turned on, each site is one flat row',
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
