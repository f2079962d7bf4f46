import type { IDataObject } from 'n8n-workflow';
import { operations } from '../../nodes/Aquaculture/operations/allOperations';
import { CHANGE_KINDS } from '../../nodes/Aquaculture/trigger/triggerSettings';
import { ActiveTrigger } from '../../testbed/engine/activeTrigger';
import { useHarness, type NodeSettings } from '../../testbed/engine/harness';
import { EMPTY_COLUMNS, OUTPUTS } from '../outputs';
import { inferShape } from '../shape';

const SITE = { operation: 'getSite', siteId: '1001' };
const MANY = { operation: 'getManySites', sites: 'byId', siteIds: '1001 1002', simplify: false };
const UNITS = { operation: 'getUnits', sites: 'byId', siteIds: '1001 1003' };
const WHOLE = { ...MANY, siteIds: '1001' };
const NOTHING = { includeInfo: false, includeUnits: false };
const DETAILS = { includeUnits: false, options: { includeResponseDetails: true } };

const CONTINUE: NodeSettings = { onError: 'continueRegularOutput' };
const BRANCH: NodeSettings = { onError: 'continueErrorOutput' };
const TOOL: NodeSettings = { type: 'n8n-nodes-aquaculture.aquacultureTool' };

/** Unknown sites, without and with a name in the credential, and input that is not an ID. */
const failing = (settings: NodeSettings, ...names: string[]) =>
	names.flatMap((operation) =>
		['4040', '4041', 'x'].map((sites): [IDataObject, NodeSettings] => {
			return [{ operation, sites: 'byId', siteId: sites, siteIds: sites }, settings];
		}),
	);

/** Runs with the same columns. Site 1001 is complete, site 1002 has only its ID, and site 1003 an empty unit. */
const RUNS: Record<string, Array<[IDataObject, NodeSettings?]>> = {
	'Get Site, Get Many Sites: Simplify off': [[SITE], [SITE, TOOL], [WHOLE], [WHOLE, TOOL]],
	'Get Site, Get Many Sites: Simplify off, nothing included': [
		[{ ...SITE, ...NOTHING }],
		[{ ...WHOLE, ...NOTHING }],
	],
	'Get Site, Get Many Sites: Simplify off, Include Response Details': [
		[{ ...SITE, ...DETAILS }],
		[{ ...WHOLE, ...DETAILS }],
	],
	'Get Site, Get Many Sites: Simplify on': [
		[{ ...SITE, simplify: true }],
		[{ ...MANY, simplify: true }],
		[{ ...MANY, simplify: undefined }],
		[{ ...MANY, simplify: undefined }, TOOL],
	],
	'Get Site, Get Many Sites: Simplify on, nothing included': [
		[{ ...SITE, ...NOTHING, simplify: true }],
		[{ ...MANY, ...NOTHING, simplify: true }],
	],
	'Get Units': [[UNITS], [UNITS, TOOL]],
	'Get Units: Include Site Info': [[{ ...UNITS, includeSiteInfo: true }]],
	'Failed item': failing(CONTINUE, ...Object.keys(operations)),
	'Failed item on the error branch': failing(BRANCH, ...Object.keys(operations)),
	'Failed call of the tool': failing(TOOL, ...Object.keys(operations)),
	'Call of the tool that finds nothing': [
		[{ ...SITE, siteId: '4040', options: { ignoreMissing: true } }, TOOL],
		[{ ...MANY, siteIds: '4040', options: { ignoreMissing: true } }, TOOL],
		[{ ...UNITS, siteIds: '1020' }, TOOL],
	],
};

/** Expects the columns in this order. */
const expectPinned = (output: string, items: readonly unknown[]) => {
	const pinned = (OUTPUTS as Record<string, unknown>)[output];
	expect(JSON.stringify(inferShape(items), null, 1)).toBe(JSON.stringify(pinned, null, 1));
};

describe('test/outputs.ts', () => {
	const harness = useHarness();
	beforeEach(() => {
		harness.setCredential({ knownSites: '4041 Kråkøya' });
		harness.emulator.changeSite(1002, () => ({ siteId: 1002 }));
		harness.emulator.changeSite(1003, () => ({ siteId: 1003, units: [{}] }));
	});

	it.each(Object.keys(RUNS))('has the columns of %s', async (output) => {
		const outputs = await Promise.all(
			(RUNS[output] ?? []).map(
				async ([parameters, settings]) => await harness.run(parameters, settings),
			),
		);

		expect(outputs.map(({ error }) => error)).toEqual(outputs.map(() => undefined));
		expectPinned(
			output,
			outputs.flatMap(({ items, errorItems }) => [...items, ...errorItems].map(({ json }) => json)),
		);
	});

	it('covers all operations, and nothing else', () => {
		const plain = Object.values(RUNS)
			.flat()
			.filter(([, settings]) => settings === undefined);

		expect(new Set(plain.map(([{ operation }]) => operation))).toEqual(
			new Set(Object.keys(operations)),
		);
		expect(Object.keys(OUTPUTS)).toEqual([...Object.keys(RUNS), TRIGGER]);
	});

	const TRIGGER = 'Aquaculture Trigger';

	it('has the columns of the trigger for all kinds of items', async () => {
		harness.emulator.changeSite(1001, ({ units, ...site }) => ({
			...{ ...site, manager: 'Old', isOpen: false },
			units: units?.map((unit) => ({ ...unit, volume: 0 })),
		}));
		const active = new ActiveTrigger(harness, { siteIds: '1001' });
		await active.activate();
		const samples = (await active.fetchTestEvent()) ?? [];
		harness.emulator.changeSite(1001, ({ units = [], ...site }) => {
			const [first, second, third] = units ?? [];
			return {
				...{ ...site, siteName: 'New', manager: 'New', isOpen: true },
				info: { ...site.info, license: 'New', maxTotalBiomass: 1, code: 'New' },
				units: [
					{ ...first, unitName: 'New' },
					{ ...second, latitude: 1 },
					{ ...third, volume: 1 },
					{ unitId: 77, unitName: 'Merd 77' },
				],
			};
		});
		const { items: changes = [] } = await active.poll();
		harness.emulator.changeSite(1001, () => ({ siteId: 1001, units: [{}] }));
		const { items: losses = [] } = await active.poll();
		const overdue = {
			name: 'Reporting',
			stored: { 'node:Reporting': { reportedPeriod: 'daily 2026' } },
		};
		const reporting = new ActiveTrigger(harness, { statusReport: 'daily' }, overdue);
		const { items: reports = [] } = await reporting.activate();
		const of = (kind: string) =>
			[...changes, ...losses, ...reports].filter(({ change }) => change === kind);

		expectPinned(TRIGGER, [...samples, ...changes, ...losses, ...reports]);
		const kinds = [...CHANGE_KINDS, 'statusReport'];
		const empty = kinds.map((kind) => [
			kind,
			Object.entries(inferShape(of(kind)))
				.filter(([, shape]) => shape === 'null')
				.map(([column]) => column),
		]);
		expect(Object.fromEntries(empty)).toEqual(EMPTY_COLUMNS);
	});
});
