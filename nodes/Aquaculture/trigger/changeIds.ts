import { createHash, randomUUID } from 'node:crypto';
import canonicalJson from 'fast-json-stable-stringify';
import type { SiteChange } from './compareSite';

/** What the IDs of a site's changes are made from. It is stored with what is remembered of the site. */
export interface IdSource {
	/** Random, so that a memory that begins again gives other IDs. */
	origin: string;
	/** How many times each place has changed, by {@link placeOf}. */
	counts: Record<string, number>;
}

export interface IdentifiedChange extends SiteChange {
	id: string;
}

const ID_CHARACTERS = 19;

/** Enough to tell the places of a site apart. Two that share a count still get different IDs. */
const PLACE_CHARACTERS = 6;

/** With more places, the counts become part of the origin, so that the memory stays small. */
const MOST_COUNTS = 30;

export function newIdSource(): IdSource {
	return { origin: newId(), counts: {} };
}

/** An ID that nothing else has. */
export function newId(): string {
	return shortDigest(randomUUID(), ID_CHARACTERS);
}

/**
 * Gives each change of a poll its ID. The same change gets the same one with the same source, whatever else has changed:
 * n8n may poll with an older memory than that of the last poll.
 *
 * @param scope what else tells the IDs from others: a copy of a workflow may have its memory too.
 */
export function identified(
	changes: readonly SiteChange[],
	{ origin, counts }: IdSource,
	scope: readonly unknown[],
): IdentifiedChange[] {
	const alike = new Map<string, number>();
	return changes.map((change) => {
		const count = counts[placeOf(change)] ?? 0;
		const { oldValue, newValue } = change;
		const text = canonicalJson([...scope, origin, count, ...partsOf(change), oldValue, newValue]);
		const twins = alike.get(text) ?? 0;
		alike.set(text, twins + 1);
		return { ...change, id: shortDigest([text, twins], ID_CHARACTERS) };
	});
}

/** The source for the next poll, once these changes are reported. */
export function counted(changes: readonly SiteChange[], { origin, counts }: IdSource): IdSource {
	const next = { ...counts };
	for (const place of new Set(changes.map(placeOf))) next[place] = (next[place] ?? 0) + 1;
	return Object.keys(next).length > MOST_COUNTS
		? { origin: shortDigest([origin, next], ID_CHARACTERS), counts: {} }
		: { origin, counts: next };
}

/** What has changed, in short. */
function placeOf(change: SiteChange): string {
	return shortDigest(partsOf(change), PLACE_CHARACTERS);
}

function partsOf({ kind, unit, field }: SiteChange): unknown[] {
	return [kind, unit?.unitId ?? unit?.unitName ?? null, field];
}

/** Lower-case letters and digits: the same for a database that ignores case, and hardly ever a number to a spreadsheet. */
function shortDigest(value: unknown, characters: number): string {
	const hex = createHash('sha256').update(canonicalJson(value)).digest('hex');
	return BigInt(`0x${hex}`).toString(36).slice(-characters);
}
