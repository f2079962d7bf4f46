import fc from 'fast-check';
import type { INode } from 'n8n-workflow';
import { siteDocument } from '../../../../api/documents';
import { includesOf } from '../../../../api/includes';
import { wholeSiteRequests } from '../../../../nodes/Aquaculture/operations/wholeSites';
import { Parameters } from '../../../../nodes/Aquaculture/fields/parameters';
import { site } from '../arbitrarySites';

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

describe('the requests for whole sites', () => {
	it('asks for the sites in their order, repeated ones too, with the parts that are included', () => {
		fc.assert(
			fc.property(settings, fc.array(fc.integer({ min: 1, max: 9 })), (fields, siteIds) => {
				const includes = includesOf({ info: fields.includeInfo, units: fields.includeUnits });
				const asked = siteIds.map((siteId) => siteDocument(siteId, includes).path);

				const requests = wholeSiteRequests(filledIn(fields), 0, siteIds);
				expect(requests.map(({ path }) => path)).toEqual(asked);
			}),
		);
	});

	it('makes one item of any site: as it came, with what came with it, or as a row', () => {
		fc.assert(
			fc.property(settings, site, fc.integer(), (fields, json, siteId) => {
				const [request] = wholeSiteRequests(filledIn(fields), 0, [siteId]);
				const answer = { statusCode: 200, headers: { etag: 'x' }, json };
				const items = request?.toOutput(answer) ?? [];

				expect(items).toHaveLength(1);
				if (fields.simplify) expect(items[0]).toMatchObject({ siteId: json.siteId });
				else if (fields['options.includeResponseDetails']) {
					expect(items).toEqual([{ statusCode: 200, headers: { etag: 'x' }, body: json }]);
				} else expect(items[0]).toBe(json);
			}),
		);
	});
});
