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

	it('is the same where a change comes again because its memory was not stored', async () => {
		const active = await activated();
		const { stored } = active;

		const [first] = await idsAfter('NEW', active);

		expect(first).toBeDefined();
		await expect(idsWith(stored, active)).resolves.toEqual([first]);
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
});
