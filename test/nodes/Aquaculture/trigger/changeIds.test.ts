import fc from 'fast-check';
import { counted, identified, newIdSource } from '../../../../nodes/Aquaculture/trigger/changeIds';
import {
	compareSite,
	UNKNOWN_SITE,
	type SiteChange,
} from '../../../../nodes/Aquaculture/trigger/compareSite';
import type { Watch } from '../../../../nodes/Aquaculture/trigger/watch';
import { site } from '../arbitrarySites';

const ANY: Watch = { kinds: ['any'], additionalIncludes: [] };

/** What may happen to a site between two polls. */
const changes = fc
	.tuple(site, site)
	.map(
		([before, now]) => compareSite(compareSite(UNKNOWN_SITE, before, ANY).now, now, ANY).changes,
	);

const idsOf = (found: readonly SiteChange[], source = newIdSource(), workflowId = 'workflow') =>
	identified(found, source, [workflowId]).map(({ id }) => id);

it('the IDs of the changes of a site are different, and the same again from the same source, whatever comes with them', () => {
	fc.assert(
		fc.property(changes, changes, (found, further) => {
			const source = newIdSource();
			const ids = idsOf(found, source);
			const again = idsOf([...further, ...found].reverse(), source);

			expect(new Set(again).size).toBe(again.length);
			expect(again).toEqual(expect.arrayContaining(ids));
		}),
	);
});

it('the IDs of the changes of a site do not depend on whether the changes came together or one after the other', () => {
	fc.assert(
		fc.property(changes, (found) => {
			const [source, first] = [newIdSource(), found.slice(0, 1)];
			const places = new Set(
				found.map(({ kind, unit, field }) => JSON.stringify([kind, unit, field])),
			);
			fc.pre(places.size === found.length && found.length <= 30);

			const oneByOne = [...idsOf(first, source), ...idsOf(found.slice(1), counted(first, source))];

			expect(oneByOne).toEqual(idsOf(found, source));
		}),
	);
});

it('the IDs of the changes of a site are others each time, also where more has changed than is counted one by one', () => {
	fc.assert(
		fc.property(changes, (found) => {
			let source = newIdSource();
			const ids: string[] = [];
			for (let poll = 0; poll < 5; poll++) {
				ids.push(...idsOf(found, source));
				source = counted(found, source);
			}

			expect(new Set(ids).size).toBe(5 * found.length);
			expect(Object.keys(source.counts).length).toBeLessThanOrEqual(30);
		}),
	);
	const many = Array.from({ length: 31 }, (_, index): SiteChange => {
		return { kind: 'infoChanged', field: `field ${index}`, oldValue: 1, newValue: 2 };
	});
	const source = newIdSource();
	const after = counted(many, source);
	expect(after).toEqual({
		origin: expect.not.stringMatching(source.origin) as unknown,
		counts: {},
	});
	expect(counted(many.toReversed(), source)).toEqual(after);
});

it('the IDs of the changes of a site are others from another source, and in another workflow', () => {
	const change: SiteChange = {
		kind: 'siteRenamed',
		field: 'siteName',
		oldValue: 'A',
		newValue: 'B',
	};
	const source = newIdSource();
	const ids = [idsOf([change], source), idsOf([change]), idsOf([change], source, 'copy')].flat();

	expect(new Set(ids).size).toBe(3);
});
