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

const memorySchema = z.object({
	/** Of this form; another one counts as no memory. */
	version: z.literal(1),
	source: z.string(),
	sites: z.catch(values, {}),
});

/**
 * What was watched of each site when it was last read, by the site's ID. A trigger remembers it from poll to poll; n8n
 * keeps it with the workflow, as JSON.
 */
export type Memory = ReadonlyMap<number, SiteMemory>;

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
	const values = JSON.stringify([baseUrl, username, version]);
	return createHash('sha256').update(values).digest('base64');
}

/**
 * Reads the memory. What is not of the form that {@link remember} writes counts as not remembered.
 *
 * @param source where sites are read; those of another service, account or version are not remembered.
 */
export function recall(staticData: IDataObject, source: string): Memory {
	const { data } = memorySchema.safeParse(copyOf(staticData));
	if (data?.source !== source) return new Map();

	const sites = new Map<number, SiteMemory>();
	for (const [siteId, remembered] of Object.entries(data.sites)) {
		// What was parsed would lack a field with a name such as `__proto__`.
		if (siteMemorySchema.safeParse(remembered).success) {
			sites.set(Number(siteId), remembered as SiteMemory);
		}
	}
	return sites;
}

/** Writes the memory. n8n stores it when a poll has put out items, and when the workflow has been activated. */
export function remember(staticData: IDataObject, source: string, memory: Memory): void {
	Object.assign(staticData, { version: 1, source, sites: Object.fromEntries(memory) });
}

const toldSchema = z.array(
	z.object({
		/** What failed: a site's ID, or what all sites have in common. */
		subject: z.string(),
		cause: z.string(),
		/** When it was told of last, in milliseconds since 1970. */
		at: z.number(),
		/** Whether the subject has been read since. */
		isOver: z.boolean(),
	}),
);

/** A failure that was told of. */
export type ToldFailure = z.infer<typeof toldSchema>[number];

export function recallTold(staticData: IDataObject): ToldFailure[] {
	return toldSchema.safeParse(copyOf(staticData.told ?? [])).data ?? [];
}

export function rememberTold(staticData: IDataObject, told: readonly ToldFailure[]): void {
	staticData.told = [...told];
}

/** n8n watches by proxies what it has loaded, which cannot be copied in any other way. */
function copyOf(stored: unknown): unknown {
	return JSON.parse(JSON.stringify(stored)) as unknown;
}
