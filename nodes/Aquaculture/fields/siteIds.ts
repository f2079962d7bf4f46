import { checkSiteIds } from '../../../api/parameters';
import { field } from './field';

export const siteIds = field(
	{
		displayName: 'Site IDs',
		name: 'siteIds',
		type: 'string',
		typeOptions: { rows: 3 },
		required: true,
		default: '',
		placeholder: 'e.g. 1001, 1002, 1003',
		description:
			'The whole numbers by which the service identifies the sites, separated by commas, spaces or line breaks, for example 1001, 1002. Names, codes or licences do not work. An expression may also give a list.',
	},
	checkSiteIds,
);
