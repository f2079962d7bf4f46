import fc from 'fast-check';
import { includesOf } from '../../../../api/includes';
import { siteDocument } from '../../../../api/site';
import { getManySites } from '../../../../nodes/Aquaculture/operations/getManySites';
import { site } from '../arbitrarySites';
import { outputOf, requestsOf } from './requestsOf';

const settings = fc.record({
	includeInfo: fc.boolean(),
	includeUnits: fc.boolean(),
	simplify: fc.boolean(),
	'options.includeResponseDetails': fc.boolean(),
});

describe('an operation with one item for each site', () => {
	it('asks for the sites in their order, repeated ones too, with the parts that are included', async () => {
		const siteIds = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });

		await fc.assert(
			fc.asyncProperty(settings, siteIds, async (typed, ids) => {
				const includes = includesOf({ info: typed.includeInfo, units: typed.includeUnits });
				const asked = await requestsOf(getManySites, { ...typed, siteIds: ids });

				expect(asked.map(({ path }) => path)).toEqual(
					ids.map((siteId) => siteDocument(siteId, includes).path),
				);
			}),
		);
	});

	it('makes one item of any site: as it came, with what came with it, or as a row', async () => {
		await fc.assert(
			fc.asyncProperty(settings, site, async (typed, json) => {
				const items = await outputOf(getManySites, { ...typed, siteIds: 7 }, [json]);

				expect(items).toHaveLength(1);
				if (typed.simplify) expect(items[0]).toMatchObject({ siteId: json.siteId });
				else if (typed['options.includeResponseDetails']) {
					expect(items).toEqual([{ statusCode: 200, headers: { etag: 'x' }, body: json }]);
				} else expect(items[0]).toBe(json);
			}),
		);
	});
});
