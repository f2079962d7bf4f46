import type { IDataObject } from 'n8n-workflow';
import type { StoredSite } from '../../emulator/sites';
import { ActiveTrigger } from '../../testbed/engine/activeTrigger';
import { shareRig, type Rig } from '../../testbed/engine/rig';

const idsOf = (items: IDataObject[] | undefined) => items?.map(({ id }) => id) ?? [];

describe('the ID of an item of the trigger', () => {
	let rig: Rig;

	shareRig((started) => {
		rig = started;
	});

	type Settings = ConstructorParameters<typeof ActiveTrigger>[2];
	const activated = async (settings: Settings = {}, parameters: IDataObject = {}) => {
		const active = new ActiveTrigger(rig, parameters, settings);
		await active.activate();
		return active;
	};
	const edit = (change: (site: StoredSite) => unknown) =>
		rig.emulator.changeSite(1001, (site) => {
			change(site);
			return site;
		});
	const relicense = (license: string) => edit(({ info }) => Object.assign(info ?? {}, { license }));
	const rename = (siteName: string) => edit((site) => Object.assign(site, { siteName }));
	/** The IDs of what a poll returns after a new licence. */
	const idsAfter = async (license: string, ...triggers: ActiveTrigger[]) => {
		relicense(license);
		const outcomes = await Promise.all(triggers.map(async (active) => await active.poll()));
		return outcomes.flatMap(({ items }) => idsOf(items));
	};
	/** n8n starts again with an older memory than that of its last poll. */
	const idsWith = async (stored: IDataObject, active: ActiveTrigger) => {
		active.stored = stored;
		return idsOf((await active.activate()).items);
	};

	it('is a short text, in the first column', async () => {
		const active = await activated();
		relicense('NEW');

		const { items = [] } = await active.poll();

		expect(Object.entries(items[0] ?? {})[0]).toEqual([
			'id',
			expect.stringMatching(/^[a-z0-9]{19}$/) as unknown,
		]);
	});

	it('is the same where a change comes again because its memory was not stored', async () => {
		const active = await activated();
		const { stored } = active;

		const [first] = await idsAfter('NEW', active);

		expect(first).toBeDefined();
		await expect(idsWith(stored, active)).resolves.toEqual([first]);
	});

	it('is the same where it comes again with further changes, which came one by one', async () => {
		const active = await activated();
		const { stored } = active;
		const [licence] = await idsAfter('NEW', active);
		rename('Storvågen ytre');
		const [name] = idsOf((await active.poll()).items);
		edit(({ units }) => units?.shift());

		const ids = await idsWith(stored, active);

		expect(ids).toEqual([name, licence, expect.any(String)]);
	});

	it('is the same whatever the order of units and fields in the answer', async () => {
		const active = await activated();
		const { stored } = active;
		edit((site) => {
			Object.assign(site, { area: { code: 7, note: 'x' } });
			for (const unit of site.units ?? []) Object.assign(unit, { latitude: 60 });
		});
		const { items } = await active.poll();
		edit((site) => {
			Object.assign(site, { area: { note: 'x', code: 7 } });
			site.units?.reverse();
		});

		const again = await idsWith(stored, active);

		expect(new Set(again).size).toBe(9);
		expect(again.toSorted()).toEqual(idsOf(items).toSorted());
	});

	it('is another one for another new value, also where the first change was not stored', async () => {
		const active = await activated();
		const { stored } = active;
		const [first] = await idsAfter('NEW-1', active);
		relicense('NEW-2');

		const [second] = await idsWith(stored, active);

		expect(second).toBeDefined();
		expect(second).not.toBe(first);
	});

	it('is another one each time that a value changes and changes back', async () => {
		const active = await activated();
		const ids: unknown[] = [];
		for (const licence of ['B', 'M-H-0101', 'B', 'M-H-0101', 'B']) {
			ids.push(...(await idsAfter(licence, active)));
		}

		expect(new Set(ids).size).toBe(5);
	});

	it('is another one for each of many changes at once, of twins too', async () => {
		const active = await activated();
		edit((site) => {
			Object.assign(site, { siteName: 'New', manager: 'New', license: 'New' });
			Object.assign(site.info ?? {}, { license: 'New', code: 'New' });
			site.units = Array.from({ length: 40 }, () => ({ unitName: 'Twin' }));
		});

		const { items } = await active.poll();

		expect(items?.length).toBeGreaterThan(40);
		expect(new Set(idsOf(items)).size).toBe(items?.length);
	});

	it('is another one after the memory was lost', async () => {
		const [first] = await idsAfter('B', await activated());
		relicense('M-H-0101');

		const [second] = await idsAfter('B', await activated());

		expect(second).toBeDefined();
		expect(second).not.toBe(first);
	});

	it('is another one in another node of the workflow, in another workflow, and in a copy that has the memory too', async () => {
		const active = await activated();
		const { stored } = active;
		const others = [
			await activated({ name: 'Renamed' }),
			await activated({ workflowId: 'another' }),
			await activated({ workflowId: 'copy', stored }),
		];

		const ids = await idsAfter('B', active, ...others);

		expect(ids).toHaveLength(4);
		expect(new Set(ids).size).toBe(4);
	});

	it('is another one after the site was not watched for a while', async () => {
		const active = await activated();
		const [first] = await idsAfter('B', active);
		await active.activate({ siteIds: '1002' });
		relicense('M-H-0101');
		await active.activate({ siteIds: '1001' });

		const [second] = await idsAfter('B', active);

		expect(second).toBeDefined();
		expect(second).not.toBe(first);
	});

	it('of the current values is another one for each, and than that of any change', async () => {
		const active = new ActiveTrigger(rig, { emitCurrentState: true });
		const { items } = await active.activate();

		const ids = [...idsOf(items), ...(await idsAfter('B', active))];

		expect(ids.length).toBeGreaterThan(10);
		expect(new Set(ids).size).toBe(ids.length);
	});

	it('of a test event is that of the change, or a new one for each sample', async () => {
		const active = await activated();
		const samples = [
			...idsOf(await active.fetchTestEvent()),
			...idsOf(await active.fetchTestEvent()),
		];
		relicense('B');

		const shown = idsOf(await active.fetchTestEvent());
		const { items } = await active.poll();

		expect(shown).toEqual(idsOf(items));
		expect(new Set([...samples, ...shown]).size).toBe(3);
	});

	it('takes little room in the memory, however many things change', async () => {
		const active = await activated();
		for (let round = 0; round < 20; round++) {
			edit((site) => {
				site.units = Array.from({ length: 10 }, (_, index) => ({ unitId: 10 * round + index }));
			});
			await active.poll();
		}

		const { sites } = active.stored['node:Aquaculture Trigger'] as { sites: IDataObject };
		const { ids } = sites['1001'] as IDataObject;
		expect(JSON.stringify(ids).length).toBeLessThan(500);
	});
});
