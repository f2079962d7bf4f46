import fc from 'fast-check';
import type { INode } from 'n8n-workflow';
import { Parameters } from '../../nodes/Aquaculture/actions/fields/parameters';
import { planWholeSites } from '../../nodes/Aquaculture/actions/wholeSites';
import { site } from './arbitrarySites';

/** The parameters of a node in which these fields are filled in. */
function filledIn(fields: Record<string, boolean>): Parameters {
	return new Parameters({
		getNode: () => ({ type: 'aquaculture' }) as INode,
		getNodeParameter: (name, _itemIndex, fallback) => fields[name] ?? fallback,
	});
}

const settings = fc.record({
	includeInfo: fc.boolean(),
	includeUnits: fc.boolean(),
	simplify: fc.boolean(),
	'options.includeResponseDetails': fc.boolean(),
});

describe('the plan for whole sites', () => {
	it('asks for the sites in their order, repeated ones too, with the parts that are included', () => {
		fc.assert(
			fc.property(settings, fc.array(fc.integer({ min: 1, max: 9 })), (fields, siteIds) => {
				const { requests } = planWholeSites(filledIn(fields), 0, siteIds);

				expect(requests.map(({ siteId }) => siteId)).toEqual(siteIds);
				for (const { includes } of requests) {
					expect(includes.includes('info')).toBe(fields.includeInfo);
					expect(includes.includes('units')).toBe(fields.includeUnits);
				}
			}),
		);
	});

	it('makes one item of any site: as it came, with what came with it, or as a row', () => {
		fc.assert(
			fc.property(settings, site, fc.integer(), (fields, json, siteId) => {
				const { requests, toOutput } = planWholeSites(filledIn(fields), 0, [siteId]);
				const answer = { statusCode: 200, headers: { etag: 'x' }, json };
				const [request] = requests;
				const items = request ? toOutput(answer, request) : [];

				expect(items).toHaveLength(1);
				if (fields.simplify) expect(items[0]).toMatchObject({ siteId: json.siteId });
				else if (fields['options.includeResponseDetails']) {
					expect(items).toEqual([{ statusCode: 200, headers: { etag: 'x' }, body: json }]);
				} else expect(items[0]).toBe(json);
			}),
		);
	});
});
