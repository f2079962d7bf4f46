import { checkSiteId } from '../../../api/parameters';
import { field } from './field';

export const siteId = field(
	{
		displayName: 'Site ID',
		name: 'siteId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. 1001',
		description:
			'The whole number by which the service identifies the site, for example 1001. It is not the name, the code or the licence of the site.',
	},
	checkSiteId,
);
