import { getUnits } from '../../../../nodes/Aquaculture/actions/getUnits.operation';
import { unitRows } from '../../../../nodes/Aquaculture/actions/unitRows';

describe('unitRows', () => {
	it.each([{}, { units: null }, { units: [] }, { siteId: 7, info: null }])(
		'of %j are none',
		(site) => {
			expect(unitRows(site, 7, true)).toEqual([]);
		},
	);

	it('have the columns of the output schema, whatever the service leaves out or adds', () => {
		const columns = Object.keys(getUnits.outputSchema.shape);

		for (const unit of [{}, { unitId: 1, depth: 20 }, { longitude: null, unitName: 'A' }]) {
			const [row] = unitRows({ units: [unit] }, 7, false);
			expect(Object.keys(row ?? {})).toEqual(columns);
			expect(row?.siteId).toBe(7);
		}
	});
});
