import { includesOf } from '../../../service/includes';
import { INFO_KINDS, UNIT_KINDS, type ChangeKind } from './changeKinds';

/** Watches all kinds. */
export const ANY_CHANGE = 'any';

export type Choice = ChangeKind | typeof ANY_CHANGE;

/** What is watched of a site. */
export interface Watch {
	kinds: readonly Choice[];
	/** Parts of the site beyond the documented ones that are asked for. */
	additionalIncludes: readonly string[];
}

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
