import type { IDataObject } from 'n8n-workflow';
import * as z from '../../../service/zod';
import { siteSchema } from '../../../service/siteAnswer';
import type { Connection } from '../../../account/connection';
import { digest } from '../../../account/digest';
import { DAY_MS } from '../../../texts/duration';
import type { IdSource } from './changeIds';
import type { WatchedSite } from './compareSite';

/** For how long a site is remembered that is not watched, since the service's list lacks it. */
const LONGEST_UNWATCHED_MS = 30 * DAY_MS;

const texts = z.array(z.string());

const rememberedSiteSchema = z.object({
	watch: z.object({ kinds: texts, additionalIncludes: texts }),
	site: siteSchema,
	ids: z.object({ origin: z.string(), counts: z.record(z.string(), z.int()) }),
});

/** What a failure concerns: a site, by its ID, or what several sites share, such as the login. */
const subjectSchema = z.union([
	z.int(),
	z.enum(['login', 'settings', 'sites', 'memory', 'budget', 'time', 'siteList']),
]);

export type Subject = z.infer<typeof subjectSchema>;

const reportedSchema = z.object({
	/** When each failure was reported last, in milliseconds since 1970, by subject and cause: `1002 404`. */
	reported: z.record(z.string(), z.number()),
	/** The subjects whose failure was reported and is not over. */
	failing: z.array(subjectSchema),
});

/** What was reported of failures. */
export type Reported = z.infer<typeof reportedSchema>;

export const NOTHING_REPORTED: Reported = { reported: {}, failing: [] };

/** What is stored beside the sites. */
const memorySchema = z.object({
	/** The version of this format. */
	version: z.literal(1),
	source: z.string(),
	failures: z.catch(reportedSchema, NOTHING_REPORTED),
	revision: z.catch(z.int(), 0),
});

/** What a trigger remembers from poll to poll. n8n keeps it with the workflow, as JSON. */
export interface Memory {
	/** Where the sites were read, by {@link sourceOf}. */
	source: string;
	sites: RememberedSites;
	failures: Reported;
	/** How many times it was given to n8n to store. */
	revision: number;
	/** Whether there is a memory that cannot be read, so that no site is remembered. */
	isDamaged: boolean;
}

/** What is remembered of a site. */
export interface RememberedSite extends WatchedSite {
	ids: IdSource;
}

/** The sites that a trigger remembers. Each is read only when it is asked for: a poll may compare one of a thousand. */
export class RememberedSites {
	/** @param stored what is remembered of each site and when it was read, by the site's ID. */
	constructor(private readonly stored: Readonly<Record<string, unknown>> = {}) {}

	/** The IDs of the remembered sites. */
	get siteIds(): number[] {
		return Object.keys(this.stored).map(Number);
	}

	has(siteId: number): boolean {
		return Object.hasOwn(this.stored, siteId);
	}

	/** When a site was last read, in milliseconds since 1970; undefined if that is not remembered. */
	readAt(siteId: number): number | undefined {
		const stored = this.stored[siteId];
		return isRecord(stored) && typeof stored.readAt === 'number' ? stored.readAt : undefined;
	}

	/** What is remembered of a site; undefined if it is not remembered, null if that cannot be read. */
	get(siteId: number): RememberedSite | undefined | null {
		if (!this.has(siteId)) return undefined;
		const memory = plain(this.stored[siteId]);
		return rememberedSiteSchema.safeParse(memory).success ? (memory as RememberedSite) : null;
	}
}

/** Reads the memory. */
export function loadMemory({ sites, ...rest }: IDataObject): Memory {
	const { data } = memorySchema.safeParse(plain(rest));
	const isReadable = data !== undefined && isRecord(sites);
	return {
		source: isReadable ? data.source : '',
		sites: new RememberedSites(isReadable ? sites : {}),
		failures: data?.failures ?? NOTHING_REPORTED,
		revision: data?.revision ?? 0,
		isDamaged: !isReadable && sites !== undefined,
	};
}

/**
 * Writes the memory. n8n stores it when a poll has started an execution, and when the workflow has been activated.
 *
 * @param read what to remember of the sites that were read; the others are left as they are.
 * @param watched the sites that are not forgotten; if it is left out, all of them that were read in the last month.
 */
export function saveMemory(
	staticData: IDataObject,
	{ source, failures, revision }: Pick<Memory, 'source' | 'failures' | 'revision'>,
	read: ReadonlyMap<number, RememberedSite> = new Map(),
	watched?: readonly number[],
): void {
	const isOfSource = staticData.source === source && isRecord(staticData.sites);
	const sites = (isOfSource ? staticData.sites : {}) as Record<string, unknown>;
	for (const [siteId, memory] of read) sites[siteId] = { ...memory, readAt: Date.now() };
	const kept = watched && new Set(watched.map(String));
	const stored = new RememberedSites(sites);
	for (const siteId of Object.keys(sites)) {
		const readAt = stored.readAt(Number(siteId)) ?? Infinity;
		const isOld = readAt < Date.now() - LONGEST_UNWATCHED_MS;
		if (kept ? !kept.has(siteId) : isOld) delete sites[siteId];
	}
	Object.assign(staticData, { version: 1, source, sites, failures, revision });
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** n8n wraps what it has loaded in proxies, which can be copied only by way of JSON. */
function plain(value: unknown): unknown {
	return JSON.parse(JSON.stringify(value ?? null));
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
