export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * A time as people say it: "45 seconds", "3 minutes".
 *
 * @param round how it is rounded to its unit: up for a wait to come, `Math.round` for a time that has passed.
 */
export function spellDuration(
	milliseconds: number,
	round: (count: number) => number = Math.ceil,
): string {
	const seconds = Math.max(1, round(milliseconds / SECOND_MS));
	if (seconds < 120) return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
	const minutes = round(milliseconds / MINUTE_MS);
	if (minutes < 120) return `${minutes} minutes`;
	// 121 minutes are two hours, not three.
	const roundHours = round === Math.ceil ? Math.round : round;
	return `${roundHours(milliseconds / HOUR_MS)} hours`;
}

/** A time in minutes, rounded up, as people enter it: "130 minutes". */
export function spellMinutes(milliseconds: number): string {
	const minutes = Math.ceil(milliseconds / MINUTE_MS);
	return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
}

/** A time in seconds, as people enter it, with a tenth below ten: "30 seconds", "3.6 seconds". */
export function spellSeconds(milliseconds: number): string {
	const places = milliseconds < 10 * SECOND_MS ? 10 : 1;
	const seconds = Math.ceil((milliseconds / SECOND_MS) * places) / places;
	return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
}

/** "100 requests a minute". */
export function spellRate(requestsPerMinute: number): string {
	return `${requestsPerMinute} ${requestsPerMinute === 1 ? 'request' : 'requests'} a minute`;
}
