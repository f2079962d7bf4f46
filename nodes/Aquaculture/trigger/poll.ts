import { NodeApiError, type INodeExecutionData, type IPollFunctions } from 'n8n-workflow';
import { MESSAGES, SENTENCES } from '../../../texts/messages';
import { requestError } from '../requests/errors';
import { sampleOf, toItem, valuesOf, type ChangeItem } from './changeItem';
import { compareSite } from './compareSite';
import { errorOf, keyOf, type PollFailure } from './failures';
import { loadMemory, saveMemory, type Memory, type RememberedSite } from './memory';
import { readSites, setUp, type Reading, type SeenSite, type Setup } from './reading';
import { SHORT_POLL_MS, stateOf, type PollTurn, type TriggerState } from './state';

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
	const state = stateOf(nameOf(context));
	const memory = loadMemory(context.getWorkflowStaticData('node'));
	const turn = state.begin(context, memory.storedAt);
	if (!turn) return null;
	return await pollInTurn(context, state, memory, turn)
		.catch(async (error: unknown) => await failedSetUp(context, state, turn, error as Error))
		.finally(() => state.end(turn));
}

async function pollInTurn(
	context: IPollFunctions,
	state: TriggerState,
	memory: Memory,
	turn: PollTurn,
): Promise<INodeExecutionData[][] | null> {
	const setup = await setUp(context, memory, { ...turn, isAttended: turn.isActivation });
	const reading = await readInTurn(state, setup, turn);
	if (turn.signal.aborted) return null;
	report(context, state, [...setup.failures, ...reading.failures, ...lateFailures(reading, turn)]);

	const found = findChanges(nameOf(context), setup, reading.seen);
	// n8n stores the memory after an activation. Otherwise it does so with an execution only, if need be without items.
	const startsExecution = found.items.length > 0 || (found.hasLearned && !turn.isActivation);
	saveMemory(context.getWorkflowStaticData('node'), {
		source: setup.source,
		storedAt: startsExecution ? state.store() : memory.storedAt,
		sites: found.sites,
	});
	return startsExecution ? output(found.items) : null;
}

/** An unusable setting prevents an activation; once the workflow is active, it is a failure like any other. */
async function failedSetUp(
	context: IPollFunctions,
	state: TriggerState,
	{ signal, isActivation }: PollTurn,
	error: Error,
): Promise<null> {
	if (signal.aborted) return null;
	const isOfList = error instanceof NodeApiError;
	if (isActivation && !isOfList) return await Promise.reject(error);
	if (state.isNews([error.message])) context.__emitError(error);
	return null;
}

/**
 * What "Fetch Test Event" shows: the changes since the last poll, or else a sample. Nothing is remembered of it.
 *
 * @throws as {@link poll}.
 */
async function fetchTestEvent(context: IPollFunctions): Promise<ChangeItem[]> {
	const memory = loadMemory(context.getWorkflowStaticData('node'));
	const endsAt = performance.now() + SHORT_POLL_MS;
	const setup = await setUp(context, memory, { isAttended: true, endsAt });
	const { settings, siteIds, client } = setup;
	const { seen, failures } = await readSites(setup, siteIds, endsAt);
	const failed = [...setup.failures, ...failures];
	if (failed.length > 0) throw errorOf(context.getNode(), failed);
	const [site] = seen.values();
	if (!site) {
		const { account, queue } = client;
		const { limit } = account;
		const text = MESSAGES.limits.reached(limit.textFor(queue), limit.delayMs(queue));
		throw requestError(context.getNode(), text);
	}
	const quiet = { ...setup, settings: { ...settings, emitsCurrentState: false } };
	const { items } = findChanges(nameOf(context), quiet, seen);
	return items.length > 0 ? items : [sampleOf(site, settings.watched)];
}

/** A trigger's workflow and name, which is unique in it: n8n 1.123 activates triggers that share an ID. */
function nameOf(context: IPollFunctions): string {
	return `${context.getWorkflow().id}/${context.getNode().name}`;
}

async function readInTurn(
	state: TriggerState,
	setup: Setup,
	{ endsAt }: PollTurn,
): Promise<Reading> {
	const order = state.inOrder(setup.siteIds, setup.remembered);
	const reading = await readSites(setup, order, endsAt);
	const unread = new Set(reading.unread);
	state.asked(order.filter((siteId) => !unread.has(siteId)));
	return reading;
}

/** The next poll begins with the sites that this one had no time for, so they are a failure only if that is far away. */
function lateFailures({ seen, unread, failures }: Reading, { isRare }: PollTurn): PollFailure[] {
	if (!isRare || unread.length === 0) return [];
	const total = seen.size + failures.length + unread.length;
	return [{ failure: MESSAGES.trigger.unread(unread, total) }];
}

/** Adds a failed execution if a failure is news. */
function report(
	context: IPollFunctions,
	state: TriggerState,
	failures: readonly PollFailure[],
): void {
	if (!state.isNews(failures.map(keyOf))) return;
	context.__emitError(errorOf(context.getNode(), failures, SENTENCES.nextPoll()));
}

/** How the watched sites differ from what is remembered of them. */
interface Findings {
	items: ChangeItem[];
	/** What to remember from now on. */
	sites: ReadonlyMap<number, RememberedSite>;
	/** Whether there is more to remember than the items say. */
	hasLearned: boolean;
}

function findChanges(
	trigger: string,
	{ settings, siteIds, remembered, mayLackSites }: Setup,
	seen: ReadonlyMap<number, SeenSite>,
): Findings {
	const { watched, emitsCurrentState } = settings;
	const isKept = (siteId: number) => mayLackSites || siteIds.includes(siteId);
	const sites = new Map([...remembered].filter(([siteId]) => isKept(siteId)));
	const items: ChangeItem[] = [];
	let hasLearned = false;
	for (const siteId of siteIds) {
		const now = seen.get(siteId);
		if (!now) continue;
		const before = remembered.get(siteId);
		if (!before) {
			sites.set(siteId, { site: now.site, since: now.seenAt });
			hasLearned = true;
			const values = emitsCurrentState ? valuesOf(now.site) : [];
			const isNaming = watched.has('unitAdded') || watched.has('unitRemoved');
			const shown = values.filter(
				({ kind }) => watched.has(kind) || (isNaming && kind === 'unitRenamed'),
			);
			items.push(...shown.map((value) => toItem(now, value, [trigger, now.seenAt], true)));
			continue;
		}
		const { changes, site, hasNewPart } = compareSite(before.site, now.site);
		const told = changes.filter(({ kind }) => watched.has(kind));
		items.push(...told.map((change) => toItem(now, change, [trigger, before.since])));
		sites.set(siteId, { site, since: told.length > 0 ? now.seenAt : before.since });
		hasLearned ||= hasNewPart;
	}
	return { items, sites, hasLearned };
}

function output(items: readonly ChangeItem[]): INodeExecutionData[][] {
	return [items.map((json) => ({ json }))];
}
