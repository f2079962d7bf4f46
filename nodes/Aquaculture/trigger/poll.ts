import type { INodeExecutionData, IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { logDebug } from '../n8n/log';
import { systemClock } from '../utils/clock';
import { LruCache } from '../utils/lruCache';
import { cutQuotedValue } from '../utils/text';
import { describeInMessage } from '../polling/failedExecution';
import { TriggerMemory } from '../polling/memory';
import { PollLock, type ActivePoll } from '../polling/pollLock';
import { getTriggerKey } from '../polling/triggerKey';
import { toItems, type ChangeItem } from './changeItem';
import { FetchOrder } from './fetchOrder';
import { fetchSites } from './fetchSites';
import { findChanges, listRemembered } from './findChanges';
import { createPollSetup } from './pollSetup';
import { Reminders } from './reminders';
import { reportFailures, reportLeftOut } from './reportFailures';
import { createStatusReport, getReportPeriod, StatusLog } from './statusReport';
import { fetchTestEvent } from './testEvent';

/**
 * What this process keeps of a trigger from its activation on. An activation begins with the memory that n8n has stored: if the
 * workflow was unpublished during a poll, n8n has discarded the changes that this process takes for reported (2.40).
 */
class TriggerState {
	readonly memory = new TriggerMemory();
	readonly order = new FetchOrder();
	readonly reminders = new Reminders();
	readonly statusLog = new StatusLog();
}

/** More than a process polls, so that only deleted triggers are evicted. */
const MAX_TRIGGERS = 1000;

const triggers = new LruCache(MAX_TRIGGERS, () => ({
	lock: new PollLock(),
	state: new TriggerState(),
}));

/**
 * Fetches the watched sites, and returns how they differ from the remembered ones. Does nothing while another poll of the same
 * trigger is running.
 *
 * @returns null if no execution is to start.
 * @throws NodeOperationError for unusable settings, before any request, if n8n activates the workflow or fetches a test event;
 *   for a test event also NodeApiError if no site can be fetched.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const trigger = triggers.get(getTriggerKey(context));
	if (context.getMode() === 'manual') {
		return toOutputData(await fetchTestEvent(context, trigger.state.memory));
	}
	const active = trigger.lock.begin(context);
	if (!active) return null;
	if (active.kind === 'activation') trigger.state = new TriggerState();
	const { lock, state } = trigger;
	try {
		return await pollSites(context, state, active);
	} catch (error) {
		// An exception keeps n8n from activating the workflow. In an active one, unusable settings are reported like other failures.
		if (active.kind === 'activation') throw describeInMessage(error as NodeOperationError);
		const key = `settings ${cutQuotedValue((error as Error).message)}`;
		if (!active.signal.aborted) state.reminders.report(context, [{ key }], error as Error);
		return null;
	} finally {
		lock.end(active);
	}
}

async function pollSites(
	context: IPollFunctions,
	state: TriggerState,
	active: ActivePoll,
): Promise<INodeExecutionData[][] | null> {
	const setup = await createPollSetup(context, active, state.memory);
	const result = await fetchSites(setup, state.order);
	if (active.signal.aborted) return null;

	reportFailures(context, state.reminders, setup, result);
	if (active.kind === 'activation') reportLeftOut(context, setup, result);
	const found = findChanges(setup, result.fetched);
	const triggerKey = getTriggerKey(context);
	const items = found.flatMap((changes) => toItems(triggerKey, changes));
	state.statusLog.add(found);
	const period = getReportPeriod(setup.settings.statusReport, context.getTimezone());
	// A new trigger has no earlier report, so its first one comes when the current day or week is over.
	if (period && setup.reportedPeriod && period > setup.reportedPeriod) {
		items.push(createStatusReport(context, state.statusLog, period, setup, result));
		state.statusLog.reset();
	}

	const { memoryKey } = setup;
	const content = { memoryKey, sites: listRemembered(setup, found), reportedPeriod: period };
	const needsExecution = state.memory.keep(context, content, active.kind === 'activation');
	logDebug(setup.client.account.settings, 'Polled', {
		trigger: triggerKey,
		kind: active.kind,
		sites: setup.sites.length,
		fetched: result.fetched.size,
		failures: result.failed.length,
		unfinished: result.unfinished.length,
		items: items.length,
		tookMs: Math.round(systemClock.now() - active.beganAt),
	});
	return items.length > 0 || needsExecution ? toOutputData(items) : null;
}

function toOutputData(items: readonly ChangeItem[]): INodeExecutionData[][] {
	return [items.map((json) => ({ json }))];
}
