import type { IDataObject } from 'n8n-workflow';
import { includesOf } from '../../../service/includes';
import type { Site } from '../../../service/siteAnswer';
import type { ZodMiniType } from '../../../service/zod';
import { dataVersion } from '../fields/dataVersion';
import type { Field, FieldReader } from '../fields/field';
import { additionalIncludes, includeInfo, includeUnits } from '../fields/includes';
import { includeResponseDetails, simplifyOff, simplifyOn } from '../fields/output';
import type { NamedSite } from '../sites/finder';
import type { Answer } from '../requests/answer';
import type { ItemRequest } from './operation';
import { siteRow } from './siteRow';

/* What operations on sites have in common. */

/** What identifies a site if the parameters do not show which one it is. */
export const NO_SITE = { siteId: null, siteName: null };

export const siteContract = async () => await import('../../../service/siteAnswer');

export type SiteContract = Awaited<ReturnType<typeof siteContract>>;

/** The parts of an operation that returns one item for each site. */
interface WholeSites {
	fields: ReadonlyArray<Field<unknown>>;
	outputFields(contract: SiteContract): Record<string, ZodMiniType>;
	requests(
		reader: FieldReader,
		contract: SiteContract,
		sites: readonly NamedSite[],
	): Array<ItemRequest<Site>>;
}

/** @param opensSimplified the default of 'Simplify', and so the fields that the editor offers before the first run. */
export function wholeSites(opensSimplified: boolean): WholeSites {
	const simplify = opensSimplified ? simplifyOn : simplifyOff;
	return {
		fields: [
			...[includeInfo, includeUnits, simplify],
			...[additionalIncludes, dataVersion, includeResponseDetails],
		],
		outputFields: (contract) => (opensSimplified ? rowFields(contract) : contract.siteSchema.shape),
		requests({ read }, { siteDocument }, sites) {
			const isRow = read(simplify);
			const wanted = { units: read(includeUnits), info: read(includeInfo) };
			// A row has no column for anything else.
			const others = isRow ? [] : read(additionalIncludes);
			const includes = includesOf({ ...wanted, others });
			const version = read(dataVersion);
			const asAnswered = read(includeResponseDetails) ? withDetails : asSent;
			return sites.map(({ siteId, siteName }) => ({
				...siteDocument(siteId, includes, siteName),
				dataVersion: version,
				isUnlikeOffered: isRow !== opensSimplified,
				toOutput: (answer) => [isRow ? siteRow(answer.json, siteId, wanted) : asAnswered(answer)],
			}));
		},
	};
}

/** The columns of a row with all parts. */
function rowFields({ siteSchema, siteInfoSchema, integer }: SiteContract) {
	const fields = { ...siteInfoSchema.shape, ...siteSchema.shape, numberOfUnits: integer };
	const columns = Object.keys(siteRow({}, 0, { info: true, units: true }));
	return Object.fromEntries(
		columns.map((column) => [column, fields[column as keyof typeof fields]]),
	);
}

/** A cookie may open a session of the service, and items are stored and passed on. */
function withoutCookies(headers: IDataObject): IDataObject {
	return Object.fromEntries(
		Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'set-cookie'),
	);
}

const asSent = ({ json }: Answer<Site>) => json as IDataObject;

const withDetails = ({ statusCode, headers, json }: Answer<Site>): IDataObject => ({
	statusCode,
	headers: withoutCookies(headers),
	body: json as IDataObject,
});
