import type { INodeExecutionData, IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { labelOf, type NamedSite } from '../service/site';
import { MESSAGES } from '../messages/messages';
import { requestError } from '../requests/errors';
import { sampleOf, toItem, type ChangeItem } from './changeItem';
import { compareSite, valuesOf } from './compareSite';
import { adviceOf, errorOf, failuresOf, keyOf } from './report';
import { loadMemory, saveMemory, type Memory, type RememberedSite } from './memory';
import { readSites, setUp, type SeenSite, type Setup } from './readSites';
import { noteFirstPoll, stateOf, TriggerState, type PollTurn } from './state';

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
	const isActivation = noteFirstPoll(context);
	const state = stateOf(nameOf(context), isActivation);
	const memory = loadMemory(context.getWorkflowStaticData('node'));
	const turn = state.begin(context, isActivation, memory.storedAt);
	if (!turn) return null;
	try {
		return await pollInTurn(context, state, turn, memory);
	} catch (error) {
		// Once the workflow is active, an unusable setting is a failure like any other.
		if (isActivation) throw error as NodeOperationError;
		if (!turn.signal.aborted && state.isNews(['settings'])) context.__emitError(error as Error);
		return null;
	} finally {
		state.end(turn);
	}
}

async function pollInTurn(
	context: IPollFunctions,
	state: TriggerState,
	turn: PollTurn,
	memory: Memory,
): Promise<INodeExecutionData[][] | null> {
	const setup = await setUp(context, memory, turn);
	const order = state.inOrder(setup.sites, setup.remembered);
	const reading = await readSites(setup, order, turn.endsAt);
	if (turn.signal.aborted) return null;
	state.noteAsked(order.filter((site) => !reading.unread.includes(site)));
	const failures = failuresOf(setup, reading, turn, state.isSilent);
	if (state.isNews(failures.map(keyOf))) {
		context.__emitError(errorOf(context.getNode(), failures, adviceOf(setup, reading)));
	}
	notify(context, state, turn, setup.notices, reading.leftOut);

	const found = findChanges(nameOf(context), setup, reading.seen);
	// n8n stores the memory after an activation. Otherwise it does so with an execution only, if need be without items.
	const startsExecution = found.items.length > 0 || (found.hasLearned && !turn.isAttended);
	const { source } = setup;
	const storedAt = startsExecution ? state.store() : memory.storedAt;
	saveMemory(context.getWorkflowStaticData('node'), { source, storedAt, sites: found.sites });
	return startsExecution ? output(found.items) : null;
}

/** Says once what is no failure: in n8n's log, and to who activates the workflow. */
function notify(
	context: IPollFunctions,
	state: TriggerState,
	turn: PollTurn,
	ofList: readonly string[],
	leftOut: readonly NamedSite[],
): void {
	const node = context.getNode();
	const isNew = (key: string) => state.isNews([key], Infinity);
	const names = leftOut.filter(({ siteId }) => isNew(`left out ${siteId}`)).map(labelOf);
	const notices = [
		...ofList.filter(isNew),
		...(names.length > 0 ? [MESSAGES.trigger.leftOut(names)] : []),
	];
	for (const message of notices) {
		context.logger.warn(`${node.name}: ${message}`, { workflowId: context.getWorkflow().id });
		if (turn.isAttended) context.__emitError(requestError(node, { message, description: '' }));
	}
}

/**
 * What "Fetch Test Event" shows: the changes since the last poll, or else a sample. Nothing is remembered of it.
 *
 * @throws as {@link poll}.
 */
async function fetchTestEvent(context: IPollFunctions): Promise<ChangeItem[]> {
	const memory = loadMemory(context.getWorkflowStaticData('node'));
	// A trigger of its own: the active one learns nothing of it.
	const turn = new TriggerState().begin(context, true, memory.storedAt) as PollTurn;
	const setup = await setUp(context, memory, turn);
	const reading = await readSites(setup, setup.sites, turn.endsAt);
	const seen = [...reading.seen.values()];
	const failures = failuresOf(setup, reading, turn);
	if (failures.length > 0) throw errorOf(context.getNode(), failures);
	const settings = { ...setup.settings, emitsCurrentState: false };
	const { items } = findChanges(nameOf(context), { ...setup, settings }, reading.seen);
	return items.length > 0 ? items : sampleOf(seen, settings.watched);
}

/** A trigger's workflow and name, which is unique in it: n8n 1.123 activates triggers that share an ID. */
function nameOf(context: IPollFunctions): string {
	return `${context.getWorkflow().id}/${context.getNode().name}`;
}

/** How the watched sites differ from what is remembered of them, and what to remember from now on. */
function findChanges(
	trigger: string,
	{ settings, sites, remembered, mayLackSites }: Setup,
	seen: ReadonlyMap<number, SeenSite>,
) {
	const siteIds = new Set(sites.map(({ siteId }) => siteId));
	const kept = [...remembered].filter(([siteId]) => mayLackSites || siteIds.has(siteId));
	const remembering = new Map<number, RememberedSite>(kept);
	const items: ChangeItem[] = [];
	/** Whether there is more to remember than the items say. */
	let hasLearned = false;
	for (const siteId of siteIds) {
		const now = seen.get(siteId);
		if (!now) continue;
		const before = remembered.get(siteId);
		if (!before) {
			remembering.set(siteId, { site: now.site, since: now.seenAt });
			items.push(...currentState(trigger, settings, now));
			hasLearned = true;
			continue;
		}
		const { changes, site, hasNewPart } = compareSite(before.site, now.site);
		const told = changes.filter(({ kind }) => settings.watched.has(kind));
		items.push(...told.map((change) => toItem(now, change, [trigger, before.since])));
		remembering.set(siteId, { site, since: told.length > 0 ? now.seenAt : before.since });
		hasLearned ||= hasNewPart;
	}
	return { items, sites: remembering, hasLearned };
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
