import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { checkSiteId } from '../../../../api/parameters';
import { accept } from './parameter';

export const siteIdField: INodeProperties = {
	displayName: 'Site ID',
	name: 'siteId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 1001',
	description: 'The whole number by which the service identifies the site',
};

/** @throws NodeOperationError when the typed ID is not an integer. */
export function readSiteId(context: IExecuteFunctions, itemIndex: number): number {
	const typed = context.getNodeParameter('siteId', itemIndex);
	return accept(context, itemIndex, 'Site ID', checkSiteId(typed));
}
