import type { IDataObject } from 'n8n-workflow';
import { useHarness } from '../../testbed/engine/harness';

describe('a site that deviates from the documented form', () => {
	const harness = useHarness();

	const send = (siteId: number, site: unknown) =>
		harness.sendBody(JSON.stringify(site), { siteId });
	const read = async (parameters: IDataObject) => {
		const { items, hints, error } = await harness.run(parameters);
		expect(error).toBeUndefined();
		return {
			json: items.map(({ json }) => json),
			notices: hints.map(({ message, type }) => `${type}: ${message}`),
		};
	};

	it('is returned unchanged, with a warning for each field that counts the sites', async () => {
		const units = [{ unitId: 'a' }, { unitId: 'b' }, { unitId: 3, unitName: 4 }];
		const sites = [
			{ siteId: 1001, info: { longitude: '8.4', latitude: 'x' }, units },
			{ siteId: 1002, info: { longitude: '8.4', latitude: 1 }, units },
			{ siteId: '1003.0', info: [1, 2], units: 'none' },
		];
		for (const site of sites) send(Number(site.siteId), site);

		const { json, notices } = await read({
			operation: 'getManySites',
			siteIds: '1001, 1002, 1003, 1001',
			simplify: false,
		});

		expect(json).toEqual([...sites, sites[0]]);
		expect(notices.toSorted()).toEqual(
			[
				"'info' is not an object for 1 site",
				"'info.latitude' is not a number for 1 site",
				"'info.longitude' is not a number for 2 sites",
				"'siteId' is not a whole number for 1 site",
				"'units' is not a list of objects for 1 site",
				"'units.unitId' is not a whole number for 2 sites",
				"'units.unitName' is not text for 2 sites",
			].map((said) => `warning: ${said}: returned as the service sent it`),
		);
	});

	it('a simplified row keeps values unchanged, but objects and lists become JSON', async () => {
		const info = { code: 7, type: ['Sea'], license: { no: 1 }, longitude: '8.4', latitude: true };
		send(1001, { siteId: '1001', siteName: 12, info, units: [{ unitId: 'x' }] });

		const { json, notices } = await read({ simplify: true });

		expect(json).toEqual([
			{
				...{ siteId: '1001', siteName: 12, code: 7, type: '["Sea"]', license: '{"no":1}' },
				...{ maxTotalBiomass: null, timezone: null, longitude: '8.4', latitude: true },
				numberOfUnits: 1,
			},
		]);
		// Simplified rows have no units.
		expect(notices.filter((notice) => notice.includes('units'))).toEqual([]);
		expect(notices).toHaveLength(7);
	});

	it('a simplified row has null in place of malformed info and units', async () => {
		send(1001, { siteId: 1001, info: 'Sea', units: { count: 3 } });

		const { json, notices } = await read({ simplify: true });

		expect(json).toMatchObject([{ siteId: 1001, code: null, numberOfUnits: null }]);
		expect(notices).toEqual([
			"warning: 'info' is not an object for 1 site: left out of the rows",
			"warning: 'units' is not a list of objects for 1 site: left out of the rows",
		]);
	});

	it('Get Units skips malformed units and warns about them', async () => {
		send(1001, { siteId: 1001, units: { count: 3 } });
		send(1002, { siteId: 1002, units: [{ unitId: 3, unitName: { no: 3 } }] });
		send(1003, { siteId: 1003, units: [null, 'Merd 2', { unitId: 3 }] });

		const { json, notices } = await read({ operation: 'getUnits', siteIds: '1001, 1002, 1003' });

		const unit = { unitId: 3, unitName: '{"no":3}', longitude: null, latitude: null };
		expect(json).toEqual([{ siteId: 1002, siteName: null, ...unit }]);
		expect(notices).toEqual([
			"warning: 'units' is not a list of objects for 2 sites: left out of the rows",
			"warning: 'units.unitName' is not text for 1 site: returned as the service sent it",
		]);
	});

	it('Get Units fills in the ID of a site that the service leaves out', async () => {
		send(1001, { units: [{ unitId: 3 }] });
		send(1002, { siteId: '1002.0', units: [{ unitId: 4 }] });

		const { json } = await read({ operation: 'getUnits', siteIds: '1001, 1002' });

		expect(json).toMatchObject([
			{ siteId: 1001, unitId: 3 },
			{ siteId: '1002.0', unitId: 4 },
		]);
	});

	it('Get Units warns that the ID of a unit is too large, because two units may come out with one', async () => {
		const units = [2, 3].map((digit) => `{"unitId":900719925474099${digit}}`);
		const body = `{"siteId":1001,"units":[${units.join()}]}`;
		harness.sendBody(body, { siteId: 1001 });

		const { json, notices } = await read({ operation: 'getUnits', siteIds: '1001' });

		expect(json.map(({ unitId }) => unitId)).toEqual([2 ** 53, 2 ** 53]);
		expect(notices).toEqual([
			"warning: 'units.unitId' is too large to be read exactly for 1 site: returned, but its last digits may be wrong",
		]);
	});
});
