import { WRONG_TYPE } from '../../../../nodes/Aquaculture/messages/invalid';
import { findChanges } from '../../../../nodes/Aquaculture/trigger/findChanges';
import type { RememberedSites } from '../../../../nodes/Aquaculture/trigger/memory';
import { CHANGE_KINDS } from '../../../../nodes/Aquaculture/trigger/triggerSettings';
import type { PollSetup } from '../../../../nodes/Aquaculture/trigger/setUp';
import type { SentSite } from '../../../../nodes/Aquaculture/service/site';

const SITE: SentSite = { siteName: 'A', info: { license: 'L1', code: 'C1' }, units: [] };

function poll(remembered: RememberedSites, site: SentSite, minute: number) {
	const setup = {
		settings: { watched: new Set(CHANGE_KINDS), emitsCurrentState: false },
		sites: [{ siteId: 1, siteName: null }],
		unusable: [],
		remembered,
	} as unknown as PollSetup;
	const seenAt = `2026-03-02T07:0${minute}:00.000Z`;
	const deviations = site.info === 'closed' ? [{ field: 'info', reason: WRONG_TYPE.object }] : [];
	const found = findChanges(
		'trigger',
		setup,
		new Map([[1, { named: { siteId: 1, siteName: null }, site, seenAt, deviations }]]),
	);
	return {
		ids: found.items.map(({ changeId }) => changeId),
		summaries: found.items.map(({ summary }) => summary),
		hasNewSiteOrPart: found.hasNewSiteOrPart,
		failures: found.failures.map(({ failure }) => failure.message),
		sites: found.sites,
	};
}

const withInfo = (info: object) => ({ ...SITE, info: { license: 'L1', code: 'C1', ...info } });

it('changes keep their IDs after a restored backup', () => {
	const backup = poll(new Map(), SITE, 0).sites;
	const first = poll(backup, withInfo({ license: 'L2' }), 1);
	const second = poll(first.sites, withInfo({ license: 'L2', code: 'C2' }), 2);

	const again = poll(backup, withInfo({ license: 'L2', code: 'C2' }), 3);

	expect(again.ids.toSorted()).toEqual([...first.ids, ...second.ids].toSorted());
});

it('a change that recurs has another ID', () => {
	const states = ['L2', 'L1', 'L2', 'L1'].map((license) => withInfo({ license }));
	let { sites } = poll(new Map(), SITE, 0);
	const ids = states.flatMap((site, index) => {
		const found = poll(sites, site, index + 1);
		sites = found.sites;
		return found.ids;
	});

	expect(new Set(ids).size).toBe(4);
});

it('added units with the same name have different change IDs', () => {
	const { sites } = poll(new Map(), SITE, 0);
	const units = [{ unitName: 'Pen' }, { unitName: 'Pen' }];

	const { ids } = poll(sites, { ...SITE, units }, 1);

	expect(new Set(ids).size).toBe(2);
});

it('the trigger compares a part with the last one of the documented type, and reports one of another type', () => {
	const { sites } = poll(new Map(), SITE, 0);
	const closed = poll(sites, { ...SITE, info: 'closed' }, 1);
	const open = poll(closed.sites, withInfo({ license: 'L2' }), 2);

	expect(closed).toMatchObject({
		summaries: [],
		failures: ["The answer for site 1 cannot be used: 'info' is not an object"],
	});
	expect(open).toMatchObject({ summaries: ['Licence of A (1): L1 → L2'], failures: [] });
});

it('the trigger starts no execution for a part that was never sent with the documented type', () => {
	const { sites } = poll(new Map(), { siteName: 'A' }, 0);

	expect(poll(sites, { siteName: 'A', info: 'closed' }, 1)).toMatchObject({
		hasNewSiteOrPart: false,
		failures: ["The answer for site 1 cannot be used: 'info' is not an object"],
	});
});
