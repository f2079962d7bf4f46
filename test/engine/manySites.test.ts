import type { IDataObject } from 'n8n-workflow';
import { SITES } from '../../emulator/sites';
import { shareRig, type Rig, type NodeSettings } from '../../testbed/engine/rig';

const KNOWN = SITES.map(({ siteId }) => siteId);

describe('Get Many Sites', () => {
	let rig: Rig;

	shareRig((started) => {
		rig = started;
	});

	const getMany = async (parameters: IDataObject, settings: NodeSettings = {}) =>
		await rig.run({ operation: 'getManySites', ...parameters }, settings);
	const requests = () => rig.emulator.journal.of('site');
	const fresh = { includeInfo: false, includeUnits: false };

	it('puts out one item for each ID, in the order given, all linked to the input item', async () => {
		const { items, error } = await getMany({ siteIds: ' 1003, 1001;1002\n\n1020 ,, ' });

		expect(error).toBeUndefined();
		expect(items).toEqual(
			[1003, 1001, 1002, 1020].map((id) => ({
				json: SITES.find(({ siteId }) => siteId === id),
				pairedItem: { item: 0 },
			})),
		);
	});

	it.each<[unknown, number[]]>([
		['={{ [1002, "1001"] }}', [1002, 1001]],
		['={{ ["1001, 1002", null, "", 1003] }}', [1001, 1002, 1003]],
		['={{ 1001 }}', [1001]],
		[1001, [1001]],
		['-7 1002', [-7, 1002]],
	])('reads the list %j', async (siteIds, ids) => {
		const { items, error } = await getMany({ siteIds } as IDataObject);

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.siteId)).toEqual(ids);
	});

	it.each<[string, string]>([
		[' ,;\n ', 'is empty'],
		['={{ [] }}', 'is empty'],
		['={{ null }}', 'is empty'],
		['1001, two, 1002', 'contains an entry that is not a site ID: "two"'],
		[
			'1001.0 1e3 __proto__ 0x10 +5',
			'contains 5 entries that are not site IDs: "1001.0", "1e3", "__proto__" and 2 more',
		],
		[
			'={{ [1001, [1002], {"id":3}, true, 1e21] }}',
			'contains 4 entries that are not site IDs: [1002], {"id":3}, "true" and 1 more',
		],
		['={{ ({ ids: [1001] }) }}', 'is not a list of site IDs: {"ids":[1001]}'],
	])('refuses %j before any request', async (siteIds, fault) => {
		const { error } = await getMany({ siteIds });

		expect(error).toMatchObject({
			name: 'NodeOperationError',
			message: `'Site IDs' ${fault}`,
			context: { itemIndex: 0 },
		});
		expect(rig.emulator.journal.requests).toEqual([]);
	});

	it('fetches each site once, however often it is asked for, and each item has a copy of its own', async () => {
		const input = Array.from({ length: 40 }, (_, index) => ({ ids: [1001 + (index % 2), 1001] }));

		const { items } = await getMany({ siteIds: '={{ $json.ids }}' }, { input });

		expect(requests()).toHaveLength(2);
		expect(items.map(({ json, pairedItem }) => [json.siteId, pairedItem])).toEqual(
			input.flatMap(({ ids }, item) => ids.map((id) => [id, { item }])),
		);
		const [first, second, ...more] = items.filter(({ json }) => json.siteId === 1001);
		Object.assign(first?.json.info as IDataObject, { type: 'Changed' });
		for (const { json } of [second, ...more].filter((item) => item !== undefined)) {
			expect(json).toEqual(SITES[0]);
		}
	});

	it('fetches a site anew for other includes or another version', async () => {
		const input = [{}, { part: 'a' }, { part: 'b' }, { part: 'a' }, { version: '2024-01-01' }];

		const { items } = await getMany(
			{
				siteIds: '1001',
				options: {
					additionalIncludes: '={{ $json.part ?? "" }}',
					dataVersion: '={{ $json.version ?? "" }}',
				},
			},
			{ input },
		);

		expect(items).toHaveLength(5);
		expect(requests()).toHaveLength(4);
	});

	it('with a Continue setting, every good site arrives and each failed one is named in its place', async () => {
		rig.emulator.fail({ route: 'site', siteId: 1005, fault: { kind: 'status', status: 403 } });
		rig.emulator.settings.latencyMs = 2;
		rig.emulator.settings.latencyJitter = 1;
		const siteIds = [...KNOWN, 4040, ...KNOWN];

		const { items, error } = await getMany(
			{ siteIds: siteIds.join('\n') },
			{ onError: 'continueRegularOutput' },
		);

		Object.assign(rig.emulator.settings, { latencyMs: 0, latencyJitter: 0 });
		expect(error).toBeUndefined();
		const expected = (id: number) => {
			if (id === 4040) return { error: 'The service does not know site 4040', siteId: id };
			if (id === 1005) return { error: 'This account may not read site 1005', siteId: id };
			return SITES.find(({ siteId }) => siteId === id);
		};
		expect(items.map(({ json }) => json)).toMatchObject(siteIds.map(expected));
		expect(items.every(({ pairedItem }) => JSON.stringify(pairedItem) === '{"item":0}')).toBe(true);
	});

	it('with "Stop Workflow", nothing is sent after the first failure', async () => {
		rig.emulator.settings.latencyMs = 20;
		const siteIds = [4040, ...Array.from({ length: 500 }, (_, index) => 5000 + index)];

		const { error, items } = await getMany({ siteIds: siteIds.join(), ...fresh });
		const sent = requests().length;
		await new Promise((resolve) => setTimeout(resolve, 150));

		rig.emulator.settings.latencyMs = 0;
		expect(items).toEqual([]);
		expect(error).toMatchObject({ httpCode: '404', context: { itemIndex: 0 } });
		expect(sent).toBeLessThanOrEqual(40);
		expect(requests()).toHaveLength(sent);
	});

	it('with "Stop Workflow", names each unknown site that is known by then, and says what to do', async () => {
		rig.setCredential({ knownSites: '4041 Gamlevika' });
		rig.emulator.settings.latencyMs = 20;
		rig.emulator.settings.latencyJitter = 1;
		const siteIds = '1001 4040 1002 4041 1003 4042 4040';

		const { error, items } = await getMany({ siteIds });

		Object.assign(rig.emulator.settings, { latencyMs: 0, latencyJitter: 0 });
		expect(items).toEqual([]);
		expect(error).toMatchObject({
			message: 'The service does not know the sites 4040, 4041 (Gamlevika), 4042',
			httpCode: '404',
			context: { itemIndex: 0 },
		});
		expect((error as { description?: string }).description).toMatch(
			/turn on 'Ignore Missing Sites' under Options, or set 'On Error' of the node to continue\./,
		);
	});

	it('with "Stop Workflow", waits a second at most for the other answers', async () => {
		const stalled = { kind: 'hang' } as const;
		rig.emulator.fail({ route: 'site', siteId: 1001, fault: stalled });
		const beganAt = performance.now();

		const { error } = await getMany({ siteIds: '1001 4040' });

		expect(error?.message).toBe('The service does not know site 4040');
		expect(performance.now() - beganAt).toBeLessThan(4000);
	});

	it.each([1, 3, 50])('never asks for more than %d sites at once', async (concurrentRequests) => {
		rig.emulator.settings.latencyMs = 100;
		const siteIds = Array.from({ length: 120 }, (_, index) => 5000 + index);

		const { items, hints } = await getMany({
			siteIds: siteIds.slice(0, concurrentRequests * 4).join(),
			options: { concurrentRequests, ignoreMissing: true },
		});

		rig.emulator.settings.latencyMs = 0;
		expect(items).toEqual([]);
		expect(hints).toHaveLength(1);
		expect(rig.emulator.journal.peakConcurrency).toBe(concurrentRequests);
	});

	it.each<[IDataObject, string]>([
		[{ concurrentRequests: 0 }, `'Sites Read at Once' is not a whole number from 1 to 50: "0"`],
		[{ concurrentRequests: 51 }, `'Sites Read at Once' is not a whole number from 1 to 50: "51"`],
		[{ maxTries: 1.5 }, `'Maximum Tries' is not a whole number from 1 to 20: "1.5"`],
		[{ maxWait: -1 }, `'Maximum Wait' is not a number of minutes from 0 to 1440: "-1"`],
		[
			{ maxTime: 'x' },
			`'Maximum Time per Site' is not a number of seconds above 0 and up to 3600: "x"`,
		],
		[{ ignoreMissing: 'x' }, `'Ignore Missing Sites' is neither true nor false: "x"`],
	])('refuses the options %j before any request', async (options, message) => {
		const { error } = await getMany({ siteIds: '1001', options });

		expect(error?.message).toBe(message);
		expect(rig.emulator.journal.requests).toEqual([]);
	});

	describe('Ignore Missing Sites', () => {
		it('leaves out what does not exist, and says so', async () => {
			rig.setCredential({ knownSites: '4040 Gamlevika' });

			const { items, hints } = await getMany({
				siteIds: '4040 1001 1002 4041 4040',
				options: { ignoreMissing: true },
			});

			expect(items.map(({ json }) => json.siteId)).toEqual([1001, 1002]);
			expect(hints).toEqual([
				{
					message: '2 of 4 sites do not exist and were left out: 4040 (Gamlevika), 4041',
					type: 'warning',
					location: 'outputPane',
				},
			]);
		});

		it('names ten of many', async () => {
			const siteIds = Array.from({ length: 12 }, (_, index) => 4000 + index);

			const { hints } = await getMany({
				siteIds: `1001 ${siteIds.join()}`,
				options: { ignoreMissing: true },
			});

			expect(hints).toMatchObject([
				{
					message:
						'12 of 13 sites do not exist and were left out: 4000, 4001, 4002, 4003, 4004, 4005, 4006, 4007, 4008, 4009 and 2 more',
				},
			]);
		});

		it.each(['getManySites', 'getSite', 'getUnits'])(
			'is off in %s unless it is added',
			async (operation) => {
				const { error } = await rig.run({ operation, siteId: '4040', siteIds: '4040' });

				expect(error?.message).toBe('The service does not know site 4040');
			},
		);

		it('leaves out nothing else', async () => {
			rig.emulator.fail({ route: 'site', siteId: 1002, fault: { kind: 'status', status: 403 } });

			const { error } = await getMany({
				siteIds: '1001 1002',
				options: { ignoreMissing: true },
			});

			expect(error?.message).toBe('This account may not read site 1002');
		});
	});

	it('has nothing to say where nothing happened', async () => {
		const { hints } = await getMany({ siteIds: KNOWN.join() });

		expect(hints).toEqual([]);
	});

	describe('behind several input items', () => {
		const input = [{ id: 1001 }, { id: 1001 }, { id: 1001 }];
		const hintOn = [
			{
				message:
					"Each site comes out 3 times, once for each input item. To get it once, turn on 'Execute Once' in the settings of the node",
				type: 'info',
				location: 'outputPane',
			},
		];

		it.each<[string, IDataObject]>([
			['a fixed list', { siteIds: '1001 1002' }],
			['a list that is the same for all of them', { siteIds: '={{ [1001, 1002] }}' }],
			['a fixed site', { operation: 'getSite', siteId: '1001' }],
			['a fixed list of units', { operation: 'getUnits', siteIds: '1001' }],
		])('says of %s that it comes out for each', async (_name, parameters) => {
			const { hints } = await getMany(parameters, { input });

			expect(hints).toEqual(hintOn);
		});

		it.each<[string, IDataObject]>([
			['a site that each item names', { operation: 'getSite', siteId: '={{ $json.id }}' }],
			['lists that differ', { siteIds: '={{ [1001, 1002 + $itemIndex] }}' }],
			['lists of different lengths', { siteIds: '={{ [1001, 1001].slice($itemIndex) }}' }],
		])('says nothing of %s', async (_name, parameters) => {
			const { hints } = await getMany(parameters, { input: input.slice(0, 2) });

			expect(hints).toEqual([]);
		});
	});

	it('names a bad entry among 100,000 before any request', async () => {
		const siteIds = Array.from({ length: 100_000 }, (_, index) => (index === 77_777 ? 'x' : index));

		const { error } = await getMany({ siteIds: siteIds.join(', ') });

		expect(error?.message).toBe(`'Site IDs' contains an entry that is not a site ID: "x"`);
		expect(rig.emulator.journal.requests).toEqual([]);
	});

	it('reads 100,000 IDs that are the same few sites with a request for each', async () => {
		const siteIds = Array.from({ length: 100_000 }, (_, index) => KNOWN[index % KNOWN.length]);

		const { items, error } = await getMany({ siteIds: siteIds.join(' '), ...fresh });

		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.siteId)).toEqual(siteIds);
		expect(requests()).toHaveLength(KNOWN.length);
	}, 60_000);

	it('works on 10,000 items', async () => {
		const input = Array.from({ length: 10_000 }, (_, index) => ({
			id: KNOWN[index % KNOWN.length],
		}));

		const { items } = await rig.run({ siteId: '={{ $json.id }}' }, { input });

		expect(items.map(({ json, pairedItem }) => [json.siteId, pairedItem])).toEqual(
			input.map(({ id }, item) => [id, { item }]),
		);
		expect(requests()).toHaveLength(KNOWN.length);
	}, 60_000);
});

describe('Get Units', () => {
	let rig: Rig;

	shareRig((started) => {
		rig = started;
	});

	const getUnits = async (parameters: IDataObject, settings: NodeSettings = {}) =>
		await rig.run({ operation: 'getUnits', ...parameters }, settings);

	it('puts out a row for each unit, site by site, and none for a site without units', async () => {
		const { items, error } = await getUnits({ siteIds: '1002 1020 1001' });

		expect(error).toBeUndefined();
		const rows = [SITES[1], SITES[0]].flatMap((site) =>
			(site?.units ?? []).map((unit) => ({
				siteId: site?.siteId,
				siteName: site?.siteName,
				...unit,
			})),
		);
		expect(items).toEqual(rows.map((json) => ({ json, pairedItem: { item: 0 } })));
		expect(rig.emulator.journal.of('site').map(({ url }) => url)).toEqual(
			expect.arrayContaining(['/meta/sites/1001?$include=units']),
		);
	});

	it('gives every row the same columns, with the info of the site where it is asked for', async () => {
		const { items } = await getUnits({ siteIds: '1021 1001', includeSiteInfo: true });

		expect(items[0]?.json).toEqual({
			siteId: 1021,
			siteName: 'Gamle Brygga',
			unitId: 10210,
			unitName: null,
			latitude: null,
			longitude: null,
			siteCode: null,
			siteType: null,
			siteLicense: null,
			siteMaxTotalBiomass: null,
			siteTimezone: null,
			siteLatitude: 60.3871,
			siteLongitude: 5.2204,
		});
		const columns = new Set(items.map(({ json }) => Object.keys(json).join()));
		expect(columns.size).toBe(1);
	});

	it('makes a failed site an error item of its own', async () => {
		const { items, errorItems } = await getUnits(
			{ siteIds: '={{ $json.ids }}' },
			{ input: [{ ids: '1004' }, { ids: '4040 1004' }], onError: 'continueErrorOutput' },
		);

		expect(items).toHaveLength(6);
		expect(errorItems).toMatchObject([
			{
				json: { ids: '4040 1004', error: 'The service does not know site 4040' },
				pairedItem: { item: 1 },
			},
		]);
	});
});
