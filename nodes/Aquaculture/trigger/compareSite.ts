import canonicalJson from 'fast-json-stable-stringify';
import type { Site, Unit } from '../../../service/siteAnswer';
import { pairUnits, type UnitPair } from './unitPairs';
import {
	INFO_KINDS,
	UNIT_KINDS,
	type ChangeKind,
	infoKind,
	siteKind,
	unitKind,
} from './changeKinds';
import { isWatching, type Watch } from './watch';

/** The watched part of a site, as the service sends it but without nulls, and what was watched. */
export interface WatchedSite {
	watch: Watch;
	site: Site;
}

/** What is remembered of a site that was never read. */
export const UNKNOWN_SITE: WatchedSite = {
	watch: { kinds: [], additionalIncludes: [] },
	site: {},
};

/** One change of a site. */
export interface SiteChange {
	kind: ChangeKind;
	/** Null for a unit that was added or removed. */
	field: string | null;
	/** The unit that it concerns. */
	unit?: Unit;
	/** Null if there was no value. */
	oldValue: unknown;
	newValue: unknown;
}

export interface SiteComparison {
	changes: SiteChange[];
	/** What to remember from now on. */
	now: WatchedSite;
	/** Whether there is more to remember than the changes say, such as a part that was not watched before. */
	hasLearned: boolean;
}

/**
 * Compares a site with what is remembered of it. A missing field is the same as null, and the order of fields and of units
 * does not matter. What was not watched, or not sent, is remembered without a change. If `info` or `units` is not sent,
 * what is remembered of it is kept, unless something else was watched.
 */
export function compareSite(before: WatchedSite, sent: Site, watch: Watch): SiteComparison {
	const old = before.site;
	const site = watchedPart(sent, watch);
	if (isSame(before.watch, watch)) {
		if (!site.info && old.info) site.info = old.info;
		if (!site.units && old.units) site.units = old.units;
	}
	const { info, units } = site;
	if (info) site.info = withoutDrift(old.info ?? {}, info);
	const pairs = units ? pairUnits(old.units ?? [], units).map(withoutDriftOfUnit) : [];
	if (units) site.units = pairs.flatMap(({ now }) => (now ? [now] : []));

	const differences = [
		...differencesOf(old, site, siteKind),
		...(site.info ? differencesOf(old.info ?? {}, site.info, infoKind) : []),
		...pairs.flatMap(differencesOfUnit),
	];
	const isChange = ({ kind }: SiteChange) =>
		isWatching(watch, kind) && isKnown(before, kind, watch);
	// A unit that comes or goes is remembered, also if only its position is watched.
	const isLearned = (difference: SiteChange) =>
		!isChange(difference) && (difference.field === null || isWatching(watch, difference.kind));
	return {
		changes: differences.filter(isChange),
		now: { watch, site },
		hasLearned: differences.some(isLearned),
	};
}

/** The watched values of a site, each as a change from nothing. Units without an ID count as added. */
export function valuesOf(site: Site, watch: Watch): SiteChange[] {
	const units = (site.units ?? [])
		.filter(({ unitId, unitName }) => typeof unitId === 'number' || !unitName)
		.map(({ unitId = null }) => ({ unitId }));
	return compareSite({ watch, site: { info: {}, units } }, site, watch).changes;
}

/** A unit keeps its ID and its name, by which items call it, whatever is watched. */
function watchedPart(site: Site, watch: Watch): Site {
	const isWatched = (kind: ChangeKind | undefined) => kind !== undefined && isWatching(watch, kind);
	const isOfUnit = (field: string) => field === 'unitId' || field === 'unitName';
	const { info, units } = site;
	const part: Site = pick(site, (field) => isWatched(siteKind(field)));
	if (info && isWatching(watch, ...INFO_KINDS)) {
		part.info = pick(info, (field) => isWatched(infoKind(field)));
	}
	if (units && isWatching(watch, ...UNIT_KINDS)) {
		part.units = units.map((unit) =>
			pick(unit, (field) => isOfUnit(field) || isWatched(unitKind(field))),
		);
	}
	return part;
}

/** Whether a kind was watched of a site that was sent. */
function isKnown({ watch, site }: WatchedSite, kind: ChangeKind, now: Watch): boolean {
	if (!isWatching(watch, kind)) return false;
	if (INFO_KINDS.includes(kind)) return site.info !== undefined;
	if (UNIT_KINDS.includes(kind)) return site.units !== undefined;
	// If other parts of the site are asked for than before, a new or missing field does not mean that the site has changed.
	const asked = [watch, now].map(({ additionalIncludes }) => additionalIncludes.toSorted());
	return kind !== 'siteChanged' || isSame(asked[0], asked[1]);
}

function differencesOf(
	before: object,
	now: object,
	kindOf: (field: string) => ChangeKind | undefined,
): SiteChange[] {
	const differences: SiteChange[] = [];
	for (const field of new Set([...Object.keys(now), ...Object.keys(before)])) {
		const kind = kindOf(field);
		const [oldValue, newValue] = [valueOf(before, field), valueOf(now, field)];
		if (kind && !isSame(oldValue, newValue)) differences.push({ kind, field, oldValue, newValue });
	}
	return differences;
}

function differencesOfUnit({ before, now }: UnitPair): SiteChange[] {
	if (!before) return now ? [comingOrGoing('unitAdded', now)] : [];
	if (!now) return [comingOrGoing('unitRemoved', before)];
	const fields = differencesOf(before, now, unitKind).filter(({ kind }) => kind !== 'unitMoved');
	const [oldValue, newValue] = [positionOf(before), positionOf(now)];
	const move: SiteChange = { kind: 'unitMoved', field: 'position', oldValue, newValue };
	const changes = oldValue === newValue ? fields : [...fields, move];
	return changes.map((change) => ({ ...change, unit: now }));
}

/** The change of a unit that was added or removed. */
export function comingOrGoing(kind: 'unitAdded' | 'unitRemoved', unit: Unit): SiteChange {
	const name = unit.unitName ?? null;
	const [oldValue, newValue] = kind === 'unitAdded' ? [null, name] : [name, null];
	return { kind, field: null, unit, oldValue, newValue };
}

/** Latitude and longitude as people write them; null if there are none. */
function positionOf({ latitude, longitude }: Unit): string | null {
	const isNowhere = (latitude ?? longitude ?? null) === null;
	return isNowhere ? null : `${latitude ?? 'unknown'}, ${longitude ?? 'unknown'}`;
}

/** Positions closer than this are the same, in degrees: a tenth of a metre. */
const TOLERANCE_DEGREES = 1e-6;

type Position = Pick<Unit, 'longitude' | 'latitude'>;

/** The same place, with its old coordinates if they have only drifted: they drift further, and are a change in the end. */
function withoutDrift<T extends Position>(before: Position, now: T): T {
	const longitude = drifted(before.longitude, now.longitude);
	const latitude = drifted(before.latitude, now.latitude);
	if (longitude === undefined && latitude === undefined) return now;
	return {
		...now,
		longitude: longitude ?? now.longitude,
		latitude: latitude ?? now.latitude,
	};
}

type Coordinate = Position['longitude'];

/** The old coordinate if the new one is another one, but within the tolerance. */
function drifted(before: Coordinate, now: Coordinate): number | undefined {
	if (typeof before !== 'number' || typeof now !== 'number' || before === now) return undefined;
	return Math.abs(before - now) < TOLERANCE_DEGREES ? before : undefined;
}

function withoutDriftOfUnit({ before, now }: UnitPair): UnitPair {
	return { before, now: before && now ? withoutDrift(before, now) : now };
}

function isSame(one: unknown, other: unknown): boolean {
	return one === other || canonicalJson(one) === canonicalJson(other);
}

function valueOf(fields: object, field: string): unknown {
	return Object.hasOwn(fields, field) ? ((fields as Record<string, unknown>)[field] ?? null) : null;
}

/** Some of the fields, without nulls. A service may name a field `__proto__`, which an assignment would not copy. */
function pick(fields: object, isWanted: (field: string) => boolean): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(fields).filter(
			([field, value]) => value !== null && value !== undefined && isWanted(field),
		),
	);
}
