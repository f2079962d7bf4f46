import { spellDuration, spellMinutes, spellRate, spellSeconds } from '../../texts/duration';

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
	[121 * 60_000, '2 hours'],
	[149 * 60_000, '2 hours'],
	[150 * 60_000, '3 hours'],
	[24 * 3600_000, '24 hours'],
	[24 * 3600_000 + 1, '24 hours'],
])('%d ms to wait are %s, and never fewer seconds or minutes', (milliseconds, text) => {
	expect(spellDuration(milliseconds)).toBe(text);
});

it.each<[number, string]>([
	[400, '1 second'],
	[1499, '1 second'],
	[1500, '2 seconds'],
	[122_400, '2 minutes'],
	[150_000, '3 minutes'],
	[149 * 60_000, '2 hours'],
])('%d ms that have passed are %s', (milliseconds, text) => {
	expect(spellDuration(milliseconds, Math.round)).toBe(text);
});

it.each<[number, string]>([
	[0, '0 minutes'],
	[1, '1 minute'],
	[60 * 60_000, '60 minutes'],
	[60 * 60_000 + 1, '61 minutes'],
	[130 * 60_000, '130 minutes'],
])('%d ms are %s, as people enter them', (milliseconds, text) => {
	expect(spellMinutes(milliseconds)).toBe(text);
});

it.each<[number, string]>([
	[50, '0.1 seconds'],
	[1000, '1 second'],
	[3598.865131499999, '3.6 seconds'],
	[30_000, '30 seconds'],
	[3_600_000, '3600 seconds'],
])('a limit of %d ms is %s', (milliseconds, text) => {
	expect(spellSeconds(milliseconds)).toBe(text);
});

it('a rate counts its requests', () => {
	expect([1, 100].map(spellRate)).toEqual(['1 request a minute', '100 requests a minute']);
});
