import { checkSwitch } from './checks';
import { field, option } from './field';

const SIMPLIFY = {
	displayName: 'Simplify',
	name: 'simplify',
	description: 'Whether to return a simplified version of the response instead of the raw data',
	hint: 'Turned on, each site is one flat row',
};

/** On by default. */
export const simplifyOn = field({ ...SIMPLIFY, type: 'boolean', default: true }, checkSwitch);

/** Off by default. */
export const simplifyOff = field({ ...SIMPLIFY, type: 'boolean', default: false }, checkSwitch);

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
