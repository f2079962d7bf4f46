import canonicalJson from 'fast-json-stable-stringify';
import { toCell } from '../output/rows';
import { isMissing, type JsonObject } from '../service/body';
import { getSections, SECTIONS, type RawSite } from '../service/site';
import type { FetchedSite } from './fetchSites';
import type { RememberedSite, RememberedSites } from './memory';
import type { PollSetup } from './pollSetup';
import type { ChangeKind, TriggerSettings } from './triggerSettings';

/* What has changed, and which of it is reported? First the sites of a poll, then how one is compared. */

/** The changes of a compared site that are reported, if there are any. */
export interface SiteChanges {
	fetched: FetchedSite;
	changes: Change[];
	/** See {@link RememberedSite}: of the values that the site was compared with. */
	baselineAt: string;
}

/** Compares the fetched sites with the remembered ones, in the order of the list. */
export function findChanges(
	{ settings, sites, remembered }: Pick<PollSetup, 'settings' | 'sites' | 'remembered'>,
	fetchedSites: ReadonlyMap<number, FetchedSite>,
): { compared: SiteChanges[]; toRemember: RememberedSites } {
	const toRemember = new Map(remembered);
	const compared: SiteChanges[] = [];
	for (const { siteId } of sites) {
		const fetched = fetchedSites.get(siteId);
		if (!fetched) continue;
		const found = findSiteChanges(remembered.get(siteId), fetched, settings);
		compared.push(found.reported);
		toRemember.set(siteId, found.toRemember);
	}
	return { compared, toRemember };
}

function findSiteChanges(
	before: RememberedSite | undefined,
	fetched: FetchedSite,
	{ changeKinds }: TriggerSettings,
): { reported: SiteChanges; toRemember: RememberedSite } {
	const { changes: found, site } = compareSite(before?.site ?? {}, fetched.site);
	// A kind that was added to 'Trigger On' starts with this poll: nobody can tell when its earlier changes happened.
	const isReported = ({ kind }: Change) =>
		changeKinds.has(kind) && before?.changeKinds.includes(kind);
	// The first time a site is fetched, there is nothing to compare it with.
	const changes = found.filter(isReported);
	const baselineAt = before?.baselineAt ?? fetched.seenAt;
	// The ID of a change contains the time of its baseline, so only a reported change moves it: if n8n crashes and compares with an
	// older memory, the same change has the same ID again.
	const nextBaselineAt = changes.length > 0 ? fetched.seenAt : baselineAt;
	return {
		reported: { fetched, changes, baselineAt },
		toRemember: { site, baselineAt: nextBaselineAt, changeKinds: [...changeKinds] },
	};
}

export interface Change {
	kind: ChangeKind;
	/** Null for a unit that was added or removed. */
	field: string | null;
	/** Absent if the change concerns the site itself. */
	unit?: JsonObject;
	/** Null if there was no value. */
	oldValue: unknown;
	newValue: unknown;
}

/**
 * Compares a site with the remembered one. A missing field equals null, and the order of fields and units does not matter.
 * If a section cannot be compared, because the service leaves it out or sends another type, the remembered one stays. If it
 * sends a section for the first time, that is no change: there is nothing to compare it with.
 *
 * @returns the changes, and the site to remember.
 */
export function compareSite(remembered: RawSite, sent: RawSite) {
	const before = getSections(remembered);
	const now = getSections(sent);
	const changes = [
		...compareFields(remembered, sent, siteKind),
		...(before.info && now.info ? compareInfo(before.info, now.info) : []),
		...(before.units && now.units ? compareUnits(before.units, now.units) : []),
	];
	const sections = { info: now.info ?? before.info, units: now.units ?? before.units };
	return { changes, site: { ...sent, ...sections } };
}

/** Returns a sample of each change that a site can have: of a value, from the current one to the same. */
export function listSamples(site: RawSite): Change[] {
	const sections = getSections(site);
	const units = (sections.units ?? []).map(normalise);
	const values = [
		...compareFields({}, site, siteKind),
		...compareInfo({}, sections.info ?? {}),
		...units.flatMap((unit) => compareUnit({}, unit)),
	];
	return [
		...values.map((change) => ({ ...change, oldValue: change.newValue })),
		...units.map((unit) => wholeUnit('unitAdded', unit)),
		...units.map((unit) => wholeUnit('unitRemoved', unit)),
	];
}

/** Returns the kind of change; undefined for a field that is an ID, or that is compared in another way. */
type Classify = (field: string) => ChangeKind | undefined;

const siteKind: Classify = (field) => {
	if (['siteId', ...SECTIONS].includes(field)) return undefined;
	return field === 'siteName' ? 'siteRenamed' : 'siteChanged';
};

const infoKind: Classify = (field) => {
	if (field === 'license') return 'licenseChanged';
	return field === 'maxTotalBiomass' ? 'biomassLimitChanged' : 'infoChanged';
};

const unitKind: Classify = (field) => {
	if (['unitId', 'latitude', 'longitude'].includes(field)) return undefined;
	return field === 'unitName' ? 'unitRenamed' : 'unitChanged';
};

/** Compares the fields of two objects. A missing field equals null. */
function compareFields(before: JsonObject, after: JsonObject, classify: Classify): Change[] {
	const fields = new Set([...Object.keys(after), ...Object.keys(before)]);
	return [...fields].flatMap((field) => {
		const kind = classify(field);
		const [oldValue, newValue] = [getField(before, field), getField(after, field)];
		if (!kind || oldValue === newValue) return [];
		const isSame = canonicalJson(oldValue) === canonicalJson(newValue);
		return isSame ? [] : [{ kind, field, oldValue, newValue }];
	});
}

/** Returns the value of a field, which may have a name such as `constructor`. */
function getField(fields: JsonObject, field: string): unknown {
	return Object.hasOwn(fields, field) ? (fields[field] ?? null) : null;
}

/** Drops fields without a value, and rounds the position to about 10 cm: further digits are noise from calculations. */
function normalise(fields: JsonObject): JsonObject {
	const present = Object.entries(fields).filter(([, value]) => !isMissing(value));
	const rounded = present.map(([field, value]) => {
		const isCoordinate = typeof value === 'number' && ['latitude', 'longitude'].includes(field);
		return [field, isCoordinate ? Number(value.toFixed(6)) : value];
	});
	return Object.fromEntries(rounded) as JsonObject;
}

function compareInfo(before: JsonObject, info: JsonObject): Change[] {
	return compareFields(normalise(before), normalise(info), infoKind);
}

/**
 * Compares the units by their IDs. If any unit in either answer has none, or shares one, compares all by their names, and IDs do not
 * count.
 *
 * | Before       | After   | Change                                         |
 * | ------------ | ------- | ---------------------------------------------- |
 * | 7 Pen A      | 7 Pen B | renamed                                        |
 * | 7 Pen A      | 8 Pen A | removed and added: another ID is another unit  |
 * | 7 Pen A      | Pen A   | none                                           |
 * | Pen A, Pen A | Pen A   | removed: one of two that nobody can tell apart |
 */
function compareUnits(unitsBefore: JsonObject[], unitsAfter: JsonObject[]): Change[] {
	const before = unitsBefore.map(normalise);
	const after = unitsAfter.map(normalise);
	const getKey = haveOwnIds(before) && haveOwnIds(after) ? formatId : formatName;
	const [previous, current] = [groupBy(before, getKey), groupBy(after, getKey)];
	// In the order in which the service sends the units, followed by those that are gone.
	const keys = new Set([...current.keys(), ...previous.keys()]);
	return [...keys].flatMap((key) => compareGroup(previous.get(key) ?? [], current.get(key) ?? []));
}

function haveOwnIds(units: readonly JsonObject[]): boolean {
	const ids = new Set(units.map(formatId));
	return ids.size === units.length && !ids.has(null);
}

const formatName = ({ unitName = null }: JsonObject) => canonicalJson(unitName);

/** Returns the ID of a unit as a text: 7 and "7" are the same. */
function formatId({ unitId }: JsonObject): string | null {
	return typeof unitId === 'number' || typeof unitId === 'string' ? String(unitId) : null;
}

function groupBy<Key>(units: JsonObject[], getKey: (unit: JsonObject) => Key) {
	const groups = new Map<Key, JsonObject[]>();
	for (const unit of units) {
		const key = getKey(unit);
		const group = groups.get(key);
		if (group) group.push(unit);
		else groups.set(key, [unit]);
	}
	return groups;
}

/**
 * Compares the units that have the same ID, or the same name. Nobody can tell which one of several has changed, so it counts as removed
 * and added.
 */
function compareGroup(before: JsonObject[], after: JsonObject[]): Change[] {
	const [previous, unit] = [before[0], after[0]];
	if (previous && unit && before.length === 1 && after.length === 1) {
		return compareUnit(previous, unit);
	}
	return [
		...subtract(after, before).map((added) => wholeUnit('unitAdded', added)),
		...subtract(before, after).map((gone) => wholeUnit('unitRemoved', gone)),
	];
}

function wholeUnit(kind: 'unitAdded' | 'unitRemoved', unit: JsonObject): Change {
	const name = unit.unitName ?? null;
	const [oldValue, newValue] = kind === 'unitAdded' ? [null, name] : [name, null];
	return { kind, field: null, unit, oldValue, newValue };
}

/** Returns the units that are more often in a list than in another one, whatever their IDs are. */
function subtract(units: JsonObject[], others: JsonObject[]): JsonObject[] {
	const getValues = (unit: JsonObject) => canonicalJson({ ...unit, unitId: null });
	const equalUnits = groupBy(others, getValues);
	return units.filter((unit) => !equalUnits.get(getValues(unit))?.pop());
}

function compareUnit(before: JsonObject, unit: JsonObject): Change[] {
	const [oldValue, newValue] = [formatPosition(before), formatPosition(unit)];
	const moved = { kind: 'unitMoved' as const, field: 'position', oldValue, newValue };
	const changes = compareFields(before, unit, unitKind);
	return [...changes, ...(oldValue === newValue ? [] : [moved])].map((each) => ({ ...each, unit }));
}

/** Formats latitude and longitude as one value, because both change when a unit moves. */
function formatPosition({ latitude, longitude }: JsonObject): string | null {
	if (isMissing(latitude) && isMissing(longitude)) return null;
	return [latitude, longitude].map((value) => toCell(value) ?? 'unknown').join(', ');
}
