import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../texts/duration';

/** The smallest and the largest value of a field, and the names of its values from the smallest one on. */
interface Range {
	first: number;
	last: number;
	names?: readonly string[];
}

const MINUTES: Range = { first: 0, last: 59 };
const HOURS: Range = { first: 0, last: 23 };
const DAYS: Range = { first: 1, last: 31 };
const MONTHS: Range = {
	first: 1,
	last: 12,
	names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
};
/** Sunday is 0 and 7. */
const WEEKDAYS: Range = {
	first: 0,
	last: 7,
	names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
};

/** A time that does not come within a year comes never, as the 31st of February. */
const LONGEST_MS = 366 * DAY_MS;

/**
 * The next time of a cron expression, in milliseconds since 1970. Fields may have lists, ranges, steps and names. It has no
 * library: those for cron bring half a megabyte of time zones, which Node.js has too, or timers, which n8n's scan refuses.
 *
 * @param fields second (one number), minute, hour, day of the month, month and weekday.
 * @param timeZone an IANA name.
 * @param after milliseconds since 1970.
 * @returns undefined if the expression is not understood, or there is no such time within a year.
 */
export function nextTime(
	fields: readonly string[],
	timeZone: string,
	after: number,
): number | undefined {
	const [second = '', minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
	const [minutes, hours] = [valuesOf(minute, MINUTES), valuesOf(hour, HOURS)];
	const isDay = dayMatcher(day, month, weekday);
	if (!/^\d+$/.test(second) || !minutes || !hours || !isDay) return undefined;

	const localTime = localTimeIn(timeZone);
	let at = after - (after % MINUTE_MS);
	while (at < after + LONGEST_MS) {
		const local = localTime(at);
		const time = at + Number(second) * SECOND_MS;
		if (!isDay(local) || !hours.has(local.hour)) at += (60 - local.minute) * MINUTE_MS;
		else if (minutes.has(local.minute) && time > after) return time;
		else at += MINUTE_MS;
	}
	return undefined;
}

interface LocalTime {
	minute: number;
	hour: number;
	day: number;
	month: number;
	weekday: number;
}

/** A day of the month or a weekday is enough if both are limited, as n8n takes it (n8n 1.123 and 2.40). */
function dayMatcher(
	day: string,
	month: string,
	weekday: string,
): ((local: LocalTime) => boolean) | undefined {
	const days = valuesOf(day, DAYS);
	const months = valuesOf(month, MONTHS);
	const weekdays = valuesOf(weekday, WEEKDAYS);
	if (!days || !months || !weekdays) return undefined;
	const daysOfWeek = new Set([...weekdays].map((value) => value % 7));
	const isEither = days.size < 31 && daysOfWeek.size < 7;
	return (local) => {
		const isOfMonth = days.has(local.day);
		const isOfWeek = daysOfWeek.has(local.weekday);
		const isDay = isEither ? isOfMonth || isOfWeek : isOfMonth && isOfWeek;
		return isDay && months.has(local.month);
	};
}

/** `*`, `5`, `MON-FRI` or `0-30/10`, and lists of these. */
const PART = /^(?:[*?]|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/;

/** @returns undefined if the field is not understood. */
function valuesOf(field: string, range: Range): ReadonlySet<number> | undefined {
	const values = new Set<number>();
	for (const part of field.toUpperCase().split(',')) {
		const [isPart, from, to, step] = PART.exec(part) ?? [];
		const isOpen = from === undefined || (to === undefined && step !== undefined);
		const first = from === undefined ? range.first : valueOf(from, range);
		const last = isOpen ? range.last : to === undefined ? first : valueOf(to, range);
		if (isPart === undefined || !(first >= range.first && last <= range.last)) return undefined;
		if (first > last || Number(step ?? 1) < 1) return undefined;
		for (let value = first; value <= last; value += Number(step ?? 1)) values.add(value);
	}
	return values;
}

/** NaN if the text is neither a number nor a name. */
function valueOf(text: string, { first, names = [] }: Range): number {
	const index = names.indexOf(text);
	if (index >= 0) return first + index;
	return /^\d+$/.test(text) ? Number(text) : NaN;
}

function localTimeIn(timeZone: string): (at: number) => LocalTime {
	const format = new Intl.DateTimeFormat('en-US', {
		timeZone,
		hourCycle: 'h23',
		minute: 'numeric',
		hour: 'numeric',
		day: 'numeric',
		month: 'numeric',
		weekday: 'short',
	});
	return (at) => {
		const parts = Object.fromEntries(
			format.formatToParts(at).map(({ type, value }) => [type, value]),
		);
		return {
			minute: Number(parts.minute),
			hour: Number(parts.hour),
			day: Number(parts.day),
			month: Number(parts.month),
			weekday: valueOf(String(parts.weekday).toUpperCase(), WEEKDAYS),
		};
	};
}
