import { includesOf } from '../../../api/includes';

/** What can happen to a site, in the words of the output's `change`. */
export const CHANGE_KINDS = [
	'siteRenamed',
	'licenceChanged',
	'biomassLimitChanged',
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
	/** Parts of the site beyond the documented ones that are asked for. */
	additionalIncludes: readonly string[];
}

/** The kinds that concern the info. Whoever watches `infoChanged` watches all of them. */
export const INFO_KINDS: readonly ChangeKind[] = [
	'licenceChanged',
	'biomassLimitChanged',
	'infoChanged',
];

/** The kinds that concern a unit. */
export const UNIT_KINDS: readonly ChangeKind[] = [
	'unitAdded',
	'unitRemoved',
	'unitRenamed',
	'unitMoved',
	'unitChanged',
];

/** Whether changes of one of these kinds are watched. */
export function isWatching({ kinds }: Watch, ...asked: readonly ChangeKind[]): boolean {
	return asked.some(
		(kind) =>
			kinds.includes(ANY_CHANGE) ||
			kinds.includes(kind) ||
			(INFO_KINDS.includes(kind) && kinds.includes('infoChanged')),
	);
}

/** The values of `$include` that what is watched needs. */
export function watchedIncludes(watch: Watch): string[] {
	return includesOf({
		units: isWatching(watch, ...UNIT_KINDS),
		info: isWatching(watch, ...INFO_KINDS),
		others: watch.additionalIncludes,
	});
}
