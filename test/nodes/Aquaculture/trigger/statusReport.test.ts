import { formatLocalTime } from '../../../../nodes/Aquaculture/messages/phrases';
import { getReportPeriod, isReportDue } from '../../../../nodes/Aquaculture/trigger/statusReport';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it.each([
	['2026-03-09T05:59:59+01:00', 'Europe/Oslo', '2026-03-08', '2026-03-02'],
	['2026-03-09T06:00:00+01:00', 'Europe/Oslo', '2026-03-09', '2026-03-09'],
	['2026-03-15T23:00:00+01:00', 'Europe/Oslo', '2026-03-15', '2026-03-09'],
	// The clock is set forward, and back.
	['2026-03-29T05:59:00+02:00', 'Europe/Oslo', '2026-03-28', '2026-03-23'],
	['2026-03-29T06:00:00+02:00', 'Europe/Oslo', '2026-03-29', '2026-03-23'],
	['2026-10-25T05:59:00+01:00', 'Europe/Oslo', '2026-10-24', '2026-10-19'],
	['2026-10-25T06:00:00+01:00', 'Europe/Oslo', '2026-10-25', '2026-10-19'],
	['2027-01-01T06:00:00+14:00', 'Pacific/Kiritimati', '2027-01-01', '2026-12-28'],
])('at %s in %s, the report of %s or of the week from %s is due', (now, timeZone, day, monday) => {
	jest.setSystemTime(new Date(now));

	expect(getReportPeriod('daily', timeZone)).toBe(`daily ${day}`);
	expect(getReportPeriod('weekly', timeZone)).toBe(`weekly ${monday}`);
	expect(getReportPeriod('off', timeZone)).toBeUndefined();
});

it('a report is due, and shows times, in a Node.js that knows English only', () => {
	jest.setSystemTime(new Date('2026-03-09T06:00:00+01:00'));
	const { DateTimeFormat } = Intl;
	const { toLocaleString } = Date.prototype;
	const inEnglish = (_locale: unknown, options: object) => new DateTimeFormat('en-US', options);
	jest.spyOn(Intl, 'DateTimeFormat').mockImplementation(inEnglish as never);
	jest.spyOn(Date.prototype, 'toLocaleString').mockImplementation(function (
		this: Date,
		_locale,
		options,
	) {
		return toLocaleString.call(this, 'en-US', options);
	});

	expect(getReportPeriod('daily', 'Europe/Oslo')).toBe('daily 2026-03-09');
	expect(formatLocalTime(new Date(), 'Europe/Oslo')).toBe('2026-03-09 06:00');
	jest.restoreAllMocks();
});

it.each<[string, string[], boolean[]]>([
	['each day', ['daily 9', 'daily 9', 'daily 10', 'daily 12'], [false, false, true, true]],
	['after a clock that was ahead', ['daily 2030', 'daily 10', 'daily 11'], [false, true, true]],
	[
		'of another interval when the next one is over',
		['daily 9', 'daily 10', 'weekly 9', 'weekly 9', 'weekly 16'],
		[false, true, false, false, true],
	],
])('a report is returned %s', (_what, periods, expected) => {
	const isDue = periods.map((period, index) => isReportDue(periods[index - 1], period));

	expect(isDue).toEqual(expected);
});
