import type { INodeExecutionData, IPollFunctions, NodeOperationError } from 'n8n-workflow';
import { describeClosed } from '../../../shared/budget/closed';
import { MESSAGES } from '../../../shared/messages';
import { requestError } from '../errors';
import { attempt } from '../transport/attempt';
import { transportOf, type Transport } from '../transport/transport';
import {
	describeFailures,
	describeRecoveries,
	noticeOf,
	type PollFailure,
	type Report,
} from './failures';
import { readSettings, type Settings } from './fields';
import { currentState, sampleItem, toItem, type ChangeItem, type Sighting } from './items';
import { recall, recallTold, remember, rememberTold, sourceOf } from './memory';
import { tellPace, turnFailures } from './pace';
import { readWatched, type Findings } from './readWatched';
import { Revisions } from './revisions';
import { partOf, rotationOf, type Rotation } from './rotation';
import { compareSite, type SiteMemory } from './siteChanges';
import { Turns } from './turns';

const turns = new Turns();
const revisions = new Revisions();

/**
 * Reads the watched sites and puts out how they differ from what is remembered of them. A poll that begins while another
 * one of the same trigger is under way does nothing, unless the workflow has been activated anew in between; nor does one
 * that was given what had been remembered before the last one.
 *
 * What fails is told of as a failed execution beside the changes. It is not thrown: an exception would lose the changes
 * of the other sites, and keep n8n from activating the workflow. An unusable setting is thrown by the first poll.
 *
 * @returns null where there is nothing to tell.
 * @throws NodeOperationError for unusable settings, before any request; in the editor also NodeApiError where no site can
 *   be read.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return output(await fetchTestEvent(context));

	const occasion = occasionOf(context);
	// A poll of before an edit of the workflow would tell of changes that this one finds again.
	const takesOver = occasion === 'activation';
	// No two nodes of a workflow have the same name; n8n 1.123 activates triggers with the same ID.
	const trigger = `${context.getWorkflow().id}/${context.getNode().name}`;
	if (takesOver) revisions.forget(trigger);
	else if (revisions.isOutdated(trigger, context.getWorkflowStaticData('node'))) return null;
	const turn = turns.begin(trigger, takesOver);
	if (!turn) return null;
	try {
		const told = await pollAlone(context, occasion, rotationOf(trigger), turn.isCurrent);
		if (told) revisions.advance(trigger, context.getWorkflowStaticData('node'));
		return told;
	} finally {
		turn.end();
	}
}

/** Why n8n has the trigger poll. */
type Occasion =
	/** It activates the workflow, and stores the memory afterwards in any case. An exception keeps it from activating. */
	| 'activation'
	/** The workflow is active. The memory is that of the last poll, whether it was stored or not. */
	| 'poll'
	/** The same by n8n 2's scheduler, with the memory as it was stored last (n8n 2.40). */
	| 'scheduled';

/** The contexts that have polled: n8n makes one when it activates a workflow, for all polls that follow (n8n 2.40). */
const contexts = new WeakSet<IPollFunctions>();

/** What a context says where nobody waits for a poll, in milliseconds; the scheduler says what it is set to (n8n 2.40). */
const UNLIMITED_MS = 5 * 60 * 1000;

function occasionOf(context: IPollFunctions): Occasion {
	if ((context.getPollBudgetMs?.() ?? UNLIMITED_MS) !== UNLIMITED_MS) return 'scheduled';
	if (contexts.has(context)) return 'poll';
	contexts.add(context);
	return 'activation';
}

/**
 * Whether an execution without items is needed for n8n to store what is remembered.
 *
 * @param hasLearned whether something of the sites is remembered that was not known before.
 * @param hasNoted whether it is remembered that a failure was told of or is over.
 */
function mustBeStored(occasion: Occasion, hasLearned: boolean, hasNoted: boolean): boolean {
	if (occasion === 'activation') return false;
	return hasLearned || (occasion === 'scheduled' && hasNoted);
}

/** How long the poll may wait for the account's budget that n8n begins when it activates a workflow: a person is watching. */
const ACTIVATION_PATIENCE_MS = 5_000;

/** What a poll needs, checked. */
interface Setup {
	settings: Settings;
	transport: Transport;
	/** Tells apart where sites are read. */
	source: string;
}

async function setUp(context: IPollFunctions): Promise<Setup> {
	const settings = readSettings(context);
	const transport = await transportOf(context);
	return { settings, transport, source: sourceOf(transport.connection, settings.dataVersion) };
}

/** A setting that has become unusable is told of like any other failure. */
async function setUpOrTell(
	context: IPollFunctions,
): Promise<{ setup: Setup } | { setup?: never; isTold: boolean }> {
	try {
		return { setup: await setUp(context) };
	} catch (error) {
		const { message, description } = error as NodeOperationError;
		// What an expression has given may be something else each time.
		const cause = message.replace(/".*"|\d+/gs, '');
		const failure = { message, description: description ?? '', cause };
		const failures = [{ subject: 'settings', isShared: true, failure }];
		return { isTold: tell(context, { failures, sightings: new Map() }) };
	}
}

async function pollAlone(
	context: IPollFunctions,
	occasion: Occasion,
	rotation: Rotation,
	isCurrent: () => boolean,
): Promise<INodeExecutionData[][] | null> {
	const attempt =
		occasion === 'activation' ? { setup: await setUp(context) } : await setUpOrTell(context);
	if (!attempt.setup) return mustBeStored(occasion, false, attempt.isTold) ? output([]) : null;

	const { settings, transport, source } = attempt.setup;
	const sites = recall(context.getWorkflowStaticData('node'), source);
	const { budget, lane, connection } = transport;
	const order = rotation.begin(settings.siteIds);
	const ofAllTriggers = budget.requestsPerMinute(lane, connection.requestsPerMinute);
	const sitesPerMinute = partOf(rotation, budget, ofAllTriggers);
	const inTurn = order.slice(0, rotation.turns(sitesPerMinute));
	const read = await readWatched(transport, settings, inTurn, {
		budgetMs: context.getPollBudgetMs?.(),
		...(occasion === 'activation' && { patienceMs: ACTIVATION_PATIENCE_MS }),
	});
	if (!isCurrent()) return null;

	const withoutTurn = read.withoutTurn + order.length - inTurn.length;
	const reading = { ...read, withoutTurn, sitesPerMinute };

	rotation.note(reading.asked);
	const { items, failures, memory, hasLearned } = compareAll(settings, reading, sites);
	remember(context.getWorkflowStaticData('node'), source, memory);
	const isTold = tell(context, {
		...reading,
		failures: [
			...turnFailures(transport, reading, rotation, occasion === 'activation'),
			...reading.failures,
			...failures,
		],
		siteIds: settings.siteIds,
	});
	tellPace(context, transport, settings, reading, rotation);
	if (items.length > 0) return output(items);
	return mustBeStored(occasion, hasLearned, isTold) ? output([]) : null;
}

/** The changes since the last poll, or else a sample. Nothing is remembered of it. */
async function fetchTestEvent(context: IPollFunctions): Promise<ChangeItem[]> {
	const { settings, transport, source } = await setUp(context);
	const sites = recall(context.getWorkflowStaticData('node'), source);
	const reading = await readWatched(transport, settings, settings.siteIds);
	const [sighting] = reading.sightings.values();
	if (!sighting) {
		const [failed] = reading.failures;
		const { budget, lane } = transport;
		const nothing =
			reading.withoutTurn > 0 ? describeClosed(budget, lane) : MESSAGES.trigger.noneKnown();
		throw requestError(context.getNode(), failed?.failure ?? nothing);
	}
	const { items, failures } = compareAll({ ...settings, emitsCurrentState: false }, reading, sites);
	if (items.length > 0) return items;
	if (failures[0]) throw requestError(context.getNode(), failures[0].failure);
	return [sampleItem(sighting, settings.watch)];
}

/** Compares the sites that were read, in the order in which they are listed; nothing changes for the others. */
function compareAll(
	settings: Settings,
	{ sightings }: Findings,
	remembered: ReadonlyMap<number, SiteMemory>,
) {
	const items: ChangeItem[][] = [];
	const failures: PollFailure[] = [];
	const memory = new Map<number, SiteMemory>();
	let hasLearned = false;
	for (const siteId of settings.siteIds) {
		const before = remembered.get(siteId);
		const sighting = sightings.get(siteId);
		const { answer: comparison, failure } = sighting
			? attempt(`site ${siteId}`, () => compareOne(settings, sighting, before))
			: {};
		if (failure) failures.push({ subject: `${siteId}`, isShared: false, failure });
		if (!comparison) {
			if (before) memory.set(siteId, before);
			continue;
		}
		memory.set(siteId, comparison.memory);
		items.push(comparison.items);
		if (comparison.hasLearned) hasLearned = true;
	}
	return { items: items.flat(), failures, memory, hasLearned };
}

function compareOne(
	{ watch, emitsCurrentState }: Settings,
	sighting: Sighting,
	before: SiteMemory | undefined,
) {
	const isNew = before === undefined;
	const { changes, memory, hasLearned } = compareSite(before ?? {}, sighting.site, watch);
	const items =
		isNew && emitsCurrentState
			? currentState(sighting, watch)
			: changes.map((change) => toItem(sighting, change));
	return { items, memory, hasLearned: isNew || hasLearned };
}

/**
 * Tells of what failed: always in n8n's log, and now and then by a failed execution; and in the log that it is over.
 *
 * @returns whether there was such an execution or such an end, which is to be remembered.
 */
function tell(context: IPollFunctions, report: Report): boolean {
	const node = context.getNode();
	const workflowId = context.getWorkflow().id;
	const { failures } = report;
	if (failures.length > 0) {
		context.logger.warn(`${node.name}: ${describeFailures(failures)}`, { workflowId });
	}
	const staticData = context.getWorkflowStaticData('node');
	const { error, recovered, told } = noticeOf(node, report, recallTold(staticData), Date.now());
	rememberTold(staticData, told);
	if (recovered.length > 0) {
		context.logger.info(`${node.name}: ${describeRecoveries(recovered)}`, { workflowId });
	}
	if (error) context.__emitError(error);
	return error !== undefined || recovered.length > 0;
}

function output(items: readonly ChangeItem[]): INodeExecutionData[][] {
	return [items.map((json) => ({ json }))];
}
