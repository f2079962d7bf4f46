import * as z from './zod';
import type { Checked } from '../messages/checked';
import { ANSWER_FAULTS, TYPE_FAULTS } from '../messages/faults';

/* The contract of a site, which is loaded with the first answer: n8n's start would wait for zod. */

/**
 * A field that docs/service-interface.md names. Whether it is required is not shown, so it may be missing or null;
 * a value of a different type from the one that the document shows is a breach of the contract.
 */
const documented = <Schema extends z.ZodMiniType>(schema: Schema) => z.optional(z.nullable(schema));

/** Requests and comparisons need the exact number, and JSON is exact only up to 2^53. */
const exactInteger = documented(
	z.int({
		error: ({ code }) =>
			code === 'invalid_type' ? TYPE_FAULTS.wholeNumber : TYPE_FAULTS.exactNumber,
	}),
);
/** Faster than zod's multiple of 1, which is calculated with strings. */
export const integer = documented(
	z
		.number(TYPE_FAULTS.wholeNumber)
		.check(z.refine(Number.isInteger, TYPE_FAULTS.wholeNumber))
		.register(z.globalRegistry, { type: 'integer' }),
);
const decimal = documented(z.number(TYPE_FAULTS.number));
const text = documented(z.string(TYPE_FAULTS.text));

/** Element of `units` (docs/service-interface.md, "Unit"). Unknown fields are kept. */
export const unitSchema = z.looseObject(
	{
		/** Identifier of the unit. Nothing is asked for by it, so a large one may have lost its last digits. */
		unitId: integer,
		/** Name of the unit. */
		unitName: text,
		/** Decimal degrees. */
		longitude: decimal,
		/** Decimal degrees. */
		latitude: decimal,
	},
	TYPE_FAULTS.object,
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
	TYPE_FAULTS.object,
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
	units: documented(z.array(unitSchema, TYPE_FAULTS.list)),
});

export type Unit = z.infer<typeof unitSchema>;
export type SiteInfo = z.infer<typeof siteInfoSchema>;
export type Site = z.infer<typeof siteSchema>;

/**
 * Checks that a parsed response body is the site that was asked for. The body itself is returned, untouched, so
 * that fields the document does not know and the order of all fields survive.
 */
export function checkSite(body: unknown, siteId: number): Checked<Site> {
	const parsed = siteSchema.safeParse(body);
	if (!parsed.success) return faultOf(parsed.error.issues[0]);

	const documentedFields = Object.keys(siteSchema.shape);
	if (!documentedFields.some((field) => Object.hasOwn(body as object, field))) {
		return ANSWER_FAULTS.noSiteFields(documentedFields);
	}
	// Not what was parsed: a field named `__proto__` would count as its prototype.
	const site = body as Site;
	const answered = site.siteId ?? siteId;
	return answered === siteId ? { value: site } : ANSWER_FAULTS.otherSite(answered);
}

function faultOf(issue: z.core.$ZodIssue | undefined): Checked<never> {
	const path = (issue?.path ?? [])
		.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
		.join('')
		.slice(1);
	return path === '' ? ANSWER_FAULTS.notASite() : ANSWER_FAULTS.field(path, `${issue?.message}`);
}
