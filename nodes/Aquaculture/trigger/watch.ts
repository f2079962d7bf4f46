import { includesOf } from '../../../api/includes';

/** What can happen to a site, in the words of the output's `change`. */
export const CHANGE_KINDS = [
	'siteRenamed',
	'infoChanged',
	'siteChanged',
	'unitAdded',
	'unitRemoved',
	'unitRenamed',
	'unitMoved',
	'unitChanged',
] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Watches all kinds. */
export const ANY_CHANGE = 'any';

export type Choice = ChangeKind | typeof ANY_CHANGE;

/** What is watched of a site. */
export interface Watch {
	kinds: readonly Choice[];
	/** Fields of the info, where not all of them are watched. */
	infoFields: readonly string[] | null;
	/** Parts of the site beyond the documented ones that are asked for. */
	additionalIncludes: readonly string[];
}

/** Whether changes of one of these kinds are watched. */
export function isWatching({ kinds }: Watch, ...asked: ChangeKind[]): boolean {
	return kinds.includes(ANY_CHANGE) || asked.some((kind) => kinds.includes(kind));
}

/** The kinds that concern a unit. */
export const UNIT_KINDS: readonly ChangeKind[] = [
	'unitAdded',
	'unitRemoved',
	'unitRenamed',
	'unitMoved',
	'unitChanged',
];

export function isWatchingUnits(watch: Watch): boolean {
	return isWatching(watch, ...UNIT_KINDS);
}

/** The values of `$include` that what is watched needs. */
export function watchedIncludes(watch: Watch): string[] {
	return includesOf({
		units: isWatchingUnits(watch),
		info: isWatching(watch, 'infoChanged'),
		others: watch.additionalIncludes,
	});
}
