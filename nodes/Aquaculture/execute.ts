import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { ignoreMissing, maxWait, nodeTimeout } from './fields/sharedOptions';
import { NodeParameters } from './fields/field';
import { siteField, sitesChoice } from './fields/whichSites';
import { KnownSites } from './input/knownSites';
import { findSite } from './input/siteReferences';
import { addNote, type Failure } from './messages/failure';
import { NODE_MESSAGES } from './messages/invalid';
import { SENTENCES } from './messages/phrases';
import { findOperation } from './operations/allOperations';
import type { Operation, SiteRequest } from './operations/operation';
import { createOutcome, type SiteOutcome } from './output/executionNotices';
import {
	ExecutionOutput,
	UNKNOWN_SITE,
	type ErrorItemSite,
	type NodeError,
	type ItemPosition,
} from './output/executionOutput';
import { spotCheckCredential, createClient, type Client } from './sending/client';
import { inputError, requestError } from './n8n/errors';
import { fetchAll, type FetchLimits } from './fetching/fetchAll';
import { shortSiteLabel } from './service/site';
import { withPauses } from './utils/time';

/* How is the node executed, from its settings to its output? */

interface InputItem {
	index: number;
	json: IDataObject;
	parameters: NodeParameters;
}

/** What the steps of an execution share. */
interface Execution {
	context: IExecuteFunctions;
	/** Undefined for one that does not exist. */
	operation: Operation | undefined;
	parameters: NodeParameters;
	/** Whether the node runs once, for the first item: 'All Sites' means the same sites for every item. */
	runsOnce: boolean;
	items: readonly InputItem[];
	output: ExecutionOutput;
}

/** What applies to all input items. */
interface Settings {
	operation: Operation;
	client: Client;
	known: KnownSites;
	limits: FetchLimits;
	ignoresMissing: boolean;
}

type PlannedRequest = SiteRequest & ItemPosition;

interface UnusableItem extends ItemPosition {
	error: NodeError;
	site: ErrorItemSite;
}

/**
 * Runs the chosen operation for all input items and returns the results in the order of the items, each linked to its
 * item. It reads the fields of all items before it sends anything. If n8n ends the execution, it returns the results so far:
 * n8n shows its own reason, such as its time limit, only if the node throws nothing.
 *
 * @throws NodeOperationError for unusable fields, NodeApiError for a failed request, with "Stop Workflow" only.
 */
export async function execute(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const execution = createExecution(context);
	const { output } = execution;
	try {
		const settings = await getSettings(execution);
		const { requests, unusable } = await planRequests(execution, settings);
		if (settings.client.signal?.aborted) return [output.items()];
		reportUnusable(execution, unusable);
		await readRequested(execution, settings, requests, unusable.length);
	} catch (error) {
		await failAll(execution, error as NodeError);
	}
	return [output.items()];
}

function createExecution(context: IExecuteFunctions): Execution {
	const operation = findOperation(context.getNodeParameter('operation', 0));
	const parameters = new NodeParameters(context);
	const runsOnce =
		operation?.takesManySites === true && parameters.check(sitesChoice).value === 'all';
	const input = context.getInputData();
	const items: InputItem[] = (runsOnce ? input.slice(0, 1) : input).map(({ json }, index) => ({
		index,
		json,
		parameters: parameters.forItem(index),
	}));
	return { context, operation, parameters, runsOnce, items, output: new ExecutionOutput(context) };
}

/** @throws NodeOperationError for fields, of the node or the credential, that cannot be used. */
async function getSettings({
	context,
	operation,
	parameters,
	items,
}: Execution): Promise<Settings> {
	if (!operation) throw unknownOperation(context);
	const signal = context.getExecutionCancelSignal();
	const client = await createClient(context, 'execution', { signal });
	await spotCheckCredential(context, client, items.length);
	return {
		operation,
		client,
		known: new KnownSites(client.account.settings.knownSites),
		limits: { timeoutMs: parameters.get(nodeTimeout), maxWaitMs: parameters.get(maxWait) },
		ignoresMissing: parameters.get(ignoreMissing),
	};
}

/** n8n adds this operation to each node with a credential. */
const CUSTOM_API_CALL = '__CUSTOM_API_CALL__';

function unknownOperation(context: IExecuteFunctions): NodeError {
	const name = context.getNodeParameter('operation', 0);
	const failure =
		name === CUSTOM_API_CALL
			? NODE_MESSAGES.customApiCall()
			: NODE_MESSAGES.operation(String(name));
	return inputError(context.getNode(), failure);
}

/** Reads the fields of all items. */
async function planRequests(
	{ items }: Execution,
	{ operation, client, known }: Settings,
): Promise<{ requests: PlannedRequest[]; unusable: UnusableItem[] }> {
	const requests: PlannedRequest[] = [];
	const unusable: UnusableItem[] = [];
	for await (const item of withPauses(items)) {
		if (client.signal?.aborted) break;
		const itemIndex = item.index;
		try {
			const planned = operation.requests(item.parameters, known);
			const repeatedInput = operation.repeatedInput?.(item.parameters, item.json) ?? {};
			for (const [position, request] of planned.entries()) {
				requests.push({ ...request, itemIndex, position, repeatedInput });
			}
		} catch (error) {
			const site = operation.takesManySites ? UNKNOWN_SITE : describeSite(item, known);
			const repeatedInput = tryGetRepeatedInput(operation, item);
			unusable.push({ itemIndex, position: 0, repeatedInput, error: error as NodeError, site });
		}
	}
	return { requests, unusable };
}

/** @throws one error that names the first unusable items if 'On Error' is 'Stop Workflow'. */
function reportUnusable(
	{ context, items, output }: Execution,
	unusable: readonly UnusableItem[],
): void {
	const [first] = unusable;
	if (first && items.length > 1 && !output.continues) {
		const failure = NODE_MESSAGES.unusableItems(
			unusable.map(({ itemIndex, error }) => ({ number: itemIndex + 1, message: error.message })),
			first.error.description ?? '',
		);
		// Without an item index: n8n would add it to the message, counting from 0.
		throw inputError(context.getNode(), failure);
	}
	for (const { error, site, ...at } of unusable) output.fail(at, error, site);
}

/** Fetches the sites, and adds what they return to the output. @throws as {@link execute}. */
async function readRequested(
	{ context, runsOnce, output }: Execution,
	{ client, known, limits, ignoresMissing }: Settings,
	requests: readonly PlannedRequest[],
	unusableItems: number,
): Promise<void> {
	// Each site once, in the order of the requests, and failed until there is an answer.
	const outcomes = new Map<string, SiteOutcome>();
	for (const { path, site } of requests) {
		outcomes.set(path, { name: shortSiteLabel(site), result: 'failed' });
	}
	const createError = ({ itemIndex }: PlannedRequest, failure: Failure) => {
		const isOneOfMany = requests.length > 1 && failure.kind === 'forbidden' && !output.continues;
		const shown = isOneOfMany ? addNote(failure, SENTENCES.continueWithout('site')) : failure;
		return requestError(context.getNode(), shown, itemIndex);
	};
	const failed: Array<[PlannedRequest, Failure]> = [];
	const statistics = await fetchAll(client, requests, limits, (request, { value, failure }) => {
		const { path, site } = request;
		if (value) {
			const items = request.toOutput(value);
			output.add(request, items);
			outcomes.set(path, createOutcome(request, value, items.length));
		} else if (failure.kind === 'notFound' && ignoresMissing) {
			outcomes.set(path, { name: shortSiteLabel(site), result: 'notFound' });
		} else if (failure.kind !== 'cancelled') {
			if (!output.continues) throw createError(request, failure);
			failed.push([request, failure]);
		}
	});
	// With pauses, because a refused login fails all requests in the same moment.
	for await (const [request, failure] of withPauses(failed)) {
		output.fail(request, createError(request, failure), request.site);
	}
	if (client.signal?.aborted) return;
	const inputItems = context.getInputData().length;
	output.setNotices({
		outcomes: [...outcomes.values()],
		statistics,
		unusableItems,
		allKnownSites: runsOnce ? { sites: known, inputItems } : undefined,
	});
}

/**
 * Adds an error item for each item. After an exception in the middle of an execution, it replaces the first result of the item; its
 * other results stay.
 *
 * @throws the error if 'On Error' is 'Stop Workflow'.
 */
async function failAll({ operation, items, output }: Execution, error: NodeError): Promise<void> {
	if (!output.continues) throw error;
	for await (const item of withPauses(items)) {
		const repeatedInput = tryGetRepeatedInput(operation, item);
		output.fail({ itemIndex: item.index, position: 0, repeatedInput }, error, UNKNOWN_SITE);
	}
	output.setNotices({ unusableItems: items.length });
}

/** Describes the site of an item that cannot be used: the site itself if it is known, or what was entered as its ID or name. */
function describeSite({ parameters }: InputItem, known: KnownSites): ErrorItemSite {
	try {
		const input = parameters.get(siteField);
		const text = String(input);
		const asEntered = /\p{L}/u.test(text) ? { siteName: text } : { siteId: text };
		return findSite(input, known).value ?? { ...UNKNOWN_SITE, ...asEntered };
	} catch {
		return UNKNOWN_SITE;
	}
}

function tryGetRepeatedInput(
	operation: Operation | undefined,
	{ parameters, json }: InputItem,
): IDataObject {
	try {
		return operation?.repeatedInput?.(parameters, json) ?? {};
	} catch {
		return {};
	}
}
