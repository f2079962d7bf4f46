import type { INodeExecutionData, IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { logDebug } from '../n8n/log';
import { systemClock } from '../utils/time';
import { LruCache } from '../utils/lruCache';
import { toItems, type ChangeItem } from './changeItem';
import { FailedExecutions } from './failedExecutions';
import { fetchSites } from './fetchSites';
import { findChanges } from './findChanges';
import { hasNewBaseline, isActivationStored, TriggerMemory } from './n8nMemory';
import { describeInMessage, getTriggerKey, PollLock, type ActivePoll } from './n8nPolls';
import { createPollSetup } from './pollSetup';
import { SiteRecords } from './siteRecords';
import { checkReport, createStatusReport, getReportPeriod, ReportCounts } from './statusReport';
import { fetchTestEvent } from './testEvent';

/* What happens in a poll, in order? */

/**
 * What this process keeps of a trigger from its activation on. An activation begins with the memory that n8n has stored: if the
 * workflow was unpublished during a poll, n8n has discarded the changes that this process takes for reported (2.40).
 */
class TriggerState {
	readonly memory = new TriggerMemory();
	readonly records = new SiteRecords();
	readonly failedExecutions = new FailedExecutions();
	readonly reportCounts = new ReportCounts();
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
		if (!active.signal.aborted) {
			state.failedExecutions.tellSettings(context, error as Error, active.beganAt);
		}
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
	const { memory, records, failedExecutions, reportCounts } = state;
	const { triggerKey, settings, remembered } = setup;
	const { account } = setup.client;
	const result = await fetchSites(setup, records.watch(setup.sites, remembered, active.beganAt));
	if (active.signal.aborted) return null;

	records.recordResults(result, active.beganAt);
	failedExecutions.tell(context, setup, records);
	const { changed, toRemember } = findChanges(setup, result.fetched);
	const items = changed.flatMap((each) => toItems(triggerKey, each));
	reportCounts.addPoll(items.length, account.limiter);
	const period = getReportPeriod(settings.statusReport, context.getTimezone());
	const { isDue, reportedPeriods } = checkReport(setup.reportedPeriods, period);
	if (isDue && period) {
		items.push(createStatusReport(context, reportCounts, period, setup, records));
		reportCounts.reset();
	}

	memory.keep(context, { memoryKey: setup.memoryKey, sites: toRemember, reportedPeriods });
	const isStored = active.kind === 'activation' && isActivationStored(context);
	const mustBeStored = !isStored && hasNewBaseline(toRemember, setup.stored);
	logDebug(account.settings, 'Polled', {
		trigger: triggerKey,
		kind: active.kind,
		sites: setup.sites.length,
		fetched: result.fetched.size,
		failures: records.ofLastPoll.filter(({ failures }) => failures.length > 0).length,
		unfinished: setup.sites.length - records.ofLastPoll.length,
		items: items.length,
		tookMs: Math.round(systemClock.now() - active.beganAt),
	});
	return items.length > 0 || mustBeStored ? toOutputData(items) : null;
}

function toOutputData(items: readonly ChangeItem[]): INodeExecutionData[][] {
	return [items.map((json) => ({ json }))];
}
