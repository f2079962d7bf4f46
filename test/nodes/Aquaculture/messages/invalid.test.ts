import { INVALID_SITE } from '../../../../nodes/Aquaculture/messages/invalid';

it.each([
	[10, '1, 2, 3, 4, 5, 6, 7, 8, 9, 10'],
	[12, '1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and others'],
])('offers ten IDs at most if %d sites share a name', (count, offered) => {
	const siteIds = Array.from({ length: count }, (_, index) => index + 1);

	expect(INVALID_SITE.sharedName('Vik', siteIds).description).toBe(
		`Enter one of these IDs instead: ${offered}.`,
	);
});
