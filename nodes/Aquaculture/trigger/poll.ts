import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { labelOf } from '../../../service/site';
import { MESSAGES, SENTENCES } from '../../../texts/messages';
import { requestError } from '../requests/errors';
import { sampleOf, toItem, type ChangeItem } from './changeItem';
import { compareSite, valuesOf } from './compareSite';
import { errorOf, keyOf, type PollFailure } from './failures';
import { loadMemory, saveMemory, type Memory, type RememberedSite } from './memory';
import { readSites, setUp, whyUnread, type Reading, type SeenSite, type Setup } from './reading';
import {
	isFirstPoll,
	LONGEST_SILENCE_MS,
	SHORT_POLL_MS,
	stateOf,
	type PollTurn,
	type TriggerState,
} from './state';

/**
 * Reads the watched sites and returns how they differ from what is remembered of them. A poll that begins while another
 * one of the same trigger is under way, or with an outdated memory, does nothing.
 *
 * What fails is reported as a failed execution beside the changes. It is not thrown: an exception would lose the changes
 * of the other sites, and keep n8n from activating the workflow. An unusable setting is to do that.
 *
 * @returns null if no execution is to start.
 * @throws NodeOperationError for unusable settings, before any request, if the workflow is being activated or in the editor;
 *   in the editor also NodeApiError if a site cannot be read.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return output(await fetchTestEvent(context));
	const isActivation = isFirstPoll(context);
	const state = stateOf(nameOf(context), isActivation);
	const memory = loadMemory(context.getWorkflowStaticData('node'));
	const turn = state.begin(context, isActivation, memory.storedAt);
	if (!turn) return null;
	try {
		return await pollInTurn(context, state, memory, turn);
	} catch (error) {
		// Once the workflow is active, an unusable setting is a failure like any other.
		if (isActivation) return await Promise.reject(error as Error);
		if (!turn.signal.aborted && state.isNews(['settings'])) context.__emitError(error as Error);
		return null;
	} finally {
		state.end(turn);
	}
}

async function pollInTurn(
	context: IPollFunctions,
	state: TriggerState,
	memory: Memory,
	turn: PollTurn,
): Promise<INodeExecutionData[][] | null> {
	const setup = await setUp(context, memory, turn);
	const order = state.inOrder(setup.sites, setup.remembered);
	const reading = await readSites(setup, order, turn.endsAt);
	if (turn.signal.aborted) return null;
	state.noteAsked(order.filter((site) => !reading.unread.includes(site)));
	report(context, state, turn, setup, reading);

	const found = findChanges(nameOf(context), setup, reading.seen);
	// n8n stores the memory after an activation. Otherwise it does so with an execution only, if need be without items.
	const startsExecution = found.items.length > 0 || (found.hasLearned && !turn.isAttended);
	saveMemory(context.getWorkflowStaticData('node'), {
		source: setup.source,
		storedAt: startsExecution ? state.store() : memory.storedAt,
		sites: found.memory,
	});
	return startsExecution ? output(found.items) : null;
}

/**
 * What "Fetch Test Event" shows: the changes since the last poll, or else a sample. Nothing is remembered of it.
 *
 * @throws as {@link poll}.
 */
async function fetchTestEvent(context: IPollFunctions): Promise<ChangeItem[]> {
	const memory = loadMemory(context.getWorkflowStaticData('node'));
	const beganAt = performance.now();
	const { signal } = new AbortController();
	const turn = {
		isAttended: true,
		isRare: false,
		beganAt,
		endsAt: beganAt + SHORT_POLL_MS,
		signal,
	};
	const setup = await setUp(context, memory, turn);
	const { seen, failures } = await readSites(setup, setup.sites, turn.endsAt);
	const failed = [...setup.failures, ...failures];
	if (failed.length > 0) throw errorOf(context.getNode(), failed);
	const [site] = seen.values();
	if (!site) throw requestError(context.getNode(), whyUnread(setup, turn));
	const settings = { ...setup.settings, emitsCurrentState: false };
	const { items } = findChanges(nameOf(context), { ...setup, settings }, seen);
	return items.length > 0 ? items : [sampleOf(site, settings.watched)];
}

/** A trigger's workflow and name, which is unique in it: n8n 1.123 activates triggers that share an ID. */
function nameOf(context: IPollFunctions): string {
	return `${context.getWorkflow().id}/${context.getNode().name}`;
}

/** Adds a failed execution if a failure is news, and says once what is none: in n8n's log, and to who activates the workflow. */
function report(
	context: IPollFunctions,
	state: TriggerState,
	turn: PollTurn,
	setup: Setup,
	reading: Reading,
): void {
	const node = context.getNode();
	const failures = [...setup.failures, ...reading.failures];
	const isOfSome = failures.length > 0 && reading.seen.size > 0;
	failures.push(...lateFailures(state, turn, setup, reading));
	if (state.isNews(failures.map(keyOf))) {
		const advice = [...(isOfSome ? [SENTENCES.othersWatched()] : []), SENTENCES.nextPoll()];
		context.__emitError(errorOf(node, failures, ...advice));
	}
	const leftOut = reading.leftOut.map(labelOf);
	const notices = [
		...setup.notices,
		...(leftOut.length > 0 ? [MESSAGES.trigger.leftOut(leftOut)] : []),
	];
	for (const message of notices.filter((notice) => state.isNews([notice], Infinity))) {
		context.logger.warn(`${node.name}: ${message}`, { workflowId: context.getWorkflow().id });
		if (turn.isAttended) context.__emitError(requestError(node, { message, description: '' }));
	}
}

/** Sites that were not read are a failure unless one of the next polls will read them soon. */
function lateFailures(
	state: TriggerState,
	turn: PollTurn,
	setup: Setup,
	{ seen, unread, failures }: Reading,
): PollFailure[] {
	const { account, queue } = setup.client;
	const isStopped = account.limit.delayMs(queue) > LONGEST_SILENCE_MS;
	const isNothingRead = seen.size + setup.failures.length + failures.length === 0;
	const isTold = isStopped || turn.isAttended || turn.isRare || state.isSilent;
	if (isNothingRead ? isTold : isStopped && unread.length > 0) {
		return [{ failure: whyUnread(setup, turn) }];
	}
	if (!turn.isRare || unread.length === 0) return [];
	return [{ failure: MESSAGES.trigger.unread(unread.map(labelOf), setup.sites.length) }];
}

/** How the watched sites differ from what is remembered of them, and what to remember from now on. */
function findChanges(
	trigger: string,
	{ settings, sites, remembered, mayLackSites }: Setup,
	seen: ReadonlyMap<number, SeenSite>,
) {
	const siteIds = new Set(sites.map(({ siteId }) => siteId));
	const kept = [...remembered].filter(([siteId]) => mayLackSites || siteIds.has(siteId));
	const memory = new Map<number, RememberedSite>(kept);
	const items: ChangeItem[] = [];
	/** Whether there is more to remember than the items say. */
	let hasLearned = false;
	for (const siteId of siteIds) {
		const now = seen.get(siteId);
		if (!now) continue;
		const before = remembered.get(siteId);
		if (!before) {
			memory.set(siteId, { site: now.site, since: now.seenAt });
			items.push(...currentState(trigger, settings, now));
			hasLearned = true;
			continue;
		}
		const { changes, site, hasNewPart } = compareSite(before.site, now.site);
		const told = changes.filter(({ kind }) => settings.watched.has(kind));
		items.push(...told.map((change) => toItem(now, change, [trigger, before.since])));
		memory.set(siteId, { site, since: told.length > 0 ? now.seenAt : before.since });
		hasLearned ||= hasNewPart;
	}
	return { items, memory, hasLearned };
}

/** The values of a site that was not watched before, if they are wanted; for units that come and go, their names. */
function currentState(
	trigger: string,
	{ watched, emitsCurrentState }: Setup['settings'],
	seen: SeenSite,
): ChangeItem[] {
	if (!emitsCurrentState) return [];
	const isNaming = watched.has('unitAdded') || watched.has('unitRemoved');
	return valuesOf(seen.site)
		.filter(({ kind }) => watched.has(kind) || (isNaming && kind === 'unitRenamed'))
		.map((value) => toItem(seen, value, [trigger, seen.seenAt], true));
}

function output(items: readonly ChangeItem[]): INodeExecutionData[][] {
	return [items.map((json) => ({ json }))];
}
