import { siteSchema, unitSchema, type Site, type Unit } from '../../../api/site';
import { compareFields, type FieldChange, type Fields } from './fieldChanges';
import { isWatching, isWatchingUnits, type ChangeKind, type Watch } from './watch';

/** What is remembered of a site. A part that has not been watched, or has never been sent, is missing. */
export interface SiteMemory {
	siteName?: string | null | undefined;
	info?: {
		/** The fields that were watched; null for all. */
		fields: readonly string[] | null;
		values: Fields;
	};
	/** Fields of the site that docs/service-interface.md does not name. */
	others?: {
		additionalIncludes: readonly string[];
		values: Fields;
	};
	units?: {
		/** What was watched when they were read. */
		kinds: readonly string[];
		/** The watched fields of each unit; its ID and its name always. */
		list: Fields[];
	};
}

/** One change of a site. */
export interface SiteChange {
	kind: ChangeKind;
	/** Null for a unit that was added or removed. */
	field: string | null;
	/** The unit that it concerns. */
	unit?: Unit;
	oldValue: unknown;
	newValue: unknown;
}

/** The result of comparing a site, or a part of it, with the memory of it. */
export interface Comparison {
	changes: SiteChange[];
	/** What to remember from now on. */
	memory: SiteMemory;
	/** Whether the memory has something new that is no change, because it was not watched before. */
	hasLearned: boolean;
}

type ComparePart = (remembered: SiteMemory, site: Site, watch: Watch) => Comparison;

/**
 * Compares a site with what is remembered of it, as far as it is watched now and was watched then.
 *
 * A missing field is the same as null. If `info` or `units` is missing as a whole, the memory of it is kept. The memory
 * of a value is updated only when a change is found: coordinates that drift in steps below the tolerance are compared
 * with those of the last change.
 */
export function compareSite(remembered: SiteMemory, site: Site, watch: Watch): Comparison {
	const compare: ComparePart[] = [
		...(isWatching(watch, 'siteRenamed') ? [compareName] : []),
		...(isWatching(watch, 'infoChanged') ? [compareInfo] : []),
		...(isWatching(watch, 'siteChanged') ? [compareOthers] : []),
		...(isWatchingUnits(watch) ? [compareUnits] : []),
	];
	const parts = compare.map((comparePart) => comparePart(remembered, site, watch));
	return {
		changes: parts.flatMap(({ changes }) => changes),
		memory: Object.assign({}, ...parts.map(({ memory }) => memory)) as SiteMemory,
		hasLearned: parts.some(({ hasLearned }) => hasLearned),
	};
}

const compareName: ComparePart = ({ siteName: before }, { siteName = null }) => {
	const isKnown = () => before !== undefined;
	const { changes, hasLearned } = compareFields({ siteName: before }, { siteName }, isKnown);
	return { changes: ofKind('siteRenamed', changes), memory: { siteName }, hasLearned };
};

const compareInfo: ComparePart = ({ info: before }, { info }, { infoFields: fields }) => {
	if (!info) return unchanged(before && { info: before });
	const isWatched = (field: string) => isListed(fields, field);
	const { changes, kept, hasLearned } = compareFields(
		pick(before?.values ?? {}, isWatched),
		pick(info, isWatched),
		(field) => before !== undefined && isListed(before.fields, field),
	);
	const memory = { info: { fields, values: kept } };
	return { changes: ofKind('infoChanged', changes), memory, hasLearned };
};

const compareOthers: ComparePart = ({ others: before }, site, { additionalIncludes }) => {
	// If other parts of the site are asked for than before, a new or missing field does not mean that the site has changed.
	const isKnown =
		before !== undefined &&
		before.additionalIncludes.toSorted().join() === additionalIncludes.toSorted().join();
	const { changes, kept, hasLearned } = compareFields(
		isKnown ? before.values : {},
		pick(site, (field) => !Object.hasOwn(siteSchema.shape, field)),
		() => isKnown,
	);
	const memory = { others: { additionalIncludes, values: kept } };
	return { changes: ofKind('siteChanged', changes), memory, hasLearned };
};

const compareUnits: ComparePart = ({ units: before }, { units }, watch) => {
	if (!units) return unchanged(before && { units: before });
	const known: Watch = { ...watch, kinds: (before?.kinds ?? []) as Watch['kinds'] };
	const oldUnits = unitsByKey(before?.list ?? []);
	const newUnits = unitsByKey(units);

	const compared = [...newUnits].map(([key, unit]): UnitComparison => {
		const oldUnit = oldUnits.get(key);
		if (oldUnit) return compareUnit(oldUnit, unit, watch, known);
		const isReported = before !== undefined && isWatching(watch, 'unitAdded');
		return {
			changes: isReported ? [comingOrGoing('unitAdded', unit)] : [],
			kept: watchedFields(unit, watch),
			hasLearned: !isReported,
		};
	});
	const removed = [...oldUnits].filter(([key]) => !newUnits.has(key)).map(([, unit]) => unit);
	const isRemovalReported = isWatching(watch, 'unitRemoved');
	return {
		changes: [
			...compared.flatMap(({ changes }) => changes),
			...(isRemovalReported ? removed.map((unit) => comingOrGoing('unitRemoved', unit)) : []),
		],
		memory: { units: { kinds: watch.kinds, list: compared.map(({ kept }) => kept) } },
		hasLearned:
			compared.some(({ hasLearned }) => hasLearned) || (!isRemovalReported && removed.length > 0),
	};
};

interface UnitComparison extends Omit<Comparison, 'memory'> {
	kept: Fields;
}

/** The fields of a unit by the kind of change that they stand for. */
const UNIT_PARTS: ReadonlyArray<[ChangeKind, (field: string) => boolean]> = [
	['unitRenamed', (field) => field === 'unitName'],
	['unitMoved', (field) => field === 'longitude' || field === 'latitude'],
	['unitChanged', (field) => !Object.hasOwn(unitSchema.shape, field)],
];

function compareUnit(before: Unit, unit: Unit, watch: Watch, known: Watch): UnitComparison {
	const parts = UNIT_PARTS.filter(([kind]) => isWatching(watch, kind)).map(([kind, isPart]) => {
		const [old, now] = [pick(before, isPart), pick(unit, isPart)];
		const { changes, kept, hasLearned } = compareFields(old, now, () => isWatching(known, kind));
		const found = kind === 'unitMoved' ? asMove(changes, before, unit) : changes;
		return { changes: ofKind(kind, found, unit), kept, hasLearned };
	});
	return {
		changes: parts.flatMap(({ changes }) => changes),
		kept: withoutNulls(joined([identityOf(unit), ...parts.map(({ kept }) => kept)])),
		hasLearned: parts.some(({ hasLearned }) => hasLearned),
	};
}

/** A moved unit is one change, whether one coordinate differs or both. */
function asMove(changes: FieldChange[], before: Unit, unit: Unit): FieldChange[] {
	if (changes.length === 0) return [];
	return [{ field: 'position', oldValue: positionOf(before), newValue: positionOf(unit) }];
}

/** Latitude and longitude as people write them; null where there are none. */
function positionOf({ latitude, longitude }: Unit): string | null {
	const isNowhere = (latitude ?? longitude ?? null) === null;
	return isNowhere ? null : `${latitude ?? 'unknown'}, ${longitude ?? 'unknown'}`;
}

function comingOrGoing(kind: 'unitAdded' | 'unitRemoved', unit: Unit): SiteChange {
	const name = unit.unitName ?? null;
	const [oldValue, newValue] = kind === 'unitAdded' ? [null, name] : [name, null];
	return { kind, field: null, unit, oldValue, newValue };
}

/**
 * The units by what identifies them: the ID, or the name of those without one. Units that share it are numbered in the
 * order of their names and positions, so that the order in the answer does not matter.
 */
function unitsByKey(units: readonly Unit[]): Map<string, Unit> {
	const alike = new Map<number | string, Unit[]>();
	for (const unit of units) {
		const label = unit.unitId ?? unit.unitName ?? '';
		const others = alike.get(label);
		if (others) others.push(unit);
		else alike.set(label, [unit]);
	}
	return new Map(
		[...alike].flatMap(([label, list]) =>
			sorted(list).map((unit, index) => [JSON.stringify([label, index]), unit] as const),
		),
	);
}

function sorted(units: readonly Unit[]): readonly Unit[] {
	if (units.length === 1) return units;
	return units
		.map((unit) => ({
			unit,
			text: JSON.stringify([unit.unitName, unit.latitude, unit.longitude]),
		}))
		.sort((one, other) => Number(one.text > other.text) - Number(one.text < other.text))
		.map(({ unit }) => unit);
}

function watchedFields(unit: Unit, watch: Watch): Fields {
	const parts = UNIT_PARTS.filter(([kind]) => isWatching(watch, kind));
	const watched = pick(unit, (field) => parts.some(([, isPart]) => isPart(field)));
	return withoutNulls(joined([identityOf(unit), watched]));
}

/** The fields by which items name a unit. */
function identityOf({ unitId, unitName }: Unit): Fields {
	return { unitId, unitName };
}

/** A part that the service has not sent: the memory of it is kept. */
function unchanged(memory: SiteMemory | undefined): Comparison {
	return { changes: [], memory: memory ?? {}, hasLearned: false };
}

function ofKind(kind: ChangeKind, changes: readonly FieldChange[], unit?: Unit): SiteChange[] {
	return changes.map((change) => ({ kind, ...change, ...(unit && { unit }) }));
}

function isListed(fields: readonly string[] | null, field: string): boolean {
	return fields === null || fields.includes(field);
}

function pick(fields: object, isWanted: (field: string) => boolean): Fields {
	return Object.fromEntries(Object.entries(fields).filter(([field]) => isWanted(field)));
}

/** A service may name a field `__proto__`, which `Object.assign` would not copy. */
function joined(parts: readonly Fields[]): Fields {
	return Object.fromEntries(parts.flatMap((fields) => Object.entries(fields)));
}

function withoutNulls(fields: Fields): Fields {
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
	);
}
