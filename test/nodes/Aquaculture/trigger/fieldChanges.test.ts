import fc from 'fast-check';
import {
	compareFields,
	type FieldChange,
	type Fields,
} from '../../../../nodes/Aquaculture/trigger/fieldChanges';
import { reversed, unknownFields } from '../arbitrarySites';

const coordinates = fc.record(
	{
		latitude: fc.option(fc.integer({ min: -90, max: 90 })),
		longitude: fc.option(fc.integer({ min: -180, max: 180 })),
	},
	{ requiredKeys: [] },
);
const fields: fc.Arbitrary<Fields> = fc
	.tuple(unknownFields, coordinates)
	.map(([unknown, known]) => ({ ...unknown, ...known }));

/** The fields that have a value, by their names. */
const values = (made: Fields) =>
	new Map(Object.entries(made).filter(([, value]) => value !== null));

function applied(before: Fields, changes: readonly FieldChange[]): Map<string, unknown> {
	const after = values(before);
	for (const { field, newValue } of changes) {
		if (newValue === null) after.delete(field);
		else after.set(field, newValue);
	}
	return after;
}

describe('comparing fields', () => {
	it('tells of changes that make the new fields of the old ones, and keeps the new ones', () => {
		fc.assert(
			fc.property(fields, fields, (before, now) => {
				const { changes, kept } = compareFields(before, now, () => true);

				expect(applied(before, changes)).toEqual(values(now));
				expect(values(kept)).toEqual(values(now));
			}),
		);
	});

	it('tells of each field once, with the values that it had and has', () => {
		fc.assert(
			fc.property(fields, fields, (before, now) => {
				const { changes } = compareFields(before, now, () => true);

				expect(new Set(changes.map(({ field }) => field)).size).toBe(changes.length);
				for (const { field, oldValue, newValue } of changes) {
					expect(oldValue).toEqual(values(before).get(field) ?? null);
					expect(newValue).toEqual(values(now).get(field) ?? null);
					expect(newValue).not.toEqual(oldValue);
				}
			}),
		);
	});

	it('tells of nothing where nothing is different', () => {
		fc.assert(
			fc.property(fields, (made) => {
				const same = reversed(made) as Fields;
				expect(compareFields(made, same, () => true)).toMatchObject({
					changes: [],
					hasLearned: false,
				});
			}),
		);
	});

	it.each([
		['longitude', 0, 9e-7, true],
		['latitude', 5.000_000_1, 5, true],
		['longitude', 0, 1e-6, false],
		['latitude', 0, 1e-6, false],
		['latitude', 0, null, false],
		['longitude', '0', 9e-7, false],
		['depth', 0, 9e-7, false],
	])('takes a %s of %j and one of %j for the same: %j', (field, one, other, isSame) => {
		const { changes, kept } = compareFields({ [field]: one }, { [field]: other }, () => true);

		expect(changes).toEqual(isSame ? [] : [{ field, oldValue: one, newValue: other }]);
		expect(kept[field]).toBe(isSame ? one : (other ?? undefined));
	});

	it('learns without a word what was not watched', () => {
		fc.assert(
			fc.property(fields, (now) => {
				const { changes, kept, hasLearned } = compareFields({}, now, () => false);

				expect(changes).toEqual([]);
				expect(values(kept)).toEqual(values(now));
				expect(hasLearned).toBe(values(now).size > 0);
			}),
		);
	});
});
