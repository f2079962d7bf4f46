import type { INodeExecutionData, IPollFunctions, NodeOperationError } from 'n8n-workflow';
import type { ChangeItem } from './changeItem';
import { findChanges } from './findChanges';
import type { Memory } from './memory';
import { readSites } from './readSites';
import { report } from './report';
import { setUp } from './setUp';
import {
	fingerprintOf,
	keepMemory,
	nameOf,
	newestMemory,
	stateOf,
	type ActivePoll,
	type TriggerState,
} from './state';
import { fetchTestEvent } from './testEvent';

/**
 * Reads the watched sites and returns how they differ from the remembered ones. It does nothing while another poll of the
 * same trigger is running.
 *
 * @returns null if no execution is to start.
 * @throws NodeOperationError for unusable settings, before any request, if n8n activates the workflow or fetches a test event;
 *   for a test event also NodeApiError if a site cannot be read.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return outputOf(await fetchTestEvent(context));
	const { state, isActivation } = stateOf(context);
	const active = state.begin(context, isActivation);
	if (!active) return null;
	try {
		return await readAndCompare(context, state, newestMemory(context), active);
	} catch (error) {
		// An exception keeps n8n from activating the workflow. Once it is active, unusable settings fail like a site.
		if (isActivation) throw error as NodeOperationError;
		// Otherwise the next poll would look like one after an edit.
		state.node = fingerprintOf(context.getNode());
		const { message } = error as Error;
		if (!active.signal.aborted && state.shouldReport([{ key: `settings ${message}` }])) {
			context.__emitError(error as Error);
		}
		return null;
	} finally {
		state.end(active);
	}
}

async function readAndCompare(
	context: IPollFunctions,
	state: TriggerState,
	memory: Memory,
	active: ActivePoll,
): Promise<INodeExecutionData[][] | null> {
	const setup = await setUp(context, memory, active);
	state.node = fingerprintOf(context.getNode());
	const order = state.readingOrder(setup.sites, setup.remembered);
	const reading = await readSites(setup, order, active.endsAt);
	if (active.signal.aborted) return null;

	state.noteAsked(
		order.filter((site) => !reading.unread.includes(site)),
		active,
	);
	report(context, state, active, setup, reading);

	const { items, sites, memoryChanged } = findChanges(nameOf(context), setup, reading.seen);
	// n8n stores the memory at the end of an activation, otherwise only with an execution, if need be one without items.
	const startsExecution = items.length > 0 || (memoryChanged && !active.isAttended);
	const { storedAt } = memory;
	keepMemory(context, { source: setup.source, storedAt, sites }, startsExecution);
	return startsExecution ? outputOf(items) : null;
}

function outputOf(items: readonly ChangeItem[]): INodeExecutionData[][] {
	return [items.map((json) => ({ json }))];
}
