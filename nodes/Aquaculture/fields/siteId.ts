import type { INodeProperties } from 'n8n-workflow';
import { checkSiteId } from '../../../api/parameters';
import { fieldParameter } from './parameters';

export const siteIdField: INodeProperties = {
	displayName: 'Site ID',
	name: 'siteId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 1001',
	description:
		'The whole number by which the service identifies the site, for example 1001. It is not the name, the code or the licence of the site.',
};

export const siteId = fieldParameter(siteIdField, checkSiteId);
