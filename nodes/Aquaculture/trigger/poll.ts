import type { INodeExecutionData, IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { logDebug } from '../n8n/log';
import { describeInMessage, getPollBudgetMs, getTriggerKey, identifyPoll } from '../n8n/polling';
import { LruCache } from '../utils/lruCache';
import { systemClock } from '../utils/time';
import { toItems, type ChangeItem } from './changeItem';
import { FailedExecutions } from './failedExecutions';
import { fetchSites } from './fetchSites';
import { findChanges } from './findChanges';
import { hasNewBaseline, TriggerMemory } from './memory';
import { PollLock, type ActivePoll } from './pollLock';
import { createPollSetup, type PollSetup } from './pollSetup';
import { SiteRecords } from './siteRecords';
import { createStatusReport, getReportPeriod, isReportDue, ReportState } from './statusReport';
import { fetchTestEvent } from './testEvent';

/* What happens in a poll, in order? */

/**
 * What this process keeps of a trigger until its next activation, which begins with the memory that n8n has stored: if the
 * workflow was unpublished during a poll, n8n has discarded the changes that this process takes for reported (2.40).
 */
class TriggerState {
	readonly memory = new TriggerMemory();
	readonly records = new SiteRecords();
	readonly failedExecutions = new FailedExecutions();
	readonly reportState = new ReportState();
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
	const kind = identifyPoll(context);
	const trigger = triggers.get(getTriggerKey(context));
	if (kind === 'testEvent') {
		return toOutputData(await fetchTestEvent(context, trigger.state.memory));
	}
	const active = trigger.lock.begin(kind, getPollBudgetMs(context));
	if (!active) return null;
	if (kind === 'activation') trigger.state = new TriggerState();
	const { lock, state } = trigger;
	try {
		return await pollSites(context, state, active);
	} catch (error) {
		// An exception keeps n8n from activating the workflow. In an active one, unusable settings are reported like other failures.
		if (kind === 'activation') throw describeInMessage(error as NodeOperationError);
		if (!active.signal.aborted) {
			state.failedExecutions.emitException(context, error as Error, active.beganAt);
		}
		return null;
	} finally {
		lock.end(active);
	}
}

async function pollSites(
	context: IPollFunctions,
	{ memory, records, failedExecutions, reportState }: TriggerState,
	active: ActivePoll,
): Promise<INodeExecutionData[][] | null> {
	const setup = await createPollSetup(context, active, memory);
	const sitesInOrder = records.watch(setup.sites, active.beganAt);
	const result = await fetchSites(setup, sitesInOrder);
	if (active.signal.aborted) return null;

	records.recordResults(result, active.beganAt);
	failedExecutions.emitFailures(context, setup, records);

	const { compared, toRemember } = findChanges(setup, result.fetched);
	const items = compared.flatMap((each) => toItems(setup.triggerKey, each));

	reportState.changes += items.length;
	const period = getReportPeriod(setup.settings.statusReport, context.getTimezone());
	if (period !== undefined && isReportDue(setup.reportedPeriod, period)) {
		items.push(createStatusReport(context, reportState, period, setup, records));
		reportState.reset();
	}

	const { memoryKey } = setup;
	memory.keep(context, { memoryKey, sites: toRemember, reportedPeriod: period });
	logPoll(setup, records, { fetched: result.fetched.size, items: items.length });
	// n8n stores the memory after an activation, except with durable cursors; then the next poll sees to it.
	const mustBeStored = active.kind === 'regular' && hasNewBaseline(toRemember, setup.handedOver);
	return items.length > 0 || mustBeStored ? toOutputData(items) : null;
}

function logPoll(
	{ poll, triggerKey, sites, client }: PollSetup,
	{ requestedByLastPoll }: SiteRecords,
	counts: { fetched: number; items: number },
): void {
	logDebug(client.account.settings, 'Polled', {
		trigger: triggerKey,
		kind: poll.kind,
		sites: sites.length,
		failures: requestedByLastPoll.filter(({ failures }) => failures.length > 0).length,
		unfinished: sites.length - requestedByLastPoll.length,
		...counts,
		tookMs: Math.round(systemClock.now() - poll.beganAt),
	});
}

function toOutputData(items: readonly ChangeItem[]): INodeExecutionData[][] {
	return [items.map((json) => ({ json }))];
}
