import { toItems } from '../../../../nodes/Aquaculture/trigger/changeItem';
import { hasNewBaseline, type RememberedSites } from '../../../../nodes/Aquaculture/trigger/memory';
import { findChanges } from '../../../../nodes/Aquaculture/trigger/findChanges';
import {
	CHANGE_KINDS,
	type ChangeKind,
} from '../../../../nodes/Aquaculture/trigger/triggerSettings';
import type { PollSetup } from '../../../../nodes/Aquaculture/trigger/pollSetup';
import type { RawSite } from '../../../../nodes/Aquaculture/service/site';

const SITE: RawSite = { siteName: 'A', info: { license: 'L1', code: 'C1' }, units: [] };

function poll(
	remembered: RememberedSites,
	site: RawSite,
	minute: number,
	changeKinds: readonly ChangeKind[] = CHANGE_KINDS,
) {
	const setup = {
		settings: { changeKinds: new Set(changeKinds) },
		sites: [{ siteId: 1, siteName: null }],
		remembered,
	} as unknown as PollSetup;
	const seenAt = `2026-03-02T07:0${minute}:00.000Z`;
	const { compared, toRemember: sites } = findChanges(
		setup,
		new Map([[1, { siteId: 1, site, seenAt }]]),
	);
	const items = compared.flatMap((changes) => toItems('trigger', changes));
	return {
		ids: items.map(({ changeId }) => changeId),
		summaries: items.map(({ summary }) => summary),
		mustBeStored: hasNewBaseline(sites, remembered),
		sites,
	};
}

/** Polls once for each state of the site. @param minutes of the polls. @returns the IDs of the changes. */
function idsOf(states: readonly RawSite[], minutes: readonly number[] = [...states.keys()]) {
	let sites: RememberedSites = new Map();
	return states.flatMap((site, index) => {
		const found = poll(sites, site, minutes[index] ?? 0);
		sites = found.sites;
		return found.ids;
	});
}

const withInfo = (info: object) => ({ ...SITE, info: { license: 'L1', code: 'C1', ...info } });

it('a change that is found again with the stored memory, as after a crash, keeps its ID', () => {
	const stored = poll(new Map(), SITE, 0).sites;
	const kept = poll(stored, SITE, 1).sites;
	const changed = withInfo({ license: 'L2', code: 'C2' });

	const first = poll(kept, changed, 2);
	const again = poll(stored, changed, 3);

	expect(first.ids).toHaveLength(2);
	expect(again.ids).toEqual(first.ids);
});

const withUnits = (...units: object[]) => ({ ...SITE, units });
const withVolumes = (...volumes: number[]) =>
	withUnits(...volumes.map((volume, index) => ({ unitId: index + 1, volume })));
const withNames = (volume: number, another: number) =>
	withUnits({ unitId: 'A', volume }, { unitName: 'A', volume: another });
const BARE = withUnits({ unitId: 1 }, { unitId: 2 });
const PEN = { unitName: 'Pen' };

it.each<[string, number, RawSite[][]]>([
	[
		'of several fields that come back',
		5,
		[
			[
				...[{}, { license: 'L2' }, { license: 'L2', code: 'C2' }, { code: 'C2' }],
				...[{ code: 'C3' }, { license: 'L2', code: 'C3' }],
			].map(withInfo),
		],
	],
	[
		'of two units in one poll or in two',
		4,
		[
			[withVolumes(1, 1), withVolumes(5, 1), withVolumes(5, 5)],
			[withVolumes(2, 2), withVolumes(5, 5)],
		],
	],
	[
		'of two units, or two fields, after the same memory',
		3,
		[
			[BARE, withUnits({ unitId: 1, volume: 5 }, { unitId: 2 })],
			[BARE, withUnits({ unitId: 1 }, { unitId: 2, volume: 5 })],
			[BARE, withUnits({ unitId: 1, depth: 5 }, { unitId: 2 })],
		],
	],
	[
		'of a unit whose ID is the name of another one',
		2,
		[
			[withNames(1, 1), withNames(5, 1)],
			[withNames(1, 1), withNames(1, 5)],
		],
	],
	['of added units with the same name', 2, [[SITE, withUnits(PEN, PEN)]]],
])('changes %s have different IDs', (_what, count, histories) => {
	const ids = histories.flatMap((states) => idsOf(states));

	expect(ids).toHaveLength(count);
	expect(new Set(ids).size).toBe(count);
});

it('equal changes of two sites at the same moment have different IDs', () => {
	const seenAt = '2026-03-02T07:00:00.000Z';
	const changes = [{ kind: 'siteChanged', field: 'area', oldValue: 1, newValue: 2 } as const];
	const [one, other] = [1, 2].map((siteId) => {
		const fetched = { siteId, site: SITE, seenAt };
		return toItems('trigger', { fetched, changes, baselineAt: seenAt })[0];
	});

	expect(one?.changeId).not.toBe(other?.changeId);
});

it('a value that comes back after the clock was set back has another change ID', () => {
	const states = ['L1', 'L2', 'L1', 'L2'].map((license) => withInfo({ license }));

	const ids = idsOf(states, [5, 6, 2, 3]);

	expect(ids).toHaveLength(3);
	expect(new Set(ids).size).toBe(3);
});

it.each([
	['is one line', 'A\r\n B\u2028C', 'L1 → A B C'],
	['quotes values that look the same', 'L1 ', '"L1" → "L1 "'],
	['quotes values one of which is an empty text', '', '"L1" → ""'],
	['cuts no character in half', `${'x'.repeat(98)}🐟🐟`, `L1 → ${'x'.repeat(98)}…`],
])('the summary of a change %s', (_what, license, values) => {
	const { sites } = poll(new Map(), SITE, 0);

	expect(poll(sites, withInfo({ license }), 1).summaries).toEqual([`Licence of A (1): ${values}`]);
});

it('the trigger compares a section with the last one of the documented type', () => {
	const { sites } = poll(new Map(), SITE, 0);
	const closed = poll(sites, { ...SITE, info: 'closed' }, 1);
	const open = poll(closed.sites, withInfo({ license: 'L2' }), 2);

	expect(closed.summaries).toEqual([]);
	expect(open.summaries).toEqual(['Licence of A (1): L1 → L2']);
});

it('the trigger starts no execution for a section that was never sent with the documented type', () => {
	const { sites } = poll(new Map(), { siteName: 'A', units: 'none' }, 0);

	expect(poll(sites, { siteName: 'A', info: 'closed' }, 1)).toMatchObject({
		mustBeStored: false,
		summaries: [],
	});
});

it('the trigger reports an added kind of changes from the next poll on, also after a restart', () => {
	const licences = poll(new Map(), SITE, 0, ['licenseChanged']).sites;
	const before = withInfo({ license: 'L2', maxTotalBiomass: 900 });
	const widened = poll(licences, before, 1, ['licenseChanged', 'biomassLimitChanged']);
	const next = poll(widened.sites, withInfo({ license: 'L2', maxTotalBiomass: 800 }), 2);

	expect(widened).toMatchObject({ summaries: ['Licence of A (1): L1 → L2'], mustBeStored: true });
	expect(next.summaries).toEqual(['Biomass limit of A (1): 900 → 800']);
});
