import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import * as z from '../../../api/zod';
import { unitSchema } from '../../../api/site';
import type { Connection } from '../../../shared/connection';
import type { SiteMemory } from './siteChanges';

const names = z.array(z.string());
const values = z.record(z.string(), z.unknown());

const siteMemorySchema = z.object({
	siteName: z.optional(z.nullable(z.string())),
	info: z.optional(z.object({ fields: z.nullable(names), values })),
	others: z.optional(z.object({ additionalIncludes: names, values })),
	units: z.optional(z.object({ kinds: names, list: z.array(unitSchema) })),
});

const reportedFailureSchema = z.object({
	/** What failed: a site's ID, or what all sites have in common. */
	subject: z.string(),
	cause: z.string(),
	/** When it was last reported, in milliseconds since 1970. */
	at: z.number(),
	/** Whether the subject has been read since. */
	isOver: z.boolean(),
});

const memorySchema = z.object({
	/** Of this form; another one counts as no memory. */
	version: z.literal(1),
	source: z.string(),
	sites: z.catch(values, {}),
	failures: z.catch(z.array(reportedFailureSchema), []),
	revision: z.catch(z.int(), 0),
});

/** A failure that was reported. */
export type ReportedFailure = z.infer<typeof reportedFailureSchema>;

/** What a trigger remembers from poll to poll. n8n keeps it with the workflow, as JSON. */
export interface Memory {
	/** Where the sites were read, by {@link sourceOf}. */
	source: string;
	/** What was watched of each site when it was last read, by the site's ID. */
	sites: ReadonlyMap<number, SiteMemory>;
	failures: readonly ReportedFailure[];
	/** How often n8n has been given it to store. */
	revision: number;
}

/** Reads the memory. What is not of the form that {@link saveMemory} writes counts as not remembered. */
export function loadMemory(staticData: IDataObject): Memory {
	// n8n watches by proxies what it has loaded, which cannot be copied in any other way.
	const { data } = memorySchema.safeParse(JSON.parse(JSON.stringify(staticData)));
	if (!data) return { source: '', sites: new Map(), failures: [], revision: 0 };

	const { source, failures, revision } = data;
	const sites = new Map<number, SiteMemory>();
	for (const [siteId, remembered] of Object.entries(data.sites)) {
		// What was parsed would lack a field with a name such as `__proto__`.
		if (siteMemorySchema.safeParse(remembered).success) {
			sites.set(Number(siteId), remembered as SiteMemory);
		}
	}
	return { source, sites, failures, revision };
}

/** Writes the memory. n8n stores it when a poll has started an execution, and when the workflow has been activated. */
export function saveMemory(staticData: IDataObject, memory: Memory): void {
	const { source, sites, failures, revision } = memory;
	Object.assign(staticData, {
		...{ version: 1, source, sites: Object.fromEntries(sites) },
		...{ failures: [...failures], revision },
	});
}

/**
 * Tells apart where sites are read: by the address, the account and the version. The account is its username, which does
 * not become readable by it; a new password is no new account.
 *
 * @param version the trigger's own; undefined where the connection's holds.
 */
export function sourceOf(
	{ baseUrl, username, dataVersion }: Pick<Connection, 'baseUrl' | 'username' | 'dataVersion'>,
	version = dataVersion,
): string {
	const parts = JSON.stringify([baseUrl, username, version]);
	return createHash('sha256').update(parts).digest('base64');
}
