import type { IDataObject } from 'n8n-workflow';
import type { EmulatorSettings } from '../../emulator/server';
import type { StoredSite } from '../../emulator/sites';
import { ActiveTrigger, type PollOutcome } from './activeTrigger';
import { useHarness } from './harness';

export const NOTHING: PollOutcome = { items: undefined, errors: [] };
/** An execution without items makes n8n store the memory. */
export const STORED: PollOutcome = { items: [], errors: [] };

export const changesOf = ({ items }: PollOutcome) =>
	items?.map(({ siteId, change, oldValue, newValue }) => [siteId, change, oldValue, newValue]);
export const messagesOf = (outcomes: readonly PollOutcome[]) =>
	outcomes.map(({ errors }) => errors.map(({ message }) => message));

/** A change as {@link changesOf} returns it. */
export const relicensed = (siteId: number, ...values: [oldValue: string, newValue: string]) => {
	return [siteId, 'licenseChanged', ...values];
};

let testCount = 0;

/** Starts a harness for each test of a block, with what the tests of the trigger do with it. */
export function useTrigger(emulator: Partial<EmulatorSettings> = {}) {
	const harness = useHarness(emulator);
	// The package keeps what it knows of a trigger beyond a test, such as a poll that goes on: each test has its own workflow.
	beforeEach(() => {
		testCount += 1;
	});
	const change = (siteId: number, edit: (site: StoredSite) => unknown) =>
		harness.emulator.changeSite(siteId, (site) => {
			edit(site);
			return site;
		});
	const relicense = (siteId: number, license: string) =>
		change(siteId, (site) => Object.assign(site.info ?? {}, { license }));

	const trigger = (
		parameters: IDataObject = {},
		settings: ConstructorParameters<typeof ActiveTrigger>[2] = {},
	) => new ActiveTrigger(harness, parameters, { workflowId: `workflow-${testCount}`, ...settings });
	const activated = async (...made: Parameters<typeof trigger>) => {
		const active = trigger(...made);
		await active.activate();
		return active;
	};
	const pollTimes = async (active: ActiveTrigger, count: number) => {
		const outcomes: PollOutcome[] = [];
		while (outcomes.length < count) outcomes.push(await active.poll());
		return outcomes;
	};
	const expectToBeWatching = async (active: ActiveTrigger) => {
		relicense(1001, 'NEW');
		expect(changesOf(await active.poll())).toEqual([relicensed(1001, 'M-H-0101', 'NEW')]);
	};
	return { harness, change, relicense, trigger, activated, pollTimes, expectToBeWatching };
}
