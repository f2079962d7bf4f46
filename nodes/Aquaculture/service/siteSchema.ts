import { INVALID_ANSWER, WRONG_TYPE } from '../messages/invalid';
import type { Validated } from '../utils/validated';
import type { JsonObject } from './body';
import type { Deviation, Received } from './response';
import * as z from './zod';

/* The documented form of a site. Import this file dynamically: zod would slow down n8n's start. */

/** Allows every field to be missing or null: docs/service-interface.md does not show which ones are required. */
const documented = <Schema extends z.ZodMiniType>(schema: Schema) => z.optional(z.nullable(schema));

/** Requests need the exact number, and JSON is exact only up to 2^53. */
const exactInteger = documented(
	z.int({
		error: ({ code }) =>
			code === 'invalid_type' ? WRONG_TYPE.wholeNumber : WRONG_TYPE.exactNumber,
	}),
);
/** Faster than zod's `multipleOf(1)`, which calculates with strings. */
export const integer = documented(
	z
		.number(WRONG_TYPE.wholeNumber)
		.check(z.refine(Number.isInteger, WRONG_TYPE.wholeNumber))
		.register(z.globalRegistry, { type: 'integer' }),
);
const decimal = documented(z.number(WRONG_TYPE.number));
const text = documented(z.string(WRONG_TYPE.text));

/** Element of `units` (docs/service-interface.md, "Unit"). Unknown fields are kept. */
export const unitSchema = z.looseObject(
	{
		/** Identifier of the unit. No request uses it, so a large one may lose its last digits. */
		unitId: integer,
		/** Name of the unit. */
		unitName: text,
		/** Decimal degrees. */
		longitude: decimal,
		/** Decimal degrees. */
		latitude: decimal,
	},
	WRONG_TYPE.entries,
);

/** Object `info` of a site (docs/service-interface.md, "Site info"). Unknown fields are kept. */
export const siteInfoSchema = z.looseObject(
	{
		/** Decimal degrees. */
		longitude: decimal,
		/** Decimal degrees. */
		latitude: decimal,
		/** Kind of site; the allowed values are not shown. */
		type: text,
		/** Short site code. */
		code: text,
		/** Licence identifier of the site. */
		license: text,
		/** Maximum total biomass of the site; its unit is not shown. */
		maxTotalBiomass: decimal,
		/** IANA time zone name. */
		timezone: text,
	},
	WRONG_TYPE.object,
);

/** One site (docs/service-interface.md, "Site"). Unknown fields are kept. */
export const siteSchema = z.looseObject({
	/** Identifier of the site. */
	siteId: exactInteger,
	/** Name of the site. */
	siteName: text,
	/** Present when requested through `$include`. */
	info: documented(siteInfoSchema),
	/** Present when requested through `$include`. */
	units: documented(z.array(unitSchema, WRONG_TYPE.list)),
});

export type Unit = z.infer<typeof unitSchema>;
export type SiteInfo = z.infer<typeof siteInfoSchema>;
export type Site = z.infer<typeof siteSchema>;

/**
 * Returns the site in a parsed body as it was sent, unknown fields and their order included, and lists what deviates from
 * the documented form. Refuses only another site, or a body that is not a site.
 */
export function readSite(body: unknown, siteId: number): Validated<Received<JsonObject>> {
	const { error } = siteSchema.safeParse(body);
	if (error?.issues.some(({ path }) => path.length === 0)) return INVALID_ANSWER.notAnObject();

	const site = body as JsonObject;
	const documentedFields = Object.keys(siteSchema.shape);
	// Some services answer with status 200 and say in the body what failed.
	if (!documentedFields.some((field) => Object.hasOwn(site, field))) {
		return INVALID_ANSWER.noSiteFields(documentedFields);
	}
	if (isOtherSite(site.siteId, siteId)) return INVALID_ANSWER.otherSite(site.siteId);
	return { value: { json: site, deviations: listDeviations(error?.issues ?? []) } };
}

/** Returns whether the ID is another number. The text "1001" counts as 1001; any other text is ignored. */
function isOtherSite(sent: unknown, siteId: number): boolean {
	const isNumber =
		typeof sent === 'string' ? /^\s*-?\d+(\.0+)?\s*$/.test(sent) : typeof sent === 'number';
	return isNumber && Number(sent) !== siteId;
}

/** Lists each field once, however many units have it. */
function listDeviations(issues: readonly z.core.$ZodIssue[]): Deviation[] {
	const deviations = issues.map(({ path, message }) => ({
		field: path.filter((part) => typeof part === 'string').join('.'),
		reason: message,
	}));
	return [...new Map(deviations.map((each) => [`${each.field} ${each.reason}`, each])).values()];
}
