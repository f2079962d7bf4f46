import { spellDuration, spellRate } from '../../shared/duration';

describe('spellDuration', () => {
	it.each<[number, string]>([
		[-1, '1 second'],
		[0, '1 second'],
		[1, '1 second'],
		[1000, '1 second'],
		[1001, '2 seconds'],
		[60_000, '60 seconds'],
		[119_000, '119 seconds'],
		[119_001, '2 minutes'],
		[120_000, '2 minutes'],
		[120_001, '3 minutes'],
		[119 * 60_000, '119 minutes'],
		[119 * 60_000 + 1, '2 hours'],
		[120 * 60_000, '2 hours'],
		[24 * 3600_000, '24 hours'],
		[24 * 3600_000 + 1, '25 hours'],
	])(
		'spells %d ms as %s, so that who waits for it has waited long enough',
		(milliseconds, text) => {
			expect(spellDuration(milliseconds)).toBe(text);
		},
	);

	it.each<[number, string]>([
		[400, '1 second'],
		[1499, '1 second'],
		[1500, '2 seconds'],
		[122_400, '2 minutes'],
		[150_000, '3 minutes'],
		[149 * 60_000, '2 hours'],
	])('spells %d ms that have passed as %s', (milliseconds, text) => {
		expect(spellDuration(milliseconds, Math.round)).toBe(text);
	});
});

it.each([
	[1, '1 request a minute'],
	[100, '100 requests a minute'],
])('spellRate spells %d as %s', (requestsPerMinute, text) => {
	expect(spellRate(requestsPerMinute)).toBe(text);
});
