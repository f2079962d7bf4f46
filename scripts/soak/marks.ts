/** Requests of the calls are told apart by the version that they ask for: a day of its own for each call. */
const FIRST_DAY = Date.UTC(2100, 0, 1);
const DAY_MS = 24 * 3600 * 1000;

/** The version that the requests of a call name. */
export function markOf(call: number): string {
	return new Date(FIRST_DAY + call * DAY_MS).toISOString().slice(0, 10);
}

/** The call that a version stands for; undefined for one that no call names. */
export function callOf(version: unknown): number | undefined {
	const call = (Date.parse(String(version)) - FIRST_DAY) / DAY_MS;
	return call >= 0 ? call : undefined;
}
