import fc from 'fast-check';
import type { Site, Unit } from '../../../../api/site';
import { SITES } from '../../../../emulator/sites';
import {
	compareSite,
	type SiteChange,
	type SiteMemory,
} from '../../../../nodes/Aquaculture/trigger/siteChanges';
import { CHANGE_KINDS, type Choice, type Watch } from '../../../../nodes/Aquaculture/trigger/watch';
import { reversed, site, text } from '../arbitrarySites';

const ANY: Watch = { kinds: ['any'], infoFields: null, additionalIncludes: [] };
const watching = (...kinds: Choice[]): Watch => ({ ...ANY, kinds });

/** What is remembered of a site once it has been read. */
const seen = (site: Site, watch = ANY): SiteMemory => compareSite({}, site, watch).memory;
const changesBetween = (before: Site, now: Site, watch = ANY) =>
	compareSite(seen(before, watch), now, watch).changes;
const told = (before: Site, now: Site, watch = ANY) =>
	changesBetween(before, now, watch).map(({ kind, field, unit, oldValue, newValue }) => [
		kind,
		field,
		unit?.unitId ?? null,
		oldValue,
		newValue,
	]);
/** The memory as it is after n8n has stored and loaded it. */
const stored = (memory: SiteMemory) => JSON.parse(JSON.stringify(memory)) as SiteMemory;

const reordered = (made: Site): Site => ({
	...(reversed(made) as Site),
	units: [...(reversed(made.units) as Unit[])].reverse(),
});

/** The same site without differences so small that they are no change. */
const inWholeDegrees = (made: Site) =>
	JSON.parse(JSON.stringify(made), (field, value: unknown) =>
		typeof value === 'number' && ['longitude', 'latitude'].includes(field)
			? Math.round(value) + 0
			: value,
	) as Site;

/** All values of a site by where they stand, after some changes; a position is one value. */
function stateOf(
	{ siteName, info, units, ...others }: Site,
	changes: readonly SiteChange[] = [],
): Map<string, unknown> {
	const state = new Map<string, unknown>();
	const put = (place: string, value: unknown) => {
		if (value === null || value === undefined) state.delete(place);
		else state.set(place, value);
	};
	const putUnit = ({ unitId, unitName, longitude, latitude, ...more }: Unit) => {
		put(`unit ${unitId}`, true);
		put(`unit ${unitId} unitName`, unitName);
		const isSomewhere = (latitude ?? longitude ?? null) !== null;
		const position = `${latitude ?? 'unknown'}, ${longitude ?? 'unknown'}`;
		put(`unit ${unitId} position`, isSomewhere ? position : null);
		for (const [field, value] of Object.entries(more)) put(`unit ${unitId} ${field}`, value);
	};
	put('site siteName', siteName);
	for (const [field, value] of Object.entries(info ?? {})) put(`info ${field}`, value);
	for (const [field, value] of Object.entries(others)) {
		if (field !== 'siteId') put(`site ${field}`, value);
	}
	(units ?? []).forEach(putUnit);

	for (const { kind, field, unit, newValue } of changes) {
		if (kind === 'unitAdded' && unit) putUnit(unit);
		else if (kind === 'unitRemoved') {
			for (const place of [...state.keys()]) {
				if (`${place} `.startsWith(`unit ${unit?.unitId} `)) state.delete(place);
			}
		} else if (unit) put(`unit ${unit.unitId} ${field}`, newValue);
		else put(`${kind === 'infoChanged' ? 'info' : 'site'} ${field}`, newValue);
	}
	return state;
}

describe('comparing a site with what is remembered of it', () => {
	it('tells of nothing when only the order has changed, and learns nothing', () => {
		fc.assert(
			fc.property(site, (made) => {
				const { changes, hasLearned } = compareSite(stored(seen(made)), reordered(made), ANY);
				expect(changes).toEqual([]);
				expect(hasLearned).toBe(false);
			}),
		);
	});

	it('tells of nothing of a site that it has not seen before', () => {
		fc.assert(
			fc.property(site, (made) => {
				expect(compareSite({}, made, ANY).changes).toEqual([]);
			}),
		);
	});

	it('remembers after a change what it would remember had it seen nothing else', () => {
		fc.assert(
			fc.property(site, site, (before, now) => {
				const { memory } = compareSite(stored(seen(before)), now, ANY);
				expect(compareSite(stored(memory), now, ANY).changes).toEqual([]);
				expect(compareSite(stored(seen(now)), now, ANY).changes).toEqual([]);
			}),
		);
	});

	it('tells of changes that make the new site of the old one', () => {
		fc.assert(
			fc.property(site, site, (before, now) => {
				const [old, next] = [inWholeDegrees(before), inWholeDegrees(now)];
				expect(stateOf(old, changesBetween(old, next))).toEqual(stateOf(next));
			}),
		);
	});

	it('tells of the way back what it has told of the way there, the other way round', () => {
		const opposite: Record<string, string> = { unitAdded: 'unitRemoved', unitRemoved: 'unitAdded' };
		fc.assert(
			fc.property(site, site, (before, now) => {
				const there = told(before, now).map(([kind, field, unitId, oldValue, newValue]) =>
					JSON.stringify([opposite[kind as string] ?? kind, field, unitId, newValue, oldValue]),
				);
				const back = told(now, before).map((change) => JSON.stringify(change));
				expect(back.sort()).toEqual(there.sort());
			}),
		);
	});

	it.each(CHANGE_KINDS)('watching %s alone tells of the same changes of that kind', (kind) => {
		fc.assert(
			fc.property(site, site, (before, now) => {
				const all = told(before, now).filter(([found]) => found === kind);
				expect(told(before, now, watching(kind))).toEqual(all);
			}),
		);
	});

	const fieldEdit = fc.constantFrom('code', 'license', 'timezone', 'type', 'depth', '__proto__');
	it('tells exactly of a field of the info that was edited', () => {
		fc.assert(
			fc.property(site, fieldEdit, text, (made, field, value) => {
				const old = Object.hasOwn(made.info ?? {}, field)
					? ((made.info as Record<string, unknown>)[field] ?? null)
					: null;
				fc.pre(JSON.stringify(old) !== JSON.stringify(value));
				const fields = Object.entries(made.info ?? {}).filter(([name]) => name !== field);
				const edited = { ...made, info: Object.fromEntries([...fields, [field, value]]) };

				expect(told(made, edited)).toEqual([['infoChanged', field, null, old, value]]);
			}),
		);
	});

	it('tells exactly of a unit that came, went, moved, or has another name or another field', () => {
		fc.assert(
			fc.property(
				site.filter((made) => (made.units ?? []).length > 0),
				fc.nat(),
				text,
				(made, seed, name) => {
					const all = made.units ?? [];
					const chosen = all[seed % all.length] as Unit;
					const replaced = (edit: object): Site => ({
						...made,
						units: all.map((one) => (one === chosen ? { ...one, ...edit } : one)),
					});
					const others = { ...made, units: all.filter((one) => one !== chosen) };
					const { unitId, unitName = null } = chosen;
					const label = unitName ?? null;

					expect(told(made, others)).toEqual([['unitRemoved', null, unitId, label, null]]);
					expect(told(others, made)).toEqual([['unitAdded', null, unitId, null, label]]);
					expect(told(made, replaced({ unitName: `${label} ${name}!` }))).toEqual([
						['unitRenamed', 'unitName', unitId, label, `${label} ${name}!`],
					]);
					const moved = told(made, replaced({ latitude: 91, longitude: 181 }));
					expect(moved.map(([kind, field, id, , to]) => [kind, field, id, to])).toEqual([
						['unitMoved', 'position', unitId, '91, 181'],
					]);
					expect(told(made, replaced({ volume: name }))).toEqual([
						['unitChanged', 'volume', unitId, null, name],
					]);
				},
			),
		);
	});
});

describe('coordinates', () => {
	const [storvagen] = SITES as [Site];
	const at = (latitude: number | null, longitude = 8.4127): Site => ({
		...storvagen,
		info: { ...storvagen.info, latitude, longitude },
		units: [{ unitId: 1, unitName: 'Merd 1', latitude, longitude }],
	});

	it('that differ by less than a millionth of a degree are the same', () => {
		expect(told(at(63.5), at(63.5000009))).toEqual([]);
		expect(told(at(63.5), at(63.5000011))).toEqual([
			['infoChanged', 'latitude', null, 63.5, 63.5000011],
			['unitMoved', 'position', 1, '63.5, 8.4127', '63.5000011, 8.4127'],
		]);
	});

	it('that drift in steps below it are told of once they have come so far', () => {
		let memory = seen(at(63.5));
		const found = [];
		for (let step = 1; step <= 25; step++) {
			const comparison = compareSite(stored(memory), at(63.5 + step * 1e-7), ANY);
			memory = comparison.memory;
			found.push(...comparison.changes.filter(({ kind }) => kind === 'unitMoved'));
		}
		expect(found).toHaveLength(2);
	});

	it('that appear or disappear are a change', () => {
		expect(told(at(63.5), at(null))).toEqual([
			['infoChanged', 'latitude', null, 63.5, null],
			['unitMoved', 'position', 1, '63.5, 8.4127', 'unknown, 8.4127'],
		]);
	});

	it('are told of as a position that was not there before', () => {
		const nowhere: Site = { units: [{ unitId: 1, latitude: null }] };

		expect(told(nowhere, { units: [{ unitId: 1, latitude: 63.5, longitude: 8.4 }] })).toEqual([
			['unitMoved', 'position', 1, null, '63.5, 8.4'],
		]);
	});

	it('are all that may differ a little: a limit of biomass is compared as it is', () => {
		const limited = (maxTotalBiomass: number): Site => ({ info: { maxTotalBiomass } });
		expect(told(limited(3120), limited(3120.0000001))).toHaveLength(1);
	});
});

describe('what the service leaves out', () => {
	const whole: Site = {
		siteName: 'A',
		info: { license: 'L', code: null },
		units: [{ unitId: 1, unitName: 'Merd 1' }],
	};

	it('is the same as null', () => {
		const without: Site = { siteName: 'A', info: { license: 'L' }, units: [{ unitId: 1 }] };
		const nulls: Site = { ...without, info: { license: 'L', code: null, type: null } };
		expect(told(without, nulls)).toEqual([]);
		expect(told(nulls, without)).toEqual([]);
		expect(told({ siteName: null, units: [] }, { units: [] })).toEqual([]);
	});

	it.each([{}, { info: null, units: null }])('says nothing of info and units: %j', (missing) => {
		const memory = seen(whole);
		const silent = compareSite(memory, { siteName: 'A', ...missing }, ANY);

		expect([silent.changes, silent.hasLearned]).toEqual([[], false]);
		const back: Site = { ...whole, info: { license: 'M' }, units: [] };
		expect(compareSite(stored(silent.memory), back, ANY).changes).toMatchObject([
			{ kind: 'infoChanged', oldValue: 'L', newValue: 'M' },
			{ kind: 'unitRemoved' },
		]);
	});

	it('takes no room in the memory', () => {
		const nulls: Site = { info: { code: null }, units: [{ unitId: 1, unitName: null }] };
		const { info: fields, units: list } = seen(nulls);

		expect([fields?.values, list?.list]).toEqual([{}, [{ unitId: 1 }]]);
		expect(compareSite({}, { siteName: null }, watching('siteRenamed')).hasLearned).toBe(false);
	});

	it('is learned without a word when it comes for the first time', () => {
		const { changes, hasLearned } = compareSite(seen({ siteName: 'A' }), whole, ANY);
		expect([changes, hasLearned]).toEqual([[], true]);
	});
});

describe('units without an ID', () => {
	const named = (...names: Array<string | null>): Site => ({
		units: names.map((unitName) => ({ unitName })),
	});

	it('are told apart by their names', () => {
		expect(told(named('A', 'B', 'B', null), named(null, 'B', 'A', 'B'))).toEqual([]);
		expect(told(named('A', 'B'), named('A', 'C'))).toEqual([
			['unitAdded', null, null, null, 'C'],
			['unitRemoved', null, null, 'B', null],
		]);
		expect(told(named('B'), named('B', 'B'))).toEqual([['unitAdded', null, null, null, 'B']]);
	});

	it('are told apart by their positions where they have one name', () => {
		const [north, south] = [{ latitude: 64 }, { latitude: 63 }];

		expect(told({ units: [north, south] }, { units: [south, north] })).toEqual([]);
	});
});

describe('each unit is told of by itself', () => {
	const given = (...units: Unit[]): Site => ({ units });

	it.each<[string, Site, Unit]>([
		[
			'a name that ends in a number',
			given({ unitName: 'x' }, { unitName: 'x' }),
			{ unitName: 'x #2' },
		],
		['a name like an ID', given({ unitId: 7 }), { unitName: '7' }],
		[
			'a name like that of two units with one ID',
			given({ unitId: 7 }, { unitId: 7 }),
			{ unitName: '7 #2' },
		],
		['a name like an older key', given({ unitName: 'A' }), { unitName: 'name A' }],
		['a name like JSON', given({ unitId: 7 }), { unitName: '[7,1]' }],
	])('%s', (_, others, unit) => {
		const all = given(...(others.units ?? []), unit);
		const name = unit.unitName;

		expect(told(all, others)).toEqual([['unitRemoved', null, null, name, null]]);
		expect(told(others, all)).toEqual([['unitAdded', null, null, null, name]]);
	});

	const anyUnit = fc.record(
		{
			unitId: fc.option(fc.constantFrom(1, 2, -1, 1e21)),
			unitName: fc.option(fc.constantFrom('', 'A', 'A #2', 'A 2', '1', '1 2')),
		},
		{ requiredKeys: [] },
	);
	it('whatever its ID and its name are', () => {
		fc.assert(
			fc.property(fc.array(anyUnit), (units) => {
				const coming = told({ units: [] }, { units });
				const going = told({ units }, { units: [] });

				expect(coming.map(([kind]) => kind)).toEqual(units.map(() => 'unitAdded'));
				expect(going.map(([kind]) => kind)).toEqual(units.map(() => 'unitRemoved'));
			}),
		);
	});
});

describe('many units', () => {
	it.each<[string, (index: number) => Unit]>([
		['without ID and name', () => ({})],
		['with one name', () => ({ unitName: 'Merd' })],
		['with one ID', (index) => ({ unitId: 1, unitName: `Merd ${index}` })],
		['at places of their own', (index) => ({ latitude: index / 1000 })],
		['with IDs', (index) => ({ unitId: index, unitName: `Merd ${index}` })],
	])('%s are compared in no time', (_, unitAt) => {
		const units = Array.from({ length: 20_000 }, (_unit, index) => unitAt(index));
		const beganAt = performance.now();

		expect(told({ units }, { units: [...units].reverse() })).toEqual([]);
		const removed = told({ units }, { units: units.slice(1) }).filter(
			([kind]) => kind === 'unitRemoved',
		);
		expect(removed).toHaveLength(1);
		expect(performance.now() - beganAt).toBeLessThan(5000);
	});
});

describe('a watch that is changed', () => {
	const before: Site = {
		siteName: 'A',
		owner: 'X',
		info: { license: 'L', code: 'C' },
		units: [{ unitId: 1, unitName: 'Merd 1', latitude: 1, longitude: 1, volume: 5 }],
	};
	const now: Site = {
		siteName: 'B',
		owner: 'Y',
		extra: 1,
		info: { license: 'M', code: 'D', depth: 3 },
		units: [{ unitId: 1, unitName: 'Merd 1B', latitude: 2, longitude: 2, volume: 6 }],
	};
	const kindsFound = (old: Watch, watch: Watch) => {
		const { changes, hasLearned } = compareSite(stored(seen(before, old)), now, watch);
		return [...changes.map(({ kind, field }) => `${kind} ${field}`), ...(hasLearned ? ['…'] : [])];
	};

	it.each<[Choice[], string[]]>([
		[['siteRenamed'], ['siteRenamed siteName', '…']],
		[['unitMoved'], ['unitMoved position', '…']],
		[
			['unitRenamed', 'unitRemoved'],
			['unitRenamed unitName', '…'],
		],
		[['unitChanged'], ['unitChanged volume', '…']],
		[['siteChanged'], ['siteChanged owner', 'siteChanged extra', '…']],
	])('tells only of what was watched before: %j', (kinds, expected) => {
		expect(kindsFound(watching(...kinds), ANY)).toEqual(expected);
	});

	it('learns fields of the info that are watched from now on', () => {
		const some: Watch = { ...watching('infoChanged'), infoFields: ['license'] };
		const others: Watch = { ...some, infoFields: ['code'] };
		expect(kindsFound(some, watching('infoChanged'))).toEqual(['infoChanged license', '…']);
		expect(kindsFound(watching('infoChanged'), some)).toEqual(['infoChanged license']);
		expect(kindsFound(others, some)).toEqual(['…']);
	});

	it('learns all further fields anew when other parts of the site are asked for', () => {
		const more: Watch = { ...watching('siteChanged'), additionalIncludes: ['sensors'] };
		expect(kindsFound(watching('siteChanged'), more)).toEqual(['…']);
		expect(kindsFound(more, watching('siteChanged'))).toEqual(['…']);
	});

	it('learns fields of the units that are watched from now on, and remembers no others', () => {
		const renamed = watching('unitRenamed');

		expect(seen(before, renamed).units?.list).toEqual([{ unitId: 1, unitName: 'Merd 1' }]);
		expect(kindsFound(renamed, watching('unitChanged'))).toEqual(['…']);
	});

	it('learns which units there are where neither a new nor a removed one is told of', () => {
		const renamed = watching('unitRenamed');
		const learns = (there: Site, here: Site) =>
			compareSite(seen(there, renamed), here, renamed).hasLearned;

		expect(learns(before, before)).toBe(false);
		expect(learns(before, { units: [] })).toBe(true);
		expect(learns({ units: [] }, before)).toBe(true);
	});

	it('forgets what is not watched any more', () => {
		expect(compareSite(seen(before), now, watching('siteRenamed')).memory).toEqual({
			siteName: 'B',
		});
	});
});
