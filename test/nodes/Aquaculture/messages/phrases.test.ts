import {
	formatDuration,
	formatLocalTime,
	listLines,
} from '../../../../nodes/Aquaculture/messages/phrases';

it.each<[number, string]>([
	[0, '1 second'],
	[1001, '2 seconds'],
	[119_000, '119 seconds'],
	[119_001, '2 minutes'],
	[120_001, '3 minutes'],
	[119 * 60_000 + 1, '2 hours'],
	[120 * 60_000, '2 hours'],
	[149 * 60_000, '2 hours'],
	[150 * 60_000, '3 hours'],
	[24 * 3600_000 + 1, '24 hours'],
])('a wait of %d ms is shown as %s', (milliseconds, text) => {
	expect(formatDuration(milliseconds)).toBe(text);
});

it.each<[number, string]>([
	[400, '1 second'],
	[1499, '1 second'],
	[1500, '2 seconds'],
	[122_400, '2 minutes'],
])('an elapsed time of %d ms is shown as %s', (milliseconds, text) => {
	expect(formatDuration(milliseconds, Math.round)).toBe(text);
});

it.each([
	[10, ''],
	[11, ' and 1 more'],
	[12, ' and 2 more'],
])('of %d lines, ten are named, with the beginning of long ones', (count, others) => {
	const text = 'x'.repeat(90);
	const lines = Array.from({ length: count }, (_, index) => ({ line: index + 1, text }));

	expect(listLines(lines.map((line) => ({ ...line })))).toBe(
		[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((line) => `line ${line} (${'x'.repeat(59)}…)`).join(', ') +
			others,
	);
});

it.each([
	['2026-03-02T14:05:00Z', 'Europe/Oslo', '2026-03-02 15:05'],
	['2026-03-02T23:05:59Z', 'Europe/Oslo', '2026-03-03 00:05'],
	['2026-07-02T23:05:00Z', 'America/Santiago', '2026-07-02 19:05'],
	['2026-03-02T18:30:00Z', 'Asia/Kolkata', '2026-03-03 00:00'],
])('the time on a clock is at %s in %s: %s', (time, zone, shown) => {
	expect(formatLocalTime(new Date(time), zone)).toBe(shown);
});
