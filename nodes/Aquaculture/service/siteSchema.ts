import { INVALID_ANSWER, WRONG_TYPE, type Invalid } from '../messages/invalid';
import { isObject, isObjectList, type JsonObject } from './body';
import type { Deviation, ParsedDocument } from './answer';
import * as z from 'zod/v4-mini';
import type { Result } from '../messages/failure';

/* The documented form of a site. Import this file dynamically: zod would slow down n8n's start. */

// Nodes must not compile strings (`new Function`), which zod otherwise does; it was no faster.
z.config({ jitless: true });

/**
 * Returns the site in a parsed body as it was sent, unknown fields and their order included, and lists what deviates from
 * the documented form. Refuses only another site, or a body that is not a site.
 */
export function readSite(
	body: unknown,
	siteId: number,
): Result<ParsedDocument<JsonObject>, Invalid> {
	if (!isObject(body)) return { failure: INVALID_ANSWER.notAnObject() };
	const documentedFields = Object.keys(siteSchema.shape);
	// Some services answer with status 200 and say in the body what failed.
	if (!documentedFields.some((field) => Object.hasOwn(body, field))) {
		return { failure: INVALID_ANSWER.noSiteFields(documentedFields) };
	}
	if (isOtherSite(body.siteId, siteId)) return { failure: INVALID_ANSWER.otherSite(body.siteId) };
	return { value: { json: body, deviations: listDeviations(body) } };
}

/** Returns whether the ID is another number. The text "1001" counts as 1001; any other text is ignored. */
function isOtherSite(sent: unknown, siteId: number): boolean {
	const isNumber =
		typeof sent === 'string' ? /^\s*-?\d+(\.0+)?\s*$/.test(sent) : typeof sent === 'number';
	return isNumber && Number(sent) !== siteId;
}

export type FieldSchema = z.ZodMiniType;

/** Allows every field to be missing or null: the service does not document which ones are required. */
const documented = <Schema extends FieldSchema>(schema: Schema) => z.optional(z.nullable(schema));

/** JSON is exact only up to 2^53: beyond that, two IDs may become the same number. */
export const integer = documented(
	z.int({
		error: ({ code }) =>
			code === 'invalid_type' ? WRONG_TYPE.wholeNumber : WRONG_TYPE.exactNumber,
	}),
);
const decimal = documented(z.number(WRONG_TYPE.number));
const text = documented(z.string(WRONG_TYPE.text));

/** Element of `units`. Unknown fields are kept: the service may add some at any time. */
export const unitSchema = z.looseObject({
	/** Identifier of the unit. */
	unitId: integer,
	/** Name of the unit. */
	unitName: text,
	/** Decimal degrees. */
	longitude: decimal,
	/** Decimal degrees. */
	latitude: decimal,
});

/** Object `info` of a site. Unknown fields are kept. */
export const siteInfoSchema = z.looseObject({
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
});

/** One site. Unknown fields are kept. */
export const siteSchema = z.looseObject({
	/** Identifier of the site. */
	siteId: integer,
	/** Name of the site. */
	siteName: text,
	/** Present when requested through `$include`. */
	info: documented(siteInfoSchema),
	/** Present when requested through `$include`. */
	units: documented(z.array(unitSchema)),
});

export type Unit = z.infer<typeof unitSchema>;
export type SiteInfo = z.infer<typeof siteInfoSchema>;
export type Site = z.infer<typeof siteSchema>;

/** A site whose parts are not looked into. */
const shallowSite = {
	...siteSchema.shape,
	info: documented(z.custom(isObject, WRONG_TYPE.object)),
	units: documented(z.custom(isObjectList, WRONG_TYPE.list)),
};

function listDeviations(site: JsonObject): Deviation[] {
	const info = isObject(site.info) ? [site.info] : [];
	const units = isObjectList(site.units) ? site.units : [];
	return [
		...checkFields(shallowSite, [site]),
		...checkFields(siteInfoSchema.shape, info, 'info.'),
		...checkFields(unitSchema.shape, units, 'units.'),
	];
}

/**
 * Names each field once, and stops at the first object in which it deviates: zod, given the whole site, keeps an issue for
 * each of a million wrong values.
 */
function checkFields(
	shape: Record<string, FieldSchema>,
	objects: readonly JsonObject[],
	prefix = '',
): Deviation[] {
	return Object.entries(shape).flatMap(([name, schema]) => {
		for (const object of objects) {
			const { error } = schema.safeParse(object[name]);
			if (error) return [{ field: prefix + name, reason: error.issues[0]?.message ?? '' }];
		}
		return [];
	});
}
