import fc from '../../../fixedSeed';
import { compareSite, type Change } from '../../../../nodes/Aquaculture/trigger/findChanges';
import type { RawSite, Site, Unit } from '../../../../nodes/Aquaculture/service/site';
import { reversed, site } from '../arbitrarySites';

const whole = (made: Site): Site => ({ info: {}, units: [], ...made });
/** Lists changes as `unitRenamed 7: A → B`. */
const found = (before: Site, now: Site) =>
	compareSite(whole(before), whole(now)).changes.map(
		({ kind, unit, oldValue, newValue }) =>
			`${kind} ${String(unit?.unitId)}: ${String(oldValue)} → ${String(newValue)}`,
	);
/** Stores and loads a site like n8n. */
const stored = (made: Site) => JSON.parse(JSON.stringify(made)) as Site;

const reordered = (made: Site): Site => ({
	...(reversed(made) as Site),
	units: [...(reversed(made.units) as Unit[])].reverse(),
});

/** Rounds coordinates, which are compared to six decimals. */
const inWholeDegrees = (made: Site) =>
	JSON.parse(JSON.stringify(made), (field, value: unknown) =>
		typeof value === 'number' && ['longitude', 'latitude'].includes(field)
			? Math.round(value) + 0
			: value,
	) as Site;

const listValues = (place: string, fields: object) =>
	Object.entries(fields)
		.filter(([, value]) => value !== null && value !== undefined)
		.map(([field, value]) => [`${place} ${field}`, value as unknown] as const);

/** Latitude and longitude are one value. */
const valuesOfUnit = ({ latitude, longitude, ...fields }: Unit) => {
	const isSomewhere = (latitude ?? longitude ?? null) !== null;
	const position = isSomewhere ? `${latitude ?? 'unknown'}, ${longitude ?? 'unknown'}` : null;
	return listValues(`unit ${fields.unitId}`, { ...fields, position });
};

/** Flattens a site without its ID. */
const valuesOfSite = ({ info, units, ...fields }: Site) =>
	new Map([
		...listValues('site', { ...fields, siteId: null }),
		...listValues('info', info ?? {}),
		...(units ?? []).flatMap(valuesOfUnit),
	]);

/** Applies changes, and checks their old values. */
function carryOut(changes: readonly Change[], values: Map<string, unknown>) {
	for (const { kind, field, unit = {}, oldValue, newValue } of changes) {
		if (kind === 'unitAdded') {
			for (const [place, value] of valuesOfUnit(unit)) values.set(place, value);
		} else if (kind === 'unitRemoved') {
			for (const [place] of valuesOfUnit(unit)) values.delete(place);
		} else {
			const [owner = 'info'] = /unit|site/.exec(kind) ?? [];
			const place = [owner, unit.unitId, field].filter((part) => part !== undefined).join(' ');
			expect(values.get(place) ?? null).toEqual(oldValue);
			expect(newValue).not.toEqual(oldValue);
			values.delete(place);
			if (newValue !== null) values.set(place, newValue);
		}
	}
}

describe('compareSite', () => {
	it('ignores the order of fields and units', () => {
		fc.assert(
			fc.property(site, (made) => {
				expect(compareSite(stored(made), reordered(made)).changes).toEqual([]);
			}),
		);
	});

	it('finds every change between two random sites', () => {
		fc.assert(
			fc.property(site, site, (before, now) => {
				const [old, next] = [inWholeDegrees(whole(before)), inWholeDegrees(whole(now))];
				const { changes, site: memory } = compareSite(stored(old), next);
				const values = valuesOfSite(old);
				carryOut(changes, values);
				expect(values).toEqual(valuesOfSite(next));
				expect(compareSite(stored(memory), next).changes).toEqual([]);
			}),
		);
	});

	const at = (latitude: number, unitName = 'A'): Unit => ({
		unitName,
		latitude,
		longitude: 8.4127,
	});

	it.each<[string, (latitude: number) => Site]>([
		['info', (latitude) => ({ info: { latitude } })],
		['a unit', (latitude) => ({ units: [{ unitId: 1, latitude }] })],
		['units that share a name', (latitude) => ({ units: [at(latitude), at(latitude), at(64)] })],
	])('compares the position of %s to six decimals', (_name, make) => {
		const moved = (latitude: number) => found(make(63.5), make(latitude)).length > 0;

		expect([63.5, 63.500_000_4, 63.500_000_6].map(moved)).toEqual([false, false, true]);
	});

	it.each([{}, { info: null, units: null }])('remembers a section left out: %j', (missing) => {
		const memory: Site = { siteName: 'A', info: { license: 'L' }, units: [{ unitId: 1 }] };
		const silent = compareSite(memory, { siteName: 'A', ...missing });
		const back = compareSite(stored(silent.site), {
			siteName: 'A',
			info: { license: 'M' },
			units: [],
		});

		expect(silent.changes).toEqual([]);
		expect(back.changes.map(({ kind }) => kind)).toEqual(['licenseChanged', 'unitRemoved']);
	});

	describe('units', () => {
		const units = (
			...made: Array<{ unitId?: unknown; unitName?: string | null; depth?: number }>
		) => ({ units: made }) as Site;
		const named = (...names: Array<string | null>) =>
			units(...names.map((unitName) => ({ unitName })));
		const twins = (...names: string[]) =>
			units(...names.map((unitName) => ({ unitId: 1, unitName })));
		const depths = (...values: number[]) => units(...values.map((depth) => ({ unitId: 1, depth })));

		it.each<[string, Site, Site, string[]]>([
			['in another order', named('A', 'B', 'B', null), named(null, 'B', 'A', 'B'), []],
			['of one name', named('B'), named('B', 'B'), ['unitAdded undefined: null → B']],
			['of one ID in another order', twins('A', 'B'), twins('B', 'A'), []],
			['of one ID by their names', twins('A', 'B'), twins('B'), ['unitRemoved 1: A → null']],
			[
				'of one ID, all of one name, as a whole',
				depths(1, 2, 3),
				depths(3, 4, 1),
				['unitAdded 1: null → null', 'unitRemoved 1: null → null'],
			],
			[
				'without an ID by their names',
				named('A', 'B'),
				named('A', 'C'),
				['unitAdded undefined: null → C', 'unitRemoved undefined: B → null'],
			],
			[
				'of which one has no ID by their names',
				units({ unitId: 1, unitName: 'A' }, { unitName: 'B' }),
				units({ unitId: 1, unitName: 'A' }, { unitName: 'C' }),
				['unitAdded undefined: null → C', 'unitRemoved undefined: B → null'],
			],
			[
				'with an ID that only one answer repeats by their names',
				twins('A'),
				twins('B', 'A'),
				['unitAdded 1: null → B'],
			],
			[
				'that swap their names by their IDs, which may be texts',
				units({ unitId: 1, unitName: 'A' }, { unitId: 2, unitName: 'B' }),
				units({ unitId: 1, unitName: 'B' }, { unitId: '2', unitName: 'A' }),
				['unitRenamed 1: A → B', 'unitRenamed 2: B → A'],
			],
			[
				'of one name by their IDs',
				units({ unitId: 1, unitName: 'A' }),
				units({ unitId: 2, unitName: 'A' }),
				['unitAdded 2: null → A', 'unitRemoved 1: A → null'],
			],
		])('compares units %s', (_name, before, now, expected) => {
			expect(found(before, now)).toEqual(expected);
		});

		const pens = [7, 8, 9].map((unitId) => ({ unitId, unitName: `Pen ${unitId}`, depth: unitId }));
		const withoutId = pens.map(({ unitName, depth }) => ({ unitName, depth }));
		it.each([
			['their IDs', withoutId],
			['some of their IDs', [...withoutId.slice(1), ...pens.slice(0, 1)]],
		])('compares units by name if an answer lacks %s', (_what, bare) => {
			const deeper = bare.map((unit) => ({ ...unit, depth: 40 }));

			expect([
				found(units(...pens), units(...bare)),
				found(units(...bare), units(...pens)),
			]).toEqual([[], []]);
			expect(compareSite({ units: pens }, { units: deeper }).changes).toMatchObject(
				Array(3).fill({ kind: 'unitChanged', newValue: 40 }),
			);
		});

		it('compares units without a name as a whole if an answer lacks their IDs', () => {
			const nameless = pens.map(({ unitId, depth }) => ({ unitId, depth }));
			const bare = pens.map(({ depth }) => ({ depth }));

			expect(found(units(...nameless), units(...bare))).toEqual([]);
		});

		const anyUnit = fc.record(
			{
				unitId: fc.option(fc.constantFrom(1, 2, -1, 1e21)),
				unitName: fc.option(fc.constantFrom('', 'A', 'A 2', '1')),
			},
			{ requiredKeys: [] },
		);
		it('reports each added and removed unit (random)', () => {
			fc.assert(
				fc.property(fc.array(anyUnit), (units) => {
					const kinds = (before: Site, now: Site) =>
						compareSite(whole(before), whole(now)).changes.map(({ kind }) => kind);
					expect(kinds({}, { units })).toEqual(units.map(() => 'unitAdded'));
					expect(kinds({ units }, {})).toEqual(units.map(() => 'unitRemoved'));
				}),
			);
		});
	});

	it('ignores a null field that units with the same name gain', () => {
		const twins = [
			{ unitName: 'A', depth: 1 },
			{ unitName: 'A', depth: 2 },
		];
		const withNull = twins.map((unit) => ({ ...unit, closed: null }));

		expect(compareSite({ units: twins }, { units: withNull }).changes).toEqual([]);
	});

	describe('values of undocumented types', () => {
		const info = { license: 'L', maxTotalBiomass: 3120 };
		const units = [{ unitId: 1, unitName: 'A' }];
		const before: RawSite = { siteName: 'A', info, units };

		it.each<[string, RawSite, RawSite, unknown[][]]>([
			['no object as info', before, { ...before, info: 'x' }, []],
			['an object again', { info: 'x' }, { info }, []],
			['a number as name', before, { ...before, siteName: 7 }, [['siteName', 'A', 7]]],
			[
				'a list as licence',
				before,
				{ ...before, info: { ...info, license: ['L'] } },
				[['license', 'L', ['L']]],
			],
			['an ID as text', before, { ...before, units: [{ unitId: '1', unitName: 'A' }] }, []],
			[
				'a position as text',
				{ units: [{ unitId: 1, latitude: 63.5, longitude: 8 }] },
				{ units: [{ unitId: 1, latitude: '64 N', longitude: { deg: 8 } }] },
				[['position', '63.5, 8', '64 N, {"deg":8}']],
			],
			[
				'a field named position',
				{ units: [{ unitId: 1 }] },
				{ units: [{ unitId: 1, position: 'P1' }] },
				[['position', null, 'P1']],
			],
		])('are compared (%s)', (_name, old, now, expected) => {
			const { changes, site: memory } = compareSite(old, now);

			expect(changes.map(({ field, oldValue, newValue }) => [field, oldValue, newValue])).toEqual(
				expected,
			);
			expect(compareSite(JSON.parse(JSON.stringify(memory)) as RawSite, now).changes).toEqual([]);
		});

		const anySite = fc.dictionary(
			fc.constantFrom('siteId', 'siteName', 'info', 'units', 'depth'),
			fc.jsonValue({ maxDepth: 3 }),
		) as fc.Arbitrary<RawSite>;
		it('never prevent comparing and remembering a site (random)', () => {
			fc.assert(
				fc.property(anySite, anySite, (old, now) => {
					const { site: memory } = compareSite(old, now);
					const again = JSON.parse(JSON.stringify(memory)) as RawSite;
					expect(compareSite(again, now).changes).toEqual([]);
				}),
			);
		});
	});
});
