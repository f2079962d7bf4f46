import type { IDataObject } from 'n8n-workflow';
import { SITES } from '../../emulator/sites';
import { useFakeTime } from '../../testbed/engine/fakeTime';
import {
	DISTINCT_REQUESTS,
	distinctItems,
	NODE,
	useHarness,
	type NodeSettings,
} from '../../testbed/engine/harness';
import { NODE_TYPE, step } from '../../testbed/workflows';

const harness = useHarness();

const requests = () => harness.emulator.journal.of('site');

describe('Get Many Sites', () => {
	const getMany = async (parameters: IDataObject, settings: NodeSettings = {}) =>
		await harness.run({ operation: 'getManySites', ...parameters }, settings);

	it('returns an item for each ID in order, linked to the input item', async () => {
		const { items, error } = await getMany({
			simplify: false,
			siteIds: ' 1003, 1001;1002\n\n1020 ,, ',
		});

		expect(error).toBeUndefined();
		expect(items).toEqual(
			[1003, 1001, 1002, 1020].map((id) => ({
				json: SITES.find(({ siteId }) => siteId === id),
				pairedItem: { item: 0 },
			})),
		);
	});

	it('has a subtitle', () => {
		const saved = step(NODE, NODE_TYPE, { operation: 'getManySites' });
		const { workflow, node } = harness.engine.pollContext(saved, 'trigger');
		const { subtitle } = harness.engine.nodeType.description;

		const shown = workflow.expression.getSimpleParameterValue(node, subtitle, 'internal', {});
		expect(shown).toBe('Get Many Sites');
	});

	it('reads each site once, and links its items to their input items', async () => {
		const input = [[1001, 1002], [1002], [1001, 1001]].map((ids) => ({ ids }));

		const { items } = await getMany({ siteIds: '={{ $json.ids }}' }, { input });

		expect(requests()).toHaveLength(2);
		expect(items.map(({ json, pairedItem }) => [json.siteId, pairedItem])).toEqual(
			input.flatMap(({ ids }, item) => ids.map((id) => [id, { item }])),
		);
	});

	it('takes a list of 130,000 sites, more than a call may have arguments', async () => {
		harness.setCredential({ password: 'wrong' });
		const siteIds = Array.from({ length: 130_000 }, (_, index) => index);

		const { error } = await getMany({ siteIds: siteIds.join() });

		expect(error?.message).toBe('The service refused the username and password');
	});

	it('gives each item a copy, which the next step may change', async () => {
		const options = { includeResponseDetails: true };
		const { items } = await getMany({ siteIds: '1001 1001', simplify: false, options });

		const copies = items.map(({ json: { headers, body } }) => [
			headers,
			(body as IDataObject).info,
		]);
		expect(copies[0]).toEqual(copies[1]);
		expect(new Set(copies.flat()).size).toBe(4);
	});

	it('sends no more requests after a proxy has asked for a login', async () => {
		harness.failSites(407);

		const { items } = await harness.run(DISTINCT_REQUESTS, {
			input: distinctItems(50),
			onError: 'continueRegularOutput',
		});

		expect(new Set(items.map(({ json }) => json.error))).toEqual(
			new Set(['A proxy between n8n and the service requires a login']),
		);
		expect(requests()).toHaveLength(20);
	});

	describe('concurrency', () => {
		const { settle, advance } = useFakeTime();

		it('sends nothing after the first failure with Stop Workflow', async () => {
			harness.emulator.settings.latencyMs = 20;
			const input = [
				{ id: 1002 },
				{ id: 4040 },
				...distinctItems(500).map((item) => ({ ...item, id: 1001 })),
			];

			const { error, items } = await settle(
				harness.run({ ...DISTINCT_REQUESTS, siteId: '={{ $json.id }}' }, { input }),
			);
			const sent = requests().length;
			await advance(1000);

			expect(items).toEqual([]);
			expect(error).toMatchObject({ httpCode: '404', context: { itemIndex: 1 } });
			expect(sent).toBeLessThanOrEqual(20);
			expect(requests()).toHaveLength(sent);
		});

		it('sites asked twice do not make a list too long to be sent immediately', async () => {
			harness.setCredential({ requestsPerMinute: 20 });
			const beganAt = Date.now();

			await settle(getMany({ siteIds: '1001 1002 1003 1004 '.repeat(10) }));

			expect(requests()).toHaveLength(4);
			expect(Date.now() - beganAt).toBeLessThan(5000);
		});

		it.each([
			[10_000, 20],
			[100, 10],
			[20, 2],
		])('at %d requests a minute, %d are in flight at most', async (requestsPerMinute, most) => {
			harness.setCredential({ requestsPerMinute });
			harness.emulator.settings.latencyMs = 100;
			const count = requestsPerMinute === 20 ? 12 : 80;
			const siteIds = Array.from({ length: count }, (_, index) => 5000 + index);
			const options = { ignoreMissing: true };

			const { items } = await settle(getMany({ siteIds: siteIds.join(), options }));

			expect(items).toEqual([]);
			expect(requests()).toHaveLength(count);
			expect(harness.emulator.journal.peakConcurrency).toBe(most);
		});
	});

	describe('All Sites', () => {
		const input = Array.from({ length: 300 }, (_, index) => ({ index }));
		const READ_ONCE = {
			message:
				"With 'All Sites', the node runs once, with the settings of the first of 300 input items",
			type: 'info',
			location: 'outputPane',
		};
		beforeEach(() => {
			harness.setCredential({ knownSites: '1002 Kråkøya\n1001 Storvågen' });
		});

		it.each<[string, IDataObject, number[]]>([
			['the default', {}, [1002, 1001]],
			['with Limit', { options: { limit: 1 } }, [1002]],
			['for units', { operation: 'getUnits', options: { limit: 1 } }, [1002]],
		])('%s runs once, linked to the first of 300 items', async (_what, parameters, siteIds) => {
			const { items, hints } = await getMany({ sites: undefined, ...parameters }, { input });

			expect([...new Set(items.map(({ json }) => json.siteId))]).toEqual(siteIds);
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual(items.map(() => ({ item: 0 })));
			expect(requests()).toHaveLength(siteIds.length);
			expect(hints).toEqual([READ_ONCE]);
		});

		it('reads all known sites without Limit', async () => {
			const ids = Array.from({ length: 60 }, (_, index) => 5000 + index);
			harness.setCredential({ knownSites: ids.join('\n') });

			await getMany({ sites: 'all', options: { ignoreMissing: true } });

			expect(requests()).toHaveLength(60);
		});

		it('is the only choice to which Limit applies', async () => {
			const { items } = await getMany({ siteIds: '1001 1002', options: { limit: 1 } });

			expect(items).toHaveLength(2);
		});

		it.each<[string, IDataObject]>([
			["'Sites' needs 'Known Sites', which contains no site", {}],
			["'Base URL' is empty", { baseUrl: '' }],
		])('fails once for 300 input items: %s', async (error, credential) => {
			harness.setCredential(credential as Record<string, string>);
			const parameters = { sites: 'all' };
			const regular = await getMany(parameters, { input, onError: 'continueRegularOutput' });
			const branch = await getMany(parameters, { input, onError: 'continueErrorOutput' });
			const stopped = await getMany(parameters, { input });

			expect(regular.items).toMatchObject([{ json: { error }, pairedItem: { item: 0 } }]);
			expect(branch.items).toEqual([]);
			expect(branch.errorItems).toMatchObject([{ json: { error } }]);
			expect(stopped.error).toMatchObject({ message: error });
		});
	});

	it('leaves out missing sites with Ignore Missing Sites, and warns about them', async () => {
		harness.setCredential({ knownSites: '4040 Gamlevika' });

		const { items, hints } = await getMany({
			siteIds: '4040 1001 1002 4041 4040',
			options: { ignoreMissing: true },
		});

		expect(items.map(({ json }) => json.siteId)).toEqual([1001, 1002]);
		expect(hints).toEqual([
			{
				message: 'Sites that the service does not know were left out: Gamlevika (4040), 4041',
				type: 'warning',
				location: 'outputPane',
			},
		]);
	});

	it('fails for a web page with status 404 despite Ignore Missing Sites', async () => {
		const fault = { kind: 'status', status: 404, body: '<html>' } as const;
		harness.emulator.fail({ route: 'site', fault });

		const { error } = await getMany({ siteIds: '1001', options: { ignoreMissing: true } });

		expect(error?.message).toBe('The answer for site 1001 is a web page');
	});

	const ABSENT = ['units', 'info'].map((part) => `The service sent no ${part} for 1 of 3 sites`);
	const WRONG = "'info' is not an object for 1 site: ";
	const NOTHING = { includeInfo: false, includeUnits: false, siteIds: '1002' };

	it.each<[string, IDataObject, string[]]>([
		['getManySites', { simplify: false }, [...ABSENT, `${WRONG}returned as the service sent it`]],
		['getManySites', {}, [...ABSENT, `${WRONG}left out of the rows`]],
		['getManySites', NOTHING, []],
		['getSite', { siteId: '1003', options: { additionalIncludes: 'sensors' } }, []],
		[
			'getUnits',
			{ includeSiteInfo: true },
			[...ABSENT, `${WRONG}left out of the rows`, 'Sites without units: 1001'],
		],
	])('has notices about the data of %s with %j', async (operation, parameters, messages) => {
		harness.sendBody('{"siteId":1001,"info":7,"units":[]}', { siteId: 1001 });
		harness.sendBody('{"siteId":1002}', { siteId: 1002 });

		const { hints, error } = await getMany({
			...{ operation, siteIds: '1001 1002 1003 1001' },
			...parameters,
		});

		expect(error).toBeUndefined();
		expect(hints.map(({ message }) => message)).toEqual(messages);
	});
});

describe('Get Units', () => {
	const operation = 'getUnits';

	it('returns a row for each unit, and none for a site without units', async () => {
		const { items, error } = await harness.run({ operation, siteIds: '1002 1020 1001' });

		expect(error).toBeUndefined();
		const rows = SITES.slice(0, 2)
			.reverse()
			.flatMap(({ siteId, siteName, units }) =>
				units?.map((unit) => ({ siteId, siteName, ...unit })),
			);
		expect(items).toEqual(rows.map((json) => ({ json, pairedItem: { item: 0 } })));
		expect(requests().map(({ url }) => url)).toContain('/meta/sites/1001?$include=units');
	});
});
