const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** A time as people say it: "45 seconds", "3 minutes". It is rounded up to the unit in which it is said. */
export function spellDuration(milliseconds: number): string {
	if (milliseconds <= 2 * MINUTE_MS) return spell(milliseconds / SECOND_MS, 'second');
	if (milliseconds <= 2 * HOUR_MS) return spell(milliseconds / MINUTE_MS, 'minute');
	return spell(milliseconds / HOUR_MS, 'hour');
}

function spell(count: number, unit: string): string {
	const whole = Math.max(1, Math.ceil(count));
	return `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}
