import type { INodeExecutionData, IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { describeNoPlace } from '../../../account/limit/plan';
import { LastUsed } from '../../../shared/lastUsed';
import type { KnownSiteFault } from '../../../shared/knownSites';
import { MESSAGES } from '../../../shared/messages';
import { requestError } from '../nodeErrors';
import { logAbsentParts } from './absentParts';
import { compareSites } from './compareSites';
import { sampleItem } from './currentState';
import { report, testEventError, type PollFailure } from './failureReport';
import { PollGuard, type CurrentPoll, type PollKind } from './pollGuard';
import type { ChangeItem } from './changeItem';
import { loadMemory, saveMemory, type Memory, type RememberedSite } from './memory';
import { reportable } from './missingSites';
import { SiteOrder } from './siteOrder';
import { pollTimeOf, SHORT_POLL_MS, type PollTime } from './pollTimes';
import { readWatched } from './readWatched';
import { setUp } from './setUp';
import { logUnread, unreadFailures } from './unreadSites';

/** A poll at the activation of a workflow hardly waits for the account's budget: a person is watching. */
const ACTIVATION = { allowedMs: SHORT_POLL_MS, patienceMs: 5_000 };

const MAX_TRIGGERS = 1000;

/** What this process knows of each trigger beside what n8n stores. */
const triggers = new LastUsed<TriggerState>(
	MAX_TRIGGERS,
	() => ({
		guard: new PollGuard(),
		order: new SiteOrder(),
		polledAt: undefined,
		missing: new Set(),
		absentParts: new Set(),
		isUnreadLogged: false,
	}),
	({ guard }) => !guard.isBusy,
);

interface TriggerState {
	guard: PollGuard;
	order: SiteOrder;
	/** When the last poll began, by the clock of `performance.now()`. */
	polledAt: number | undefined;
	/** The watched sites that did not exist when they were last asked for. */
	missing: Set<unknown>;
	/** The parts of sites of which n8n's log says that the service does not send them. */
	absentParts: Set<string>;
	/** Whether n8n's log says that polls do not read all sites. */
	isUnreadLogged: boolean;
}

/**
 * Reads the watched sites and returns how they differ from what is remembered of them. A poll that begins while another
 * one of the same trigger is under way, or with an outdated memory, does nothing.
 *
 * What fails is reported as a failed execution beside the changes. It is not thrown: an exception would lose the changes
 * of the other sites, and keep n8n from activating the workflow. An unusable setting is thrown by the first poll.
 *
 * @returns null where no execution is to start.
 * @throws NodeOperationError for unusable settings, before any request; in the editor also NodeApiError where a site cannot
 *   be read.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return output(await fetchTestEvent(context));

	// By name, which is unique in a workflow: n8n 1.123 activates triggers that share an ID.
	const trigger = `${context.getWorkflow().id}/${context.getNode().name}`;
	const state = triggers.get(trigger);
	const { guard } = state;
	const staticData = context.getWorkflowStaticData('node');
	const memory = loadMemory(staticData);
	const now = performance.now();
	const time = pollTimeOf(context, state.polledAt && now - state.polledAt);
	const current = guard.begin(context, memory.revision, time.allowedMs);
	if (!current) return null;
	state.polledAt = now;
	try {
		const outcome = await pollSites(context, current, { state, memory, time });
		if (!outcome) return null;
		const { items, read, watched } = outcome;
		const startsExecution = items.length > 0 || mustBeStored(current.kind, outcome);
		const revision = startsExecution ? guard.nextRevision(memory.revision) : memory.revision;
		saveMemory(staticData, { ...outcome.memory, revision }, read, watched);
		return startsExecution ? output(items) : null;
	} finally {
		current.end();
	}
}

/** The result of a poll. */
interface PollOutcome {
	items: ChangeItem[];
	memory: Memory;
	/** What to remember of the sites that were read. */
	read?: ReadonlyMap<number, RememberedSite>;
	/** Undefined where it is not known which sites are watched. */
	watched?: readonly number[] | undefined;
	/** Whether the memory has something new that no item reports. */
	hasLearned: boolean;
	/** Whether a failure was reported, or is over. */
	hasReported: boolean;
}

/** Whether an execution is needed, also without items, for n8n to store the memory. */
function mustBeStored(kind: PollKind, { hasLearned, hasReported }: PollOutcome): boolean {
	if (kind === 'activation') return false;
	return hasLearned || (kind === 'scheduled' && hasReported);
}

/** @returns undefined where another poll has taken over. */
async function pollSites(
	context: IPollFunctions,
	{ kind, signal }: CurrentPoll,
	{ state, memory, time }: { state: TriggerState; memory: Memory; time: PollTime },
): Promise<PollOutcome | undefined> {
	const isActivation = kind === 'activation';
	const beganAt = performance.now();
	const allowed = isActivation ? ACTIVATION : time;
	const settingUp = setUp(context, {
		kind: isActivation ? 'watchedPoll' : 'poll',
		signal,
		memory,
		time: allowed,
	});
	const setup = isActivation ? await settingUp : await settingUp.catch(settingsFailure);
	if (signal.aborted) return undefined;
	const damaged = damageOf(memory);
	if ('failure' in setup) {
		const failed = { failures: [setup, ...damaged], seen: new Map() };
		const { failures, hasReported } = report(context, failed, memory.failures);
		return { items: [], memory: { ...memory, failures }, hasLearned: false, hasReported };
	}
	const { settings, transport, source, remembered, linesLeftOut, hasList } = setup;
	const { siteIds } = settings;

	const order = state.order.of(siteIds, remembered);
	const allowedMs = allowed.allowedMs - (performance.now() - beganAt);
	const result = await readWatched(transport, settings, order, { ...allowed, allowedMs });
	if (signal.aborted) return undefined;
	const { seen } = result;
	state.order.note(result.asked);

	const { nextInMs } = time;
	const { budget } = transport.account;
	const ended = { ...result, isActivation, nextInMs, budget, remembered };
	const { id } = context.getWorkflow();
	const comparison = compareSites(settings, seen, remembered, id);
	const failed = [
		...linesFailure(linesLeftOut),
		...setup.failures,
		...unreadFailures(ended),
		...reportable(result.failures, seen, settings, state.missing),
		...damaged,
		...comparison.failures,
	];
	const { failures, hasReported } = report(
		context,
		{ failures: failed, seen, siteIds },
		memory.failures,
	);
	state.isUnreadLogged = logUnread(context, ended, state.isUnreadLogged);
	logAbsentParts(context, seen, settings.watch, state.absentParts);

	const { items, sites: read, hasLearned } = comparison;
	const newMemory = { ...memory, source, failures };
	// A line that cannot be used may be that of a site which is remembered, and the list may lack one for the moment.
	const mayLackSites = linesLeftOut.length > 0 || (settings.watchesAll && hasList);
	const watched = mayLackSites ? undefined : siteIds;
	return { items, memory: newMemory, read, watched, hasLearned, hasReported };
}

function damageOf({ isDamaged }: Memory): PollFailure[] {
	return isDamaged ? [{ subject: 'memory', failure: MESSAGES.trigger.forgotten() }] : [];
}

/** Once the workflow is active, a setting that has become unusable is a failure like any other. */
function settingsFailure({ message, description }: NodeOperationError): PollFailure {
	// An expression may return something else each time.
	const cause = message.replace(/".*"|\d+/gs, '');
	return { subject: 'settings', failure: { message, description: description ?? '', cause } };
}

/** The sites of these lines are not read. */
function linesFailure(linesLeftOut: readonly KnownSiteFault[]): PollFailure[] {
	if (linesLeftOut.length === 0) return [];
	return [{ subject: 'settings', failure: MESSAGES.trigger.linesLeftOut(linesLeftOut) }];
}

/** The changes since the last poll, or else a sample. Nothing is remembered of it. */
async function fetchTestEvent(context: IPollFunctions): Promise<ChangeItem[]> {
	const memory = loadMemory(context.getWorkflowStaticData('node'));
	const time = { allowedMs: SHORT_POLL_MS };
	const setup = await setUp(context, { kind: 'watchedPoll', memory, time });
	if ('failure' in setup) throw testEventError(context.getNode(), [setup]);
	const { settings, transport, remembered, linesLeftOut } = setup;
	const { siteIds } = settings;
	const { seen, failures } = await readWatched(transport, settings, siteIds, time);
	const { items, failures: unprocessed } = compareSites(
		{ ...settings, emitsCurrentState: false },
		seen,
		remembered,
		context.getWorkflow().id,
	);

	const [site] = seen.values();
	const isFailure = ({ subject }: PollFailure) => subject !== 'memory';
	const reported = reportable(failures, seen, settings, new Set());
	const failed = [
		...linesFailure(linesLeftOut),
		...setup.failures,
		...reported,
		...unprocessed,
	].filter(isFailure);
	if (failed.length > 0) throw testEventError(context.getNode(), failed);
	if (!site) {
		throw requestError(context.getNode(), describeNoPlace(transport.account.budget));
	}
	return items.length > 0 ? items : [sampleItem(site, settings.watch)];
}

function output(items: readonly ChangeItem[]): INodeExecutionData[][] {
	return [items.map((json) => ({ json }))];
}
