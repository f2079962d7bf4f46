import type { IDataObject } from 'n8n-workflow';
import { SITES } from '../../emulator/sites';
import type { ActiveTrigger } from '../../testbed/engine/activeTrigger';
import { changesOf, NOTHING, useTrigger } from '../../testbed/engine/useTrigger';
import { step, TRIGGER_TYPE } from '../../testbed/workflows';

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Names with a meaning in JavaScript, and one of n8n's static data. */
const FIELDS_OF_JAVASCRIPT = ['__proto__', 'constructor', 'toJSON', 'then', '__dataChanged'];

describe('the trigger', () => {
	const { harness, change, relicense, trigger, activated } = useTrigger();

	describe('items', () => {
		it('reports each change after the activation once, and none from before', async () => {
			const active = trigger({ siteIds: '1002, 1001 1002', changes: ['licenseChanged'] });

			await expect(active.activate()).resolves.toEqual(NOTHING);
			await expect(active.poll()).resolves.toEqual(NOTHING);
			relicense(1002, 'T-N-0999');
			const { items, errors } = await active.poll();
			await expect(active.poll()).resolves.toEqual(NOTHING);

			expect(errors).toEqual([]);
			expect(items).toEqual([
				{
					changeId: expect.stringMatching(/^[a-z0-9]{19}$/) as unknown,
					summary: 'Licence of Kråkøya (1002): T-N-0102 → T-N-0999',
					siteName: 'Kråkøya',
					unitName: null,
					fieldName: 'Licence',
					oldValue: 'T-N-0102',
					newValue: 'T-N-0999',
					seenAt: expect.stringMatching(ISO_TIME) as unknown,
					siteId: 1002,
					unitId: null,
					change: 'licenseChanged',
					field: 'license',
				},
			]);
			expect(harness.emulator.journal.count('site')).toBe(8);
			expect(harness.emulator.journal.count('token')).toBe(1);
			// Whole sites, whatever 'Trigger On' says.
			expect(harness.emulator.journal.of('site').at(-1)?.url).toMatch(/\?\$include=units,info$/);
		});

		it('returns an item with a summary for each change', async () => {
			const active = await activated();
			change(1001, (site) => {
				site.siteName = 'Storvågen ytre';
				Object.assign(site, { manager: 'K. Berg', area: { code: 7, note: 'x'.repeat(100) } });
				Object.assign(site.info ?? {}, { maxTotalBiomass: 3200, timezone: null, depth: 40 });
				const [first, second, third, , ...rest] = site.units ?? [];
				Object.assign(first ?? {}, { unitName: 'Merd 1A' });
				Object.assign(second ?? {}, { latitude: 63.6, longitude: null });
				Object.assign(third ?? {}, { volume: 30000 });
				site.units = [
					{ unitId: 77, unitName: '' },
					{ unitId: 78, unitName: 'Merd 78' },
					...rest.reverse(),
					...[third, second, first].filter((unit) => unit !== undefined),
				];
			});

			const { items } = await active.poll();

			const area = `{"code":7,"note":"${'x'.repeat(100)}"}`;
			const site = 'Storvågen ytre (1001)';
			expect(
				items?.map(({ change: kind, field, unitId, unitName, summary }) =>
					[kind, field, unitId, unitName, summary].join('|'),
				),
			).toEqual([
				`siteRenamed|siteName|||Name of ${site}: Storvågen → Storvågen ytre`,
				`siteChanged|manager|||manager of ${site}: (empty) → K. Berg`,
				`siteChanged|area|||area of ${site}: (empty) → ${area.slice(0, 99)}…`,
				`biomassLimitChanged|maxTotalBiomass|||Biomass limit of ${site}: 3120 → 3200`,
				`infoChanged|depth|||depth of ${site}: (empty) → 40`,
				`infoChanged|timezone|||Time zone of ${site}: Europe/Oslo → (empty)`,
				`unitAdded||77||Unit 77 added to ${site}`,
				`unitAdded||78|Merd 78|Unit Merd 78 added to ${site}`,
				`unitChanged|volume|10012|Merd 3|volume of unit Merd 3 of ${site}: (empty) → 30000`,
				`unitMoved|position|10011|Merd 2|Position of unit Merd 2 of ${site}: 63.522, 8.4136 → 63.6, unknown`,
				`unitRenamed|unitName|10010|Merd 1A|Name of unit Merd 1A of ${site}: Merd 1 → Merd 1A`,
				`unitRemoved||10013|Merd 4|Unit Merd 4 removed from ${site}`,
			]);

			change(1001, ({ units }) => units?.push({ volume: 1 }));
			await expect(active.poll()).resolves.toMatchObject({
				items: [{ unitId: null, summary: `Unit without name added to ${site}` }],
			});
		});

		it.each(FIELDS_OF_JAVASCRIPT)('reports changes of the field %s', async (name) => {
			const active = await activated();
			const pollWith = async (value: number) => {
				const field = `"${name}":{"a":${value}},`;
				const body = JSON.stringify(SITES[0]);
				harness.emulator.reset();
				harness.sendBody(body.replace(/"(siteName|license|unitName)"/g, `${field}$&`));
				return changesOf(await active.poll());
			};
			const kinds = ['siteChanged', 'infoChanged', ...Array<string>(8).fill('unitChanged')];
			const changed = (...values: Array<string | null>) =>
				kinds.map((kind) => [1001, kind, ...values]);

			expect(await pollWith(1)).toEqual(changed(null, '{"a":1}'));
			await expect(active.activate()).resolves.toEqual(NOTHING);
			expect(await pollWith(2)).toEqual(changed('{"a":1}', '{"a":2}'));
			await expect(active.poll()).resolves.toEqual(NOTHING);
		});
	});

	it("reports licence and biomass limit with 'Site Info Changed', but no other changes", async () => {
		const active = await activated({ changes: ['infoChanged'] });
		change(1001, (site) => {
			site.siteName = 'Other';
			Object.assign(site.info ?? {}, { maxTotalBiomass: 1, license: 'L', code: 'C' });
		});

		const { items } = await active.poll();

		expect(items?.map(({ change: kind }) => kind).sort()).toEqual([
			...['biomassLimitChanged', 'infoChanged', 'licenseChanged'],
		]);
	});

	it.each<[IDataObject, string]>([
		[{ changes: ['any'], sites: 'all' }, 'Any Change: all sites'],
		[
			{ changes: ['licenseChanged', 'unitAdded'], sites: 'fromList', chosenSites: [1001, 1002] },
			'Licence Changed, Unit Added: 2 sites',
		],
		[{ changes: ['unitMoved'], sites: 'byId', siteIds: '1001' }, 'Unit Moved: sites 1001'],
	])('has a subtitle for %j', (parameters, subtitle) => {
		const { description } = harness.engine.triggerType;
		const saved = step('Trigger', TRIGGER_TYPE, parameters);
		const { workflow, node } = harness.engine.pollContext(saved, 'trigger');

		expect(
			workflow.expression.getSimpleParameterValue(node, description.subtitle, 'internal', {}),
		).toBe(subtitle);
	});

	describe('changeId', () => {
		const idOf = async (active: ActiveTrigger) => (await active.poll()).items?.[0]?.changeId;

		it('differs between nodes, workflows and copies of a workflow', async () => {
			const active = await activated();
			const { stored } = active;
			const others = [
				await activated({}, { name: 'Renamed' }),
				await activated({}, { workflowId: 'another' }),
				await activated({}, { workflowId: 'copy', stored }),
			];
			relicense(1001, 'B');

			const ids = await Promise.all([active, ...others].map(idOf));

			expect(ids).not.toContain(undefined);
			expect(new Set(ids).size).toBe(4);
		});

		it('of a test event is that of the change, or new for each sample', async () => {
			const active = await activated();
			const idOfTestEvent = async () => (await active.fetchTestEvent())?.[0]?.changeId;
			const samples = [await idOfTestEvent(), await idOfTestEvent()];
			relicense(1001, 'B');
			const shown = await idOfTestEvent();

			expect(await idOf(active)).toBe(shown);
			expect(new Set([...samples, shown]).size).toBe(3);
		});
	});

	describe('test events', () => {
		it('are a sample or the changes, and leave the memory alone', async () => {
			const active = trigger({ changes: ['licenseChanged'] });
			const sample = await active.fetchTestEvent();
			expect(sample).toEqual([
				{
					summary: 'Sample: Licence of Storvågen (1001): "M-H-0101" → "M-H-0101"',
					siteName: 'Sample: Storvågen',
					unitName: null,
					fieldName: 'Sample: Licence',
					oldValue: 'Sample: M-H-0101',
					newValue: 'Sample: M-H-0101',
					seenAt: expect.stringMatching(ISO_TIME) as unknown,
					siteId: 1001,
					unitId: null,
					change: 'licenseChanged',
					field: 'license',
					changeId: expect.stringMatching(/^sample-[a-z0-9]{19}$/) as unknown,
				},
			]);
			expect(active.stored).toEqual({});

			await active.activate();
			relicense(1001, 'NEW-1');
			const summary = 'Licence of Storvågen (1001): M-H-0101 → NEW-1';
			await expect(active.fetchTestEvent()).resolves.toMatchObject([{ summary }]);
			await expect(active.poll()).resolves.toMatchObject({ items: [{ summary }] });
		});

		const SITE = 'Storvågen (1001)';
		it.each([
			['siteRenamed', 'Storvågen', `Name of ${SITE}: "Storvågen" → "Storvågen"`],
			['biomassLimitChanged', 3120, `Biomass limit of ${SITE}: 3120 → 3120`],
			[
				'unitMoved',
				'63.5218, 8.4127',
				`Position of unit Merd 1 of ${SITE}: "63.5218, 8.4127" → "63.5218, 8.4127"`,
			],
			['unitAdded', 'Merd 1', `Unit Merd 1 added to ${SITE}`],
			['unitRemoved', null, `Unit Merd 1 removed from ${SITE}`],
		])('for %s have the current value', async (change, value, summary) => {
			const newValue = typeof value === 'string' ? `Sample: ${value}` : value;
			await expect(trigger({ changes: [change] }).fetchTestEvent()).resolves.toMatchObject([
				{ siteId: 1001, change, newValue, summary: `Sample: ${summary}` },
			]);
		});

		it('are of another kind if the site has none that is watched', async () => {
			change(1001, (site) => Object.assign(site, { units: [] }));

			await expect(trigger({ changes: ['unitMoved'] }).fetchTestEvent()).resolves.toMatchObject([
				{ change: 'siteRenamed' },
			]);
		});

		it('have a sample of the status report, if it is on', async () => {
			const items = await trigger({ statusReport: 'weekly' }).fetchTestEvent();

			expect(items).toMatchObject([
				{ change: 'siteRenamed' },
				{
					change: 'statusReport',
					summary: expect.stringMatching(
						/^Sample: All is well: 1 site, last read \d\d:\d\d\. 0 changes /,
					) as unknown,
					changeId: expect.stringMatching(/^sample-/) as unknown,
				},
			]);
		});

		it('are empty if a site has no value', async () => {
			const bare = { siteName: null, info: undefined, units: undefined };
			change(1001, (site) => Object.assign(site, bare));

			await expect(trigger().fetchTestEvent()).resolves.toEqual([]);
		});

		it('are a sample although another site is unknown, forbidden or misspelt', async () => {
			harness.failSites(403, { siteId: 1002 });

			await expect(
				trigger({ siteIds: '4041, two, 1002, 1001' }).fetchTestEvent(),
			).resolves.toMatchObject([{ siteId: 1001 }]);
		});

		it('fail with the names of all sites if none can be read', async () => {
			const fetch = async (siteIds: string) => await trigger({ siteIds }).fetchTestEvent();

			await expect(fetch('4041 4042 4043 4044 4045 4046 4047 4048')).rejects.toMatchObject({
				name: 'NodeApiError',
				message: '8 sites could not be read: 4041, 4042, 4043, 4044, 4045, 4046, 4047, 4048',
				description: expect.stringMatching(
					/^(The service does not know site 404\d \(".+", trace ID \S+\)\.\n){8}Check the site ID\. If no site is found, /,
				) as unknown,
			});
			await expect(fetch('4041')).rejects.toMatchObject({
				message: 'The service does not know site 4041',
				description: expect.not.stringMatching(/next poll|These are/) as unknown,
			});
		});
	});
});
