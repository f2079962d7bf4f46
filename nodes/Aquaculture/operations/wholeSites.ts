import type { IDataObject } from 'n8n-workflow';
import type { Site } from '../../../api/site';
import { dataVersion } from '../fields/dataVersion';
import { additionalIncludes, includeInfo, includeUnits, readIncludes } from '../fields/includes';
import { includeResponseDetails, simplify } from '../fields/output';
import type { FieldReader } from '../fields/field';
import type { NamedSite } from '../sites/finder';
import type { Answer } from '../transport/answer';
import type { ItemRequest } from './operation';
import { siteRow } from './siteRow';

/* What operations on sites have in common. */

/** What identifies a site if the parameters do not show which one it is. */
export const NO_SITE = { siteId: null, siteName: null };

export const siteContract = async () => await import('../../../api/site');

export type SiteContract = Awaited<ReturnType<typeof siteContract>>;

/** The fields of the operations that return one item for each site. */
export const wholeSiteFields = [
	includeInfo,
	includeUnits,
	simplify,
	additionalIncludes,
	dataVersion,
	includeResponseDetails,
];

export function wholeSiteRequests(
	{ read }: FieldReader,
	{ siteDocument }: SiteContract,
	sites: readonly NamedSite[],
): Array<ItemRequest<Site>> {
	const includes = readIncludes(read);
	const version = read(dataVersion);
	const toItem = outputForm(read);
	return sites.map(({ siteId, siteName }) => ({
		...siteDocument(siteId, includes, siteName),
		dataVersion: version,
		toOutput: (answer) => [toItem(answer, siteId)],
	}));
}

type OutputForm = (answer: Answer<Site>, siteId: number) => IDataObject;

function outputForm(read: FieldReader['read']): OutputForm {
	if (read(simplify)) return asRow;
	return read(includeResponseDetails) ? withDetails : asSent;
}

/** A cookie may open a session of the service, and items are stored and passed on. */
function withoutCookies(headers: IDataObject): IDataObject {
	return Object.fromEntries(
		Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'set-cookie'),
	);
}

const asRow: OutputForm = ({ json }, siteId) => siteRow(json, siteId);

const asSent: OutputForm = ({ json }) => json as IDataObject;

const withDetails: OutputForm = ({ statusCode, headers, json }) => ({
	statusCode,
	headers: withoutCookies(headers),
	body: json as IDataObject,
});
