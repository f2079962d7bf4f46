import fc from '../../../fixedSeed';
import { compareSite, type Change } from '../../../../nodes/Aquaculture/trigger/compareSite';
import type { SentSite, Site, Unit } from '../../../../nodes/Aquaculture/service/site';
import { reversed, site } from '../arbitrarySites';

const whole = (made: Site): Site => ({ info: {}, units: [], ...made });
const found = (before: Site, now: Site) =>
	compareSite(whole(before), whole(now)).changes.map(
		({ kind, field, unit, oldValue, newValue }) => {
			return [kind, field, unit?.unitId ?? null, oldValue, newValue];
		},
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

	it.each([{}, { info: null, units: null }])(
		'keeps comparing with the remembered section if the service leaves it out: %j',
		(missing) => {
			const memory: Site = { siteName: 'A', info: { license: 'L' }, units: [{ unitId: 1 }] };
			const silent = compareSite(memory, { siteName: 'A', ...missing });
			const back = compareSite(stored(silent.site), { siteName: 'A', info: { license: 'M' } });

			expect(silent.changes).toEqual([]);
			expect(back.changes).toMatchObject([
				{ kind: 'licenseChanged', oldValue: 'L', newValue: 'M' },
			]);
		},
	);

	describe('units', () => {
		const named = (...names: Array<string | null>): Site => ({
			units: names.map((unitName) => ({ unitName })),
		});
		const twins = (...names: string[]): Site => ({
			units: names.map((unitName) => ({ unitId: 1, unitName })),
		});
		const depths = (...values: number[]): Site => ({
			units: values.map((depth) => ({ unitId: 1, depth })),
		});

		it.each<[string, Site, Site, unknown[][]]>([
			['in another order', named('A', 'B', 'B', null), named(null, 'B', 'A', 'B'), []],
			[
				'without an ID by their names',
				...([named('A', 'B'), named('A', 'C')] as const),
				[
					['unitAdded', null, null, null, 'C'],
					['unitRemoved', null, null, 'B', null],
				],
			],
			['of one name', named('B'), named('B', 'B'), [['unitAdded', null, null, null, 'B']]],
			['of one ID in another order', twins('A', 'B'), twins('B', 'A'), []],
			[
				'of one ID by their names',
				...([twins('A', 'B'), twins('B')] as const),
				[['unitRemoved', null, 1, 'A', null]],
			],
			[
				'of one ID, all of one name, as a whole',
				...([depths(1, 2, 3), depths(3, 4, 1)] as const),
				[
					['unitAdded', null, 1, null, null],
					['unitRemoved', null, 1, null, null],
				],
			],
			[
				'with an ID that only one answer repeats by their names',
				...([twins('A'), twins('B', 'A')] as const),
				[['unitAdded', null, 1, null, 'B']],
			],
			[
				'that swap their names by their IDs',
				...([
					{
						units: [
							{ unitId: 1, unitName: 'A' },
							{ unitId: 2, unitName: 'B' },
						],
					},
					{
						units: [
							{ unitId: 1, unitName: 'B' },
							{ unitId: '2', unitName: 'A' },
						],
					},
				] as unknown as [Site, Site]),
				[
					['unitRenamed', 'unitName', 1, 'A', 'B'],
					['unitRenamed', 'unitName', '2', 'B', 'A'],
				],
			],
		])('compares units %s', (_name, before, now, expected) => {
			expect(found(before, now)).toEqual(expected);
		});

		const pens: Site = {
			units: [7, 8, 9].map((unitId) => ({ unitId, unitName: `Pen ${unitId}`, depth: unitId })),
		};
		const without = (fields: ReadonlyArray<keyof Unit>, { units }: Site): Site => ({
			units: (units ?? []).map((unit) => ({
				...unit,
				...Object.fromEntries(fields.map((field) => [field, undefined])),
			})),
		});
		it.each<[string, Site]>([
			['their IDs', without(['unitId'], pens)],
			[
				'some of their IDs',
				{
					units: [
						...(without(['unitId'], pens).units ?? []).slice(1),
						...(pens.units ?? []).slice(0, 1),
					],
				},
			],
		])('compares units by name if an answer lacks %s', (_what, bare) => {
			const deeper: Site = { units: bare.units?.map((unit) => ({ ...unit, depth: 40 })) };

			expect([found(pens, bare), found(bare, pens)]).toEqual([[], []]);
			expect(found(pens, deeper).map(([kind]) => kind)).toEqual(
				pens.units?.map(() => 'unitChanged'),
			);
		});

		it('compares units without a name as a whole if an answer lacks their IDs', () => {
			const nameless = without(['unitName'], pens);

			expect(found(nameless, without(['unitId'], nameless))).toEqual([]);
		});

		it('does not match units of one name that have different IDs', () => {
			const pen = (unitId: number): Site => ({ units: [{ unitId, unitName: 'Pen' }] });

			expect(found(pen(1), pen(2)).map(([kind]) => kind)).toEqual(['unitAdded', 'unitRemoved']);
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
					const kinds = (before: Site, now: Site) => found(before, now).map(([kind]) => kind);
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
		const before: SentSite = { siteName: 'A', info, units };

		it.each<[string, SentSite, SentSite, unknown[][]]>([
			['no object as info', before, { ...before, info: 'x' }, []],
			['an object again', { info: 'x' }, { info }, []],
			['no list', before, { ...before, units: 'x' }, []],
			['a list of numbers', before, { ...before, units: [2] }, []],
			[
				'a number as name',
				{ siteName: 'A' },
				{ siteName: 7 },
				[['siteRenamed', 'siteName', 'A', 7]],
			],
			[
				'a list as licence',
				...([{ info: { license: 'L' } }, { info: { license: ['L'] } }] as const),
				[['licenseChanged', 'license', 'L', ['L']]],
			],
			['an ID as text', { units }, { units: [{ unitId: '1', unitName: 'A' }] }, []],
			[
				'a position as text',
				...([
					{ units: [{ unitId: 1, latitude: 63.5, longitude: 8 }] },
					{ units: [{ unitId: 1, latitude: '64 N', longitude: { deg: 8 } }] },
				] as const),
				[['unitMoved', 'position', '63.5, 8', '64 N, {"deg":8}']],
			],
			[
				'a field named position',
				...([{ units: [{ unitId: 1 }] }, { units: [{ unitId: 1, position: 'P1' }] }] as const),
				[['unitChanged', 'position', null, 'P1']],
			],
		])('are compared (%s)', (_name, old, now, expected) => {
			const { changes, site: memory } = compareSite(old, now);

			expect(
				changes.map(({ kind, field, oldValue, newValue }) => [kind, field, oldValue, newValue]),
			).toEqual(expected);
			expect(compareSite(JSON.parse(JSON.stringify(memory)) as SentSite, now).changes).toEqual([]);
		});

		const anySite = fc.dictionary(
			fc.constantFrom('siteId', 'siteName', 'info', 'units', 'depth'),
			fc.jsonValue({ maxDepth: 3 }),
		) as fc.Arbitrary<SentSite>;
		it('never prevent comparing and remembering a site (random)', () => {
			fc.assert(
				fc.property(anySite, anySite, (old, now) => {
					const { site: memory } = compareSite(old, now);
					const again = JSON.parse(JSON.stringify(memory)) as SentSite;
					expect(compareSite(again, now).changes).toEqual([]);
				}),
			);
		});
	});
});
