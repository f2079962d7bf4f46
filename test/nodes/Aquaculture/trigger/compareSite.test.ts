import fc from 'fast-check';
import type { Site, Unit } from '../../../../service/siteAnswer';
import {
	compareSite,
	UNKNOWN_SITE,
	type SiteChange,
	type WatchedSite,
} from '../../../../nodes/Aquaculture/trigger/compareSite';
import {
	CHANGE_KINDS,
	INFO_KINDS,
	type ChangeKind,
} from '../../../../nodes/Aquaculture/trigger/changeKinds';
import type { Choice, Watch } from '../../../../nodes/Aquaculture/trigger/watch';
import { reversed, site } from '../arbitrarySites';

const ANY: Watch = { kinds: ['any'], additionalIncludes: [] };
const watching = (...kinds: Choice[]): Watch => ({ ...ANY, kinds });

/** What is remembered of a site once it has been read. */
const seen = (site: Site, watch = ANY): WatchedSite => compareSite(UNKNOWN_SITE, site, watch).now;
const found = (before: Site, now: Site, watch = ANY) =>
	compareSite(seen(before, watch), now, watch).changes.map(
		({ kind, field, unit, oldValue, newValue }) => {
			return [kind, field, unit?.unitId ?? null, oldValue, newValue];
		},
	);
/** The memory as it is after n8n has stored and loaded it. */
const stored = (memory: WatchedSite) => JSON.parse(JSON.stringify(memory)) as WatchedSite;

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

const valuesOf = (place: string, fields: object) =>
	Object.entries(fields)
		.filter(([, value]) => value !== null && value !== undefined)
		.map(([field, value]) => [`${place} ${field}`, value as unknown] as const);

/** The position counts as one value. */
const valuesOfUnit = ({ latitude, longitude, ...fields }: Unit) => {
	const isSomewhere = (latitude ?? longitude ?? null) !== null;
	const position = isSomewhere ? `${latitude ?? 'unknown'}, ${longitude ?? 'unknown'}` : null;
	return valuesOf(`unit ${fields.unitId}`, { ...fields, position });
};

/** All values of a site by their places; without its ID, which never changes. */
const valuesOfSite = ({ info, units, ...fields }: Site) =>
	new Map([
		...valuesOf('site', { ...fields, siteId: null }),
		...valuesOf('info', info ?? {}),
		...(units ?? []).flatMap(valuesOfUnit),
	]);

/** Carries out changes, each of which must be from the value that is there to another one. */
function carryOut(changes: readonly SiteChange[], values: Map<string, unknown>) {
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

it('comparing a site with what is remembered of it finds nothing in a site that is new, nor where only the order has changed', () => {
	fc.assert(
		fc.property(site, (made) => {
			expect(compareSite(UNKNOWN_SITE, made, ANY).changes).toEqual([]);
			const { changes, hasLearned } = compareSite(stored(seen(made)), reordered(made), ANY);
			expect([changes, hasLearned]).toEqual([[], false]);
		}),
	);
});

it('comparing a site with what is remembered of it finds changes that make the new site of the old one, and remembers the new one', () => {
	fc.assert(
		fc.property(site, site, (before, now) => {
			const [old, next] = [inWholeDegrees(before), inWholeDegrees(now)];
			const { changes, now: memory } = compareSite(stored(seen(old)), next, ANY);
			const values = valuesOfSite(old);
			carryOut(changes, values);
			expect(values).toEqual(valuesOfSite(next));
			expect(compareSite(stored(memory), next, ANY).changes).toEqual([]);
		}),
	);
});

it.each(CHANGE_KINDS)(
	'comparing a site while only %s is watched finds the same changes of that kind',
	(kind) => {
		fc.assert(
			fc.property(site, site, (before, now) => {
				const wanted = kind === 'infoChanged' ? INFO_KINDS : [kind];
				const all = found(before, now).filter(([other]) => wanted.includes(other as ChangeKind));
				expect(found(before, now, watching(kind))).toEqual(all);
			}),
		);
	},
);

describe('coordinates', () => {
	const at = (latitude: number | null, longitude = 8.4127): Site => ({
		units: [{ unitId: 1, latitude, longitude }],
	});

	it.each([
		['latitude', 0, 9e-7, true],
		['longitude', 5.000_000_1, 5, true],
		['latitude', 0, 1e-6, false],
		['longitude', 63.5, null, false],
		['latitude', null, 63.5, false],
		['maxTotalBiomass', 3120, 3120.000_000_1, false],
	])('coordinates of the info: %s %j and %j are the same: %j', (field, one, other, isSame) => {
		const kind = field === 'maxTotalBiomass' ? 'biomassLimitChanged' : 'infoChanged';
		const change = [kind, field, null, one, other];

		expect(found({ info: { [field]: one } }, { info: { [field]: other } })).toEqual(
			isSame ? [] : [change],
		);
	});

	it('coordinates that drift in tiny steps are a change once they have come far enough', () => {
		let memory = seen(at(63.5));
		const drifts = [];
		for (let step = 1; step <= 25; step++) {
			const comparison = compareSite(stored(memory), at(63.5 + step * 1e-7), ANY);
			memory = comparison.now;
			drifts.push(...comparison.changes);
		}
		expect(drifts).toHaveLength(2);
	});
});

describe('the kind of a change', () => {
	const before: Site = { info: { license: 'L', maxTotalBiomass: 1, code: 'C', constructor: 1 } };
	const now: Site = { info: { license: 'M', maxTotalBiomass: 2, code: 'D', constructor: 2 } };
	const licence = ['licenceChanged', 'license', null, 'L', 'M'];
	const limit = ['biomassLimitChanged', 'maxTotalBiomass', null, 1, 2];
	const rest = [
		['infoChanged', 'code', null, 'C', 'D'],
		['infoChanged', 'constructor', null, 1, 2],
	];

	it.each<[Choice[], unknown[][]]>([
		[['any'], [licence, limit, ...rest]],
		[['infoChanged'], [licence, limit, ...rest]],
		[
			['infoChanged', 'licenceChanged'],
			[licence, limit, ...rest],
		],
		[['licenceChanged'], [licence]],
		[
			['biomassLimitChanged', 'licenceChanged'],
			[licence, limit],
		],
	])('the kind of a change is the most specific one, once, with %j', (kinds, expected) => {
		expect(found(before, now, watching(...kinds))).toEqual(expected);
	});
});

describe('what the service leaves out', () => {
	const whole: Site = {
		siteName: 'A',
		info: { license: 'L', code: null },
		units: [{ unitId: 1, unitName: 'Merd 1' }],
	};

	it('what the service leaves out is the same as null', () => {
		const without: Site = { siteName: 'A', info: { license: 'L' }, units: [{ unitId: 1 }] };
		const nulls: Site = { ...without, info: { license: 'L', code: null, type: null } };
		expect(found(without, nulls)).toEqual([]);
		expect(found(nulls, without)).toEqual([]);
		expect(found({ siteName: null, units: [] }, { units: [] })).toEqual([]);
	});

	it.each([{}, { info: null, units: null }])(
		'what the service leaves out means nothing for info and units: %j',
		(missing) => {
			const memory = seen(whole);
			const silent = compareSite(memory, { siteName: 'A', ...missing }, ANY);

			expect([silent.changes, silent.hasLearned]).toEqual([[], false]);
			const back: Site = { ...whole, info: { license: 'M' }, units: [] };
			expect(compareSite(stored(silent.now), back, ANY).changes).toMatchObject([
				{ kind: 'licenceChanged', oldValue: 'L', newValue: 'M' },
				{ kind: 'unitRemoved' },
			]);
		},
	);

	it('what the service leaves out is learned again if something else was watched before it was left out', () => {
		const silent = compareSite(seen(whole, watching('infoChanged')), { siteName: 'A' }, ANY);
		const back = compareSite(stored(silent.now), { ...whole, info: { license: 'M' } }, ANY);

		expect([silent.changes, silent.now.site]).toEqual([[], { siteName: 'A' }]);
		expect([back.changes, back.hasLearned]).toEqual([[], true]);
	});

	it('what the service leaves out takes no room in the memory', () => {
		const nulls: Site = { info: { code: null }, units: [{ unitId: 1, unitName: null }] };

		expect(seen(nulls).site).toEqual({ info: {}, units: [{ unitId: 1 }] });
		const nameless = compareSite(UNKNOWN_SITE, { siteName: null }, watching('siteRenamed'));
		expect(nameless.hasLearned).toBe(false);
	});
});

describe('units', () => {
	const given = (...units: Unit[]): Site => ({ units });
	const named = (...names: Array<string | null>) =>
		given(...names.map((unitName) => ({ unitName })));

	it('units without an ID are told apart by their names, and those of one name by their positions', () => {
		expect(found(named('A', 'B', 'B', null), named(null, 'B', 'A', 'B'))).toEqual([]);
		expect(found(named('A', 'B'), named('A', 'C'))).toEqual([
			['unitAdded', null, null, null, 'C'],
			['unitRemoved', null, null, 'B', null],
		]);
		expect(found(named('B'), named('B', 'B'))).toEqual([['unitAdded', null, null, null, 'B']]);
		const [north, south] = [{ latitude: 64 }, { latitude: 63 }];
		expect(found(given(north, south), given(south, north))).toEqual([]);
	});

	it('units that share an ID are told apart by their names first: one that is renamed is one change', () => {
		const twins = (...names: string[]) =>
			given(...names.map((unitName) => ({ unitId: 1, unitName })));

		expect(found(twins('A', 'B'), twins('0', 'A'))).toEqual([
			['unitRenamed', 'unitName', 1, 'B', '0'],
		]);
		expect(found(twins('A', 'B'), twins('B', 'Z', 'A'))).toEqual([
			['unitAdded', null, 1, null, 'Z'],
		]);
		expect(found(twins('A', 'B'), twins('B'))).toEqual([['unitRemoved', null, 1, 'A', null]]);
	});

	it('units that share a name and do not move stay the same beside one that moves', () => {
		const at = (...latitudes: number[]) =>
			given(...latitudes.map((latitude) => ({ unitName: 'A', latitude, longitude: 8 })));

		expect(found(at(63, 64), at(64, 65))).toEqual([
			['unitMoved', 'position', null, '63, 8', '65, 8'],
		]);
	});

	const anyUnit = fc.record(
		{
			unitId: fc.option(fc.constantFrom(1, 2, -1, 1e21)),
			unitName: fc.option(fc.constantFrom('', 'A', 'A #2', 'A 2', '1', '1 #2', '[1,1]')),
		},
		{ requiredKeys: [] },
	);
	it('units come and go one by one, whatever their IDs and names are', () => {
		fc.assert(
			fc.property(fc.array(anyUnit), (units) => {
				const coming = found(given(), { units });
				const going = found({ units }, given());

				expect(coming.map(([kind]) => kind)).toEqual(units.map(() => 'unitAdded'));
				expect(going.map(([kind]) => kind)).toEqual(units.map(() => 'unitRemoved'));
			}),
		);
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

	const sensors: Watch = { ...watching('siteChanged'), additionalIncludes: ['sensors'] };
	it.each<[string, Watch, Watch, string[]]>([
		['siteRenamed', watching('siteRenamed'), ANY, ['siteRenamed siteName', '…']],
		['unitMoved', watching('unitMoved'), ANY, ['unitMoved position', '…']],
		[
			'unitRenamed and unitRemoved',
			...([watching('unitRenamed', 'unitRemoved'), ANY] as const),
			['unitRenamed unitName', '…'],
		],
		['unitChanged', watching('unitChanged'), ANY, ['unitChanged volume', '…']],
		[
			'siteChanged',
			...([watching('siteChanged'), ANY] as const),
			['siteChanged owner', 'siteChanged extra', '…'],
		],
		['unitRenamed, now unitChanged', watching('unitRenamed'), watching('unitChanged'), ['…']],
		[
			'a licence, now all info',
			...([watching('licenceChanged'), watching('infoChanged')] as const),
			['licenceChanged license', '…'],
		],
		[
			'all info, now a licence',
			...([watching('infoChanged'), watching('licenceChanged')] as const),
			['licenceChanged license'],
		],
		[
			'a limit, now a licence',
			...([watching('biomassLimitChanged'), watching('licenceChanged')] as const),
			['…'],
		],
		['sensors, now none', sensors, watching('siteChanged'), ['…']],
		['no sensors, now some', watching('siteChanged'), sensors, ['…']],
	])(
		'a watch that is changed finds only changes of what was watched before: %s',
		(_name, old, watch, expected) => {
			expect(kindsFound(old, watch)).toEqual(expected);
		},
	);

	it('a watch that is changed learns which units there are where neither a new nor a removed one is reported', () => {
		const renamed = watching('unitRenamed');
		const learns = (there: Site, here: Site) =>
			compareSite(seen(there, renamed), here, renamed).hasLearned;

		expect(learns(before, before)).toBe(false);
		expect(learns(before, { units: [] })).toBe(true);
		expect(learns({ units: [] }, before)).toBe(true);
	});

	it('a watch that is changed remembers nothing that is not watched', () => {
		const comparison = compareSite(seen(before), now, watching('siteRenamed'));

		expect(comparison.now.site).toEqual({ siteName: 'B' });
		expect(seen(before, watching('licenceChanged')).site).toEqual({ info: { license: 'L' } });
		expect(seen(before, watching('unitRenamed')).site).toEqual({
			units: [{ unitId: 1, unitName: 'Merd 1' }],
		});
	});
});
