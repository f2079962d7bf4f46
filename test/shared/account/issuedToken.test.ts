import { hasEnded } from '../../../shared/account/issuedToken';

const NOW = 1_767_225_600_000;
const SECOND = 1000;

it.each<[number | undefined, number, boolean]>([
	[undefined, 1e9, false],
	[3600, 3589, false],
	[3600, 3590, true],
	[20, 17.9, false],
	[20, 18, true],
])('a token with a lifetime of %j s has ended after %d s: %j', (lifetime, age, ended) => {
	const endsAt = lifetime === undefined ? undefined : NOW + lifetime * SECOND;
	expect(hasEnded({ value: 'x', issuedAt: NOW, endsAt }, NOW + age * SECOND)).toBe(ended);
});
