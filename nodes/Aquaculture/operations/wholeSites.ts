import type { IDataObject } from 'n8n-workflow';
import { siteDocument } from '../../../api/documents';
import type { Site } from '../../../api/site';
import { dataVersion } from '../fields/dataVersion';
import { readIncludes } from '../fields/includes';
import type { Parameters } from '../fields/parameters';
import { includeResponseDetails } from '../fields/responseDetails';
import { simplify } from '../fields/simplify';
import type { Answer } from '../transport/request';
import type { ItemRequest } from './operation';
import { siteRow } from './siteRow';

/**
 * The requests of an operation that puts out one item for each site: as the service sends it, or simplified.
 *
 * @throws NodeOperationError that names the field and the item.
 */
export function wholeSiteRequests(
	parameters: Parameters,
	itemIndex: number,
	siteIds: readonly number[],
): Array<ItemRequest<Site>> {
	const includes = readIncludes(parameters, itemIndex);
	const version = parameters.read(dataVersion, itemIndex);
	const toItem = outputForm(parameters, itemIndex);
	return siteIds.map((siteId) => ({
		...siteDocument(siteId, includes),
		dataVersion: version,
		toOutput: (answer) => [toItem(answer, siteId)],
	}));
}

type OutputForm = (answer: Answer<Site>, siteId: number) => IDataObject;

function outputForm(parameters: Parameters, itemIndex: number): OutputForm {
	if (parameters.read(simplify, itemIndex)) return asRow;
	return parameters.read(includeResponseDetails, itemIndex) ? withDetails : asSent;
}

const asRow: OutputForm = ({ json }, siteId) => siteRow(json, siteId);

const asSent: OutputForm = ({ json }) => json as IDataObject;

const withDetails: OutputForm = ({ statusCode, headers, json }) => ({
	statusCode,
	headers: { ...headers },
	body: json as IDataObject,
});
