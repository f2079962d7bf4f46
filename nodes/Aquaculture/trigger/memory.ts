import type { IDataObject } from 'n8n-workflow';
import * as z from '../../../api/zod';
import { unitSchema } from '../../../api/site';
import type { Connection } from '../../../shared/connection';
import { digest } from '../../../shared/digest';
import type { SiteMemory } from './siteChanges';

const names = z.array(z.string());
const values = z.record(z.string(), z.unknown());

const siteMemorySchema = z.object({
	siteName: z.optional(z.nullable(z.string())),
	info: z.optional(z.object({ fields: z.nullable(names), values })),
	others: z.optional(z.object({ additionalIncludes: names, values })),
	units: z.optional(z.object({ kinds: names, list: z.array(unitSchema) })),
});

const subjectSchema = z.union([
	z.int(),
	z.enum(['account', 'settings', 'sites', 'budget', 'late', 'time']),
]);

const reportedFailureSchema = z.object({
	subject: subjectSchema,
	cause: z.string(),
	/** When it was last reported, in milliseconds since 1970. */
	at: z.number(),
	/** Whether the subject has been read since. */
	isOver: z.boolean(),
});

const memorySchema = z.object({
	/** The version of this format; a memory of another version is ignored. */
	version: z.literal(1),
	source: z.string(),
	sites: z.catch(values, {}),
	failures: z.catch(z.array(reportedFailureSchema), []),
	revision: z.catch(z.int(), 0),
});

/** What a failure concerns: a site, by its ID, or what several sites share, such as the login. */
export type Subject = z.infer<typeof subjectSchema>;

/** A failure that was reported. */
export type ReportedFailure = z.infer<typeof reportedFailureSchema>;

/** What a trigger remembers from poll to poll. n8n keeps it with the workflow, as JSON. */
export interface Memory {
	/** Where the sites were read, by {@link sourceOf}. */
	source: string;
	/** What was watched of each site when it was last read, by the site's ID. */
	sites: ReadonlyMap<number, SiteMemory>;
	failures: readonly ReportedFailure[];
	/** How many times it was given to n8n to store. */
	revision: number;
}

/** Reads the memory. What is not of the form that {@link saveMemory} writes counts as not remembered. */
export function loadMemory(staticData: IDataObject): Memory {
	// n8n wraps what it has loaded in proxies, which can be copied only by way of JSON.
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
	Object.assign(staticData, { version: 1, ...memory, sites: Object.fromEntries(memory.sites) });
}

/**
 * Identifies where sites are read: address, username and version, as a digest that does not reveal the username. A new
 * password does not change it.
 *
 * @param version the trigger's own; undefined for that of the connection.
 */
export function sourceOf(
	{ baseUrl, username, dataVersion }: Pick<Connection, 'baseUrl' | 'username' | 'dataVersion'>,
	version = dataVersion,
): string {
	return digest([baseUrl, username, version]);
}
