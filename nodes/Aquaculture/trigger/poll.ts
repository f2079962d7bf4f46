import type { INodeExecutionData, IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { cutQuotedValue } from '../utils/text';
import { toItems, type ChangeItem } from './changeItem';
import { findChanges, updateMemory } from './findChanges';
import { hasNewBaseline, keepMemory } from './memory';
import type { ActivePoll } from './pollLock';
import { readSites } from './readSites';
import { describeUnusableParts, report } from './report';
import { setUp } from './setUp';
import { getTriggerName, resetIfActivation, type TriggerState } from './state';
import { fetchTestEvent } from './testEvent';

/**
 * Reads the watched sites, and returns how they differ from the remembered ones. Does nothing while another poll of the same
 * trigger is running.
 *
 * @returns null if no execution is to start.
 * @throws NodeOperationError for unusable settings, before any request, if n8n activates the workflow or fetches a test event;
 *   for a test event also NodeApiError if no site can be read.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return toOutputData(await fetchTestEvent(context));
	const { state, isActivation } = resetIfActivation(context);
	const active = state.lock.begin(context, isActivation);
	if (!active) return null;
	try {
		return await readAndCompare(context, state, active);
	} catch (error) {
		// An exception keeps n8n from activating the workflow. In an active one, unusable settings are reported like other failures.
		if (isActivation) {
			state.rejectSettings();
			throw error as NodeOperationError;
		}
		const key = `settings ${cutQuotedValue((error as Error).message)}`;
		if (!active.signal.aborted && state.reminders.shouldReport([{ key }])) {
			context.__emitError(error as Error);
		}
		return null;
	} finally {
		state.lock.end(active);
	}
}

async function readAndCompare(
	context: IPollFunctions,
	state: TriggerState,
	active: ActivePoll,
): Promise<INodeExecutionData[][] | null> {
	const setup = await setUp(context, active);
	const order = state.order.sort(setup.sites, setup.remembered);
	const { failures, ...reading } = await readSites(setup, order, active.endsAt);
	if (active.signal.aborted) return null;

	const requested = order.filter((site) => !reading.unfinished.includes(site));
	state.order.reportRequested(requested, active.beganAt);
	const findings = findChanges(setup, reading.seen);
	const unusableParts = findings.flatMap(describeUnusableParts);
	report(context, state, active, setup, {
		...reading,
		failures: [...failures, ...unusableParts],
	});

	const items = findings.flatMap((finding) => toItems(getTriggerName(context), finding));
	const sites = updateMemory(setup, findings);
	keepMemory(context, setup.memoryKey, sites);
	// n8n stores the memory at the end of an activation, and otherwise only with an execution, which may have no items.
	const mustStore = !active.isInteractive && hasNewBaseline(sites, setup.stored);
	return items.length > 0 || mustStore ? toOutputData(items) : null;
}

function toOutputData(items: readonly ChangeItem[]): INodeExecutionData[][] {
	return [items.map((json) => ({ json }))];
}
