import { createHash } from 'node:crypto';
import canonicalJson from 'fast-json-stable-stringify';
import type { Change } from './compareFields';

/**
 * Creates an ID for each change of a site. It is the same if the change is found again with the same memory, as after a crash,
 * and another one if the same values come back later. Equal changes, such as those of units that share a name, are numbered.
 *
 * @param origin the trigger, the site, and when the values were read with which it was compared.
 */
export function createChangeIds(origin: readonly unknown[], changes: readonly Change[]): string[] {
	const counts = new Map<string, number>();
	return changes.map(({ unit, ...change }) => {
		const identity = canonicalJson([...origin, change, unit?.unitId ?? unit?.unitName ?? null]);
		const count = counts.get(identity) ?? 0;
		counts.set(identity, count + 1);
		return shortHash(`${identity} ${count}`);
	});
}

const HASH_CHARACTERS = 19;

/** Returns lower-case letters and digits: some databases ignore case, and spreadsheets hardly ever take them for a number. */
function shortHash(text: string): string {
	const hex = createHash('sha256').update(text).digest('hex');
	return BigInt(`0x${hex}`).toString(36).slice(-HASH_CHARACTERS);
}
