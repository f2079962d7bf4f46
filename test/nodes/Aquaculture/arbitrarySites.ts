import fc from 'fast-check';
import type { Site, Unit } from '../../../nodes/Aquaculture/service/site';

const text = fc.string({ maxLength: 8 });
const scalar = fc.oneof(text, fc.boolean(), fc.integer(), fc.constant(null));
const coordinate = fc.double({ min: -90, max: 90, noNaN: true, noDefaultInfinity: true });
const position = { longitude: fc.option(coordinate), latitude: fc.option(coordinate) };
/** Undocumented fields. */
const unknownFields = fc.dictionary(
	fc.constantFrom('depth', 'owner', 'tags', '__proto__', 'constructor'),
	fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(text, scalar)),
	{ maxKeys: 3 },
);
const withUnknown = <T extends object>(documented: fc.Arbitrary<T>) =>
	fc.tuple(documented, unknownFields).map(([known, unknown]) => ({ ...unknown, ...known }));

const unit = withUnknown(
	fc.record({ unitName: fc.option(text), ...position }, { requiredKeys: [] }),
);
const units = fc
	.tuple(fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { maxLength: 6 }), fc.infiniteStream(unit))
	.map(([ids, stream]) => ids.map((unitId): Unit => ({ ...stream.next().value, unitId })));
const info = withUnknown(
	fc.record(
		{
			...position,
			type: fc.option(text),
			code: fc.option(text),
			license: fc.option(text),
			maxTotalBiomass: fc.option(fc.double({ noNaN: true })),
			timezone: fc.option(text),
		},
		{ requiredKeys: [] },
	),
);

/** Documented sites whose units have an ID. */
export const site: fc.Arbitrary<Site> = withUnknown(
	fc.record({ siteId: fc.integer(), siteName: fc.option(text), info, units }),
).map((made) => JSON.parse(JSON.stringify(made)) as Site);

/** Reverses the order of fields in all objects. */
export function reversed(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(reversed);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.reverse()
			.map(([field, inner]) => [field, reversed(inner)]),
	);
}
