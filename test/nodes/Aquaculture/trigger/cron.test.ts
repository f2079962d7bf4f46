import { CronTime } from 'cron';
import fc from 'fast-check';
import { nextTime } from '../../../../nodes/Aquaculture/trigger/cron';

const YEAR_MS = 366 * 24 * 60 * 60 * 1000;

/** A field of a cron expression: any value, one, a range, steps, or a list. */
function fieldOf(first: number, last: number, names: readonly string[] = []) {
	const number = fc.integer({ min: first, max: last });
	const value = number.map((count) => names[count - first] ?? `${count}`);
	const range = fc
		.tuple(number, number)
		.map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`);
	const step = fc
		.tuple(fc.constantFrom('*', `${first}-${last}`), fc.integer({ min: 1, max: last }))
		.map(([of, every]) => `${of}/${every}`);
	const list = fc.uniqueArray(value, { minLength: 2, maxLength: 3 }).map((parts) => parts.join());
	return fc.oneof(fc.constant('*'), value, range, step, list);
}

const expressions = fc.tuple(
	fc.integer({ min: 0, max: 59 }).map(String),
	fieldOf(0, 59),
	fieldOf(0, 23),
	fieldOf(1, 28),
	fieldOf(1, 12, ['JAN', 'FEB', 'MAR']),
	fieldOf(0, 6, ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']),
);

it('nextTime is the time at which n8n polls, by the library that it uses', () => {
	fc.assert(
		fc.property(
			expressions,
			fc.constantFrom('UTC', 'Asia/Kolkata', 'America/Phoenix'),
			fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true }),
			(fields, timeZone, now) => {
				const expected = new CronTime(fields.join(' '), timeZone)
					.getNextDateFrom(now, timeZone)
					.toMillis();

				const next = nextTime(fields, timeZone, now.getTime());

				expect(next).toBe(expected - now.getTime() < YEAR_MS ? expected : undefined);
			},
		),
	);
});

it('nextTime takes 7 for Sunday, and the days of the month or of the week if both are given', () => {
	const monday = Date.parse('2026-06-01T00:00Z');
	const next = (days: string) => {
		const time = nextTime(`0 0 6 ${days}`.split(' '), 'UTC', monday);
		return time === undefined ? undefined : new Date(time).toJSON();
	};

	expect(next('* * 7')).toBe('2026-06-07T06:00:00.000Z');
	expect(next('20 * 7')).toBe('2026-06-07T06:00:00.000Z');
	expect(next('5 * SUN')).toBe('2026-06-05T06:00:00.000Z');
	expect(next('31 2 *')).toBeUndefined();
});

it('nextTime follows the clock of its time zone when summer time begins and ends', () => {
	const atSix = (now: string) =>
		new Date(nextTime(['0', '0', '6', '*', '*', '*'], 'Europe/Oslo', Date.parse(now)) ?? 0);

	expect(atSix('2026-03-28T12:00Z')).toEqual(new Date('2026-03-29T04:00Z'));
	expect(atSix('2026-10-24T12:00Z')).toEqual(new Date('2026-10-25T05:00Z'));
});

it.each(['* * * * * *', '0 0 6 L * *', '0 60 * * * *', '0 5-1 * * * *', '0 */0 * * * *', '0 * *'])(
	'nextTime is undefined for %s, which it does not understand',
	(expression) => {
		expect(nextTime(expression.split(' '), 'UTC', 0)).toBeUndefined();
	},
);
