import type { IDataObject } from 'n8n-workflow';
import { ActiveTrigger } from '../../testbed/engine/activeTrigger';
import { shareRig, type Rig } from '../../testbed/engine/rig';
import { PAGES } from './pages';

/**
 * What the examples of output in the documentation may show: the first item of each of these runs, which read site 1001
 * of the emulated service or site 1002, which the account may not read, and what the trigger tells of a new licence.
 */
const RUNS: IDataObject[] = [
	{ operation: 'getSite', siteId: '1001' },
	{ operation: 'getSite', siteId: '1001', includeUnits: false },
	{ operation: 'getSite', siteId: '1001', options: { includeResponseDetails: true } },
	{ operation: 'getUnits', siteIds: '1001' },
	{ operation: 'getUnits', siteIds: '1001', includeSiteInfo: true },
	{ operation: 'getSite', siteId: '1001', simplify: true },
	{ operation: 'getSite', siteId: '1002' },
];

/** Stand for the ID of a change, and for the time at which the trigger saw it. */
const ID = '5k0q8zv1m3x7c2t9b4d';
const SEEN_AT = '2026-03-02T07:15:04.120Z';

/** The settings of an assistant are used in test/n8n/assistants.test.ts. */
const blocks = PAGES.flatMap((page) => page.blocks).filter(
	({ language, text }) => language === 'json' && !text.includes('"mcpServers"'),
);

/** Whether what is shown is what has been returned, in the same order, except that lists may be cut short. */
function isShown(shown: unknown, real: unknown): boolean {
	if (Array.isArray(shown) && Array.isArray(real)) {
		return (
			shown.length > 0 &&
			shown.length <= real.length &&
			shown.every((element, index) => isShown(element, real[index]))
		);
	}
	if (!isObject(shown) || !isObject(real)) return Object.is(shown, real);
	return (
		Object.keys(shown).join() === Object.keys(real).join() &&
		Object.entries(shown).every(([name, value]) => isShown(value, real[name]))
	);
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

describe('the JSON of the documentation', () => {
	let rig: Rig;
	let outputs: unknown[] | undefined;

	shareRig((started) => {
		rig = started;
	});
	beforeEach(async () => {
		if (outputs) return;
		rig.setCredential({ knownSites: '1002 Kråkøya' });
		const forbidden = { kind: 'status', status: 403, body: '{}' } as const;
		rig.emulator.fail({ route: 'site', siteId: 1002, fault: forbidden });
		outputs = [...(await Promise.all(RUNS.map(firstItemOf))), await tellingOf('M-H-0202')];
	});

	const firstItemOf = async (parameters: IDataObject) => {
		const { items } = await rig.run(parameters, { onError: 'continueRegularOutput' });
		return items[0]?.json;
	};
	const tellingOf = async (license: string) => {
		const trigger = new ActiveTrigger(rig, {});
		await trigger.activate();
		rig.emulator.changeSite(1001, (site) => ({ ...site, info: { ...site.info, license } }));
		const { items } = await trigger.poll();
		return { ...items?.[0], id: ID, seenAt: SEEN_AT };
	};

	it.each(blocks)(
		'the JSON of the documentation $place is what the node returns',
		({ place, text }) => {
			const shown = JSON.parse(text) as unknown;
			const help = `${place} shows what none of the runs returns. Correct it, or add its run to RUNS in outputs.test.ts.`;

			expect(outputs?.some((output) => isShown(shown, output)) ? '' : help).toBe('');
		},
	);

	it('the JSON of the documentation is shown for each operation that has an output of its own', () => {
		const texts = blocks.map(({ text }) => JSON.parse(text) as unknown);
		const [site, , , units, , row, failed, change] = outputs ?? [];

		for (const output of [site, units, row, failed, change]) {
			expect(texts.some((shown) => isShown(shown, output))).toBe(true);
		}
	});
});
