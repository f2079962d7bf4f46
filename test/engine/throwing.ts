/** The code of a site on which the package fails while it makes something of the answer. */
const THROWING_CODE = 'THROWS';

const SITE = { siteName: 'Storvågen', info: { code: THROWING_CODE } };

/** A site on which the package fails, as the service sends it. */
export const THROWING_SITE = JSON.stringify(SITE);

/**
 * Lets the package fail on such sites, and only on these, until the mocks are restored. No answer is known on which it fails
 * by itself, and the bundle that the tests load has no place of its own to break: so a function of JavaScript fails that
 * copies the fields of a site.
 */
export function throwForCode(): void {
	const { fromEntries } = Object;
	jest
		.spyOn(Object, 'fromEntries')
		.mockImplementation((entries: Iterable<readonly unknown[]>): Record<string, unknown> => {
			const fields = [...entries];
			if (fields.some(([field, value]) => field === 'code' && value === THROWING_CODE)) {
				throw new RangeError('Nobody has thought of this');
			}
			return fromEntries(fields);
		});
}
