import type { IDataObject } from 'n8n-workflow';
import type { Site } from '../../../api/site';
import type { Answer } from '../transport/request';
import { dataVersion, dataVersionOption } from './fields/dataVersion';
import { additionalIncludesOption, includeFields, readIncludes } from './fields/includes';
import { optionsField } from './fields/options';
import type { Parameters } from './fields/parameters';
import { includeResponseDetails, responseDetailsOption } from './fields/responseDetails';
import type { Plan } from './operation';

/** The fields of an operation that puts out sites as the service sends them. */
export const wholeSiteFields = [
	...includeFields,
	optionsField(additionalIncludesOption, dataVersionOption, responseDetailsOption),
];

/**
 * The plan of an operation that puts out sites as the service sends them, one item for each.
 *
 * @throws NodeOperationError that names the field and the item.
 */
export function planWholeSites(
	parameters: Parameters,
	itemIndex: number,
	siteIds: readonly number[],
): Plan {
	const parts = {
		includes: readIncludes(parameters, itemIndex),
		dataVersion: parameters.read(dataVersion, itemIndex),
	};
	return {
		requests: siteIds.map((siteId) => ({ siteId, ...parts })),
		toOutput: parameters.read(includeResponseDetails, itemIndex) ? withDetails : siteAlone,
	};
}

function siteAlone({ json }: Answer<Site>): IDataObject[] {
	return [json as IDataObject];
}

function withDetails({ statusCode, headers, json }: Answer<Site>): IDataObject[] {
	return [{ statusCode, headers: { ...headers }, body: json as IDataObject }];
}
