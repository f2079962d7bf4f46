import type { IDataObject } from 'n8n-workflow';
import type { Site } from '../../../api/site';
import type { Answer } from '../transport/request';
import type { SiteRequest } from '../transport/sites';
import { dataVersion, dataVersionOption } from '../parameters/dataVersion';
import { additionalIncludesOption, includeFields, readIncludes } from '../parameters/includes';
import { optionsField } from '../parameters/options';
import type { Parameters } from '../parameters/parameters';
import { includeResponseDetails, responseDetailsOption } from '../parameters/responseDetails';
import { simplify, simplifyField } from '../parameters/simplify';
import type { Plan } from './operation';
import { siteRow } from './siteRow';

/** The fields of an operation that puts out one item for each site. */
export const wholeSiteFields = [
	...includeFields,
	simplifyField,
	optionsField(additionalIncludesOption, dataVersionOption, responseDetailsOption),
];

/**
 * The plan of an operation that puts out one item for each site: as the service sends it, or simplified.
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
		toOutput: outputForm(parameters, itemIndex),
	};
}

function outputForm(parameters: Parameters, itemIndex: number): Plan['toOutput'] {
	if (parameters.read(simplify, itemIndex)) return rowAlone;
	return parameters.read(includeResponseDetails, itemIndex) ? withDetails : siteAlone;
}

function rowAlone({ json }: Answer<Site>, { siteId }: SiteRequest): IDataObject[] {
	return [siteRow(json, siteId)];
}

function siteAlone({ json }: Answer<Site>): IDataObject[] {
	return [json as IDataObject];
}

function withDetails({ statusCode, headers, json }: Answer<Site>): IDataObject[] {
	return [{ statusCode, headers: { ...headers }, body: json as IDataObject }];
}
