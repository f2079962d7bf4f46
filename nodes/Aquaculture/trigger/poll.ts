import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { MESSAGES } from '../../../texts/messages';
import type { ChangeItem } from './changeItem';
import { compareSites } from './compareSites';
import {
	describeFailures,
	pollError,
	reportOf,
	type PollFailure,
	type Report,
} from './failureReport';
import { memoryFailure, readingFailures, unreadFailures } from './failures';
import { loadMemory, saveMemory, type Memory, type RememberedSite } from './memory';
import type { CurrentPoll } from './pollGuard';
import { pollTimeOf, SHORT_POLL_MS } from './pollTimes';
import { readWatched, type TimeLimits } from './readWatched';
import { readingOrder, recordOf, recordsAfter, type TriggerRecord } from './record';
import { setUp, settingsFailure } from './setUp';
import { fetchTestEvent } from './testEvent';

/** A poll at the activation of a workflow hardly waits for the account's budget: a person is watching. */
const ACTIVATION = { allowedMs: SHORT_POLL_MS, patienceMs: 5_000 };

/**
 * Reads the watched sites and returns how they differ from what is remembered of them. A poll that begins while another
 * one of the same trigger is under way, or with an outdated memory, does nothing.
 *
 * What fails is reported as a failed execution beside the changes. It is not thrown: an exception would lose the changes
 * of the other sites, and keep n8n from activating the workflow. An unusable setting is thrown by the first poll.
 *
 * @returns null if no execution is to start.
 * @throws NodeOperationError for unusable settings, before any request; in the editor also NodeApiError if a site cannot
 *   be read.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return output(await fetchTestEvent(context));
	const openPoll = beginPoll(context);
	if (!openPoll) return null;
	try {
		const findings = await findChanges(context, openPoll);
		if (openPoll.current.signal.aborted) return null;
		const report = reportOf(findings, openPoll.memory.failures, Date.now());
		tell(context, findings, report);
		return remember(context, openPoll, findings, report) ? output(findings.items) : null;
	} finally {
		openPoll.current.end();
	}
}

/** A poll that may go on. */
interface OpenPoll {
	record: TriggerRecord;
	memory: Memory;
	current: CurrentPoll;
	isActivation: boolean;
	time: TimeLimits;
	/** About how long until the next poll begins, in milliseconds. */
	intervalMs: number;
}

/** @returns undefined if another poll is under way, or the memory is outdated. */
function beginPoll(context: IPollFunctions): OpenPoll | undefined {
	const record = recordOf(context);
	const memory = loadMemory(context.getWorkflowStaticData('node'));
	const now = performance.now();
	const { allowedMs, intervalMs } = pollTimeOf(context, record.polledAt && now - record.polledAt);
	const current = record.guard.begin(context, memory.revision, allowedMs);
	if (!current) return undefined;
	record.polledAt = now;
	const isActivation = current.kind === 'activation';
	const time = isActivation
		? { endsAt: now + ACTIVATION.allowedMs, patienceMs: ACTIVATION.patienceMs }
		: { endsAt: now + allowedMs };
	return { record, memory, current, isActivation, time, intervalMs };
}

/** What a poll has found. */
interface Findings {
	items: ChangeItem[];
	failures: PollFailure[];
	/** The sites that were read, by their IDs. */
	seen: ReadonlyMap<number, unknown>;
	/** The watched sites; undefined if it is not known which these are. */
	siteIds?: readonly number[];
	/** Whether there is more to remember than the items say. */
	hasLearned: boolean;
	/** What to remember, unless the settings cannot be used. */
	source: string;
	sites?: ReadonlyMap<number, RememberedSite>;
	keptSites?: readonly number[] | undefined;
	/** What this process knows of the sites from now on. */
	records: TriggerRecord['sites'];
}

/** @throws NodeOperationError for settings that cannot be used, if the workflow is being activated. */
async function findChanges(context: IPollFunctions, openPoll: OpenPoll): Promise<Findings> {
	const { record, memory, current, isActivation, time, intervalMs } = openPoll;
	const queueKind = isActivation ? 'attendedPoll' : 'poll';
	const settingUp = setUp(context, { queueKind, signal: current.signal, memory, time });
	const setup = await (isActivation ? settingUp : settingUp.catch(settingsFailure));
	const damage = memory.isDamaged ? [memoryFailure()] : [];
	if ('failure' in setup) {
		const nothing = { items: [], seen: new Map(), hasLearned: false, records: record.sites };
		return { ...nothing, failures: [setup, ...damage], source: memory.source };
	}
	const { settings, transport, source, remembered, keptSites } = setup;
	const order = readingOrder(settings.siteIds, record.sites, remembered);
	const reading = await readWatched(transport, settings, order, time);
	const { seen } = reading;
	const comparison = compareSites(settings, seen, remembered, context.getWorkflow().id);

	const { budget } = transport.account;
	const records = recordsAfter(record.sites, settings.siteIds, reading);
	return {
		items: comparison.items,
		failures: [
			...readingFailures(setup, reading, records),
			...unreadFailures({ reading, isActivation, intervalMs, budget, remembered }),
			...damage,
			...comparison.failures,
		],
		seen,
		siteIds: settings.siteIds,
		hasLearned: comparison.hasLearned,
		source,
		sites: comparison.sites,
		keptSites,
		records,
	};
}

/** Writes to n8n's log, and adds a failed execution if the failures are news. */
function tell(context: IPollFunctions, { failures }: Findings, report: Report): void {
	const node = context.getNode();
	const log = (level: 'warn' | 'info', text: string) =>
		context.logger[level](`${node.name}: ${text}`, { workflowId: context.getWorkflow().id });
	if (report.recovered.length > 0) log('info', MESSAGES.log.readAgain(report.recovered));
	if (report.isNews) {
		log('warn', describeFailures(failures));
		context.__emitError(pollError(node, failures));
	}
}

/**
 * Remembers what was found, in this process and in what n8n stores.
 *
 * @returns whether an execution is to start: for the items, or for n8n to store the memory.
 */
function remember(
	context: IPollFunctions,
	{ record, memory, current: { kind } }: OpenPoll,
	{ items, hasLearned, source, sites, keptSites, records }: Findings,
	{ isNews, recovered, reported }: Report,
): boolean {
	record.sites = records;
	// n8n stores the memory after an activation. Otherwise it does so with an execution only, and its scheduler polls with what was stored.
	const hasReported = isNews || recovered.length > 0;
	const mustBeStored =
		kind !== 'activation' && (hasLearned || (kind === 'scheduled' && hasReported));
	const startsExecution = items.length > 0 || mustBeStored;
	const revision = startsExecution ? record.guard.nextRevision(memory.revision) : memory.revision;
	const staticData = context.getWorkflowStaticData('node');
	saveMemory(staticData, { source, failures: reported, revision }, sites, keptSites);
	return startsExecution;
}

function output(items: readonly ChangeItem[]): INodeExecutionData[][] {
	return [items.map((json) => ({ json }))];
}
