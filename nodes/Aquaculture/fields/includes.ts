import { checkIncludes } from '../../../service/requestValues';
import { checkSwitch } from './checks';
import { field, option } from './field';

export const includeInfo = field(
	{
		displayName: 'Include Info',
		name: 'includeInfo',
		type: 'boolean',
		default: true,
		description:
			'Whether to include the info of the site: its position, type, code, licence, maximum total biomass and time zone',
	},
	checkSwitch,
);

export const includeUnits = field(
	{
		displayName: 'Include Units',
		name: 'includeUnits',
		type: 'boolean',
		default: true,
		description: 'Whether to include the units of the site, with the name and position of each',
	},
	checkSwitch,
);

export const includeSiteInfo = field(
	{
		displayName: 'Include Site Info',
		name: 'includeSiteInfo',
		type: 'boolean',
		default: false,
		description:
			'Whether to add the info of the site to every row: its position, type, code, licence, maximum total biomass and time zone',
	},
	checkSwitch,
);

export const additionalIncludes = option(
	{
		displayName: 'Additional Site Data',
		name: 'additionalIncludes',
		type: 'string',
		default: '',
		placeholder: 'e.g. sensors,contacts',
		displayOptions: { hide: { '/simplify': [true] } },
		description:
			'Further parts of the site to ask for, separated by commas. Ask the operator of the service which parts it offers.',
	},
	checkIncludes,
);
