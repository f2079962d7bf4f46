import type { IDataObject } from 'n8n-workflow';
import * as z from '../../../api/zod';
import { unitSchema } from '../../../api/site';
import type { SiteMemory } from './siteChanges';

const names = z.array(z.string());
const values = z.record(z.string(), z.unknown());

const siteMemorySchema = z.object({
	siteName: z.optional(z.nullable(z.string())),
	info: z.optional(z.object({ fields: z.nullable(names), values })),
	others: z.optional(z.object({ additionalIncludes: names, values })),
	units: z.optional(z.object({ kinds: names, list: z.array(unitSchema) })),
});

const memorySchema = z.object({
	/** Of this form; another one counts as no memory. */
	version: z.literal(1),
	source: z.string(),
	sites: z.catch(values, {}),
	unread: z.catch(z.array(z.int()), []),
});

/** What a trigger remembers from poll to poll. n8n keeps it with the workflow, as JSON. */
export interface Memory {
	/** What was watched of each site when it was last read, by the site's ID. */
	sites: ReadonlyMap<number, SiteMemory>;
	/** Sites for which the last poll had no time, in the order in which they wait. */
	unread: readonly number[];
}

/**
 * Reads the memory. What is not of the form that {@link remember} writes counts as not remembered.
 *
 * @param source where sites are read; those of another service or version are not remembered.
 */
export function recall(staticData: IDataObject, source: string): Memory {
	const { data } = memorySchema.safeParse(copyOf(staticData));
	if (data?.source !== source) return { sites: new Map(), unread: [] };

	const sites = new Map<number, SiteMemory>();
	for (const [siteId, remembered] of Object.entries(data.sites)) {
		// What was parsed would lack a field with a name such as `__proto__`.
		if (siteMemorySchema.safeParse(remembered).success) {
			sites.set(Number(siteId), remembered as SiteMemory);
		}
	}
	return { sites, unread: data.unread };
}

/** Writes the memory. n8n stores it when a poll has put out items, and when the workflow has been activated. */
export function remember(staticData: IDataObject, source: string, memory: Memory): void {
	const sites = Object.fromEntries(memory.sites);
	Object.assign(staticData, { version: 1, source, sites, unread: [...memory.unread] });
}

/** When failures that went on in the last poll were told of, in milliseconds since 1970, by what failed. */
export type ToldAt = Readonly<Record<string, number>>;

export function recallTold(staticData: IDataObject): ToldAt {
	return z.record(z.string(), z.number()).safeParse(copyOf(staticData.toldAt ?? {})).data ?? {};
}

export function rememberTold(staticData: IDataObject, toldAt: ToldAt): void {
	staticData.toldAt = { ...toldAt };
}

/** n8n watches by proxies what it has loaded, which cannot be copied in any other way. */
function copyOf(stored: unknown): unknown {
	return JSON.parse(JSON.stringify(stored)) as unknown;
}
