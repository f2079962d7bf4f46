import { formatDuration } from '../../../../nodes/Aquaculture/messages/phrases';

it.each<[number, string]>([
	[0, '1 second'],
	[1001, '2 seconds'],
	[119_000, '119 seconds'],
	[119_001, '2 minutes'],
	[120_000, '2 minutes'],
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
