/** A change of the watched licence as the trigger tells it. */
export interface ToldChange {
	oldValue: unknown;
	newValue: unknown;
}

/**
 * What is wrong with the changes that the trigger has told: each must begin where the one before ended, go on to a later
 * licence, and the last one must be told. A licence that was replaced before a poll saw it is passed over.
 *
 * @param licences those that the site has had, in their order; the first one when the trigger was switched on.
 */
export function faultsOfChanges(
	told: readonly ToldChange[],
	licences: readonly string[],
): string[] {
	const faults: string[] = [];
	let known = 0;
	for (const { oldValue, newValue } of told) {
		const next = licences.indexOf(String(newValue));
		if (oldValue !== licences[known] || next <= known) {
			faults.push(`from ${String(oldValue)} to ${String(newValue)} after ${licences[known]}`);
		}
		known = next;
	}
	if (known !== licences.length - 1) faults.push(`${licences.at(-1)} was not told`);
	return faults;
}
