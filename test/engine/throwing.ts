/** The code of a site on which the package fails while it makes something of the answer. */
const THROWING_CODE = 'THROWS';

const SITE = { siteName: 'Storvågen', info: { code: THROWING_CODE } };

/** A site on which the package fails, as the service sends it. */
export const THROWING_SITE = JSON.stringify(SITE);

/** Lets the package fail on such sites, by a function that it uses for their fields, until the mocks are restored. */
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
