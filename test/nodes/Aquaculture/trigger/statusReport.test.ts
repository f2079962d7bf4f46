import { getReportPeriod } from '../../../../nodes/Aquaculture/trigger/statusReport';

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

	expect(getReportPeriod('daily', timeZone)).toBe(day);
	expect(getReportPeriod('weekly', timeZone)).toBe(monday);
	expect(getReportPeriod('off', timeZone)).toBeUndefined();
});
