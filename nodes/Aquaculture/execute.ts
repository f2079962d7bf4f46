import {
	sleep,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
} from 'n8n-workflow';
import { ignoreMissing, maxWait } from './fields/options';
import { NodeParameters } from './fields/parameters';
import { ALL_SITES_VALUE, sitesChoice } from './fields/sites';
import { KnownSites } from './input/knownSites';
import { MESSAGES, SENTENCES } from './messages/messages';
import { findOperation, timeoutField } from './operations';
import { createItemFields, describeFailedSite } from './operations/itemFields';
import type { ItemFields, Operation, SiteRequest } from './operations/operation';
import { buildNotices, createOutcome, type SiteOutcome } from './output/notices';
import {
	Results,
	UNKNOWN_SITE,
	type ErrorItemSite,
	type NodeError,
	type ItemPosition,
} from './output/results';
import { assertSameCredential, createClient } from './requests/client';
import { inputError, requestError } from './n8n/errors';
import { readAll } from './requests/readAll';
import { documentKey } from './requests/request';
import type { Failure } from './service/failures';
import { siteLabel } from './service/site';

/** Everything that the requests of all input items share. */
type ExecutionSetup = Awaited<ReturnType<typeof prepare>>;

type PlannedRequest = SiteRequest & ItemPosition;

/**
 * Runs the chosen operation for all input items and returns the results in the order of the items, each linked to its
 * item. It reads the fields of all items before it sends anything. If n8n ends the execution, it returns the results so far:
 * n8n shows its own reason, such as its time limit, only if the node throws nothing (docs/architecture.md, n8n 10).
 *
 * @throws NodeOperationError for unusable fields, NodeApiError for a failed request, with "Stop Workflow" only.
 */
export async function execute(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const results = new Results(context);
	const readsAll = readsAllSites(context);
	const indexes = [...context.getInputData().keys()];
	const items = readsAll ? indexes.slice(0, 1) : indexes;
	try {
		const setup = await prepare(context, items, readsAll);
		const { requests, unusable } = await plan(context, setup, items);
		reportUnusable(context, setup, unusable, results);
		await readRequested(context, setup, requests, unusable.length, results);
	} catch (error) {
		// The error concerns all items.
		results.failAll(items, error as NodeError, (itemIndex) => getInputFields(context, itemIndex));
	}
	return [results.items()];
}

/** Returns whether the node runs once, for the first item: 'All Sites' means the same sites for every item. */
function readsAllSites(context: IExecuteFunctions): boolean {
	const operation = findOperation(context.getNodeParameter('operation', 0));
	const { path, fallback } = sitesChoice;
	return (
		operation?.readsManySites === true &&
		context.getNodeParameter(path, 0, fallback) === ALL_SITES_VALUE
	);
}

async function prepare(context: IExecuteFunctions, items: readonly number[], readsAll: boolean) {
	const operation = chosenOperation(context);
	const parameters = new NodeParameters(context);
	const signal = context.getExecutionCancelSignal();
	const client = await createClient(context, 'execution', { signal });
	await assertSameCredential(context, client, items.length);
	return {
		operation,
		readsAll,
		parameters,
		client,
		knownSites: new KnownSites(client.credential.knownSites),
		limits: { timeoutMs: parameters.read(timeoutField), maxWaitMs: parameters.read(maxWait) },
		ignoresMissing: parameters.read(ignoreMissing),
	};
}

/** n8n adds this operation to each node with a credential (docs/architecture.md, n8n 11). */
const CUSTOM_API_CALL = '__CUSTOM_API_CALL__';

function chosenOperation(context: IExecuteFunctions): Operation {
	const name = context.getNodeParameter('operation', 0);
	const operation = findOperation(name);
	if (operation) return operation;
	const { message, description } =
		name === CUSTOM_API_CALL
			? MESSAGES.node.customApiCall()
			: MESSAGES.node.operation(String(name));
	throw inputError(context.getNode(), message, description);
}

interface UnusableItem extends ItemPosition {
	error: NodeError;
	site: ErrorItemSite;
}

/**
 * Yield to the event loop after this many items: n8n takes about a millisecond to evaluate the expressions of one
 * (docs/architecture.md, n8n 9).
 */
const YIELD_AFTER_ITEMS = 100;

async function plan(
	context: IExecuteFunctions,
	{ operation, parameters, client, knownSites }: ExecutionSetup,
	items: readonly number[],
) {
	const requests: PlannedRequest[] = [];
	const unusable: UnusableItem[] = [];
	for (const itemIndex of items) {
		if (itemIndex % YIELD_AFTER_ITEMS === YIELD_AFTER_ITEMS - 1) await sleep(0);
		if (client.signal?.aborted) break;
		const fields = createItemFields(context, parameters, knownSites, itemIndex);
		try {
			const planned = operation.requests(fields);
			const inputFields = operation.inputFields?.(fields) ?? {};
			requests.push(
				...planned.map((request, position) => ({ ...request, itemIndex, position, inputFields })),
			);
		} catch (error) {
			const site = operation.readsManySites ? UNKNOWN_SITE : describeFailedSite(fields, knownSites);
			const inputFields = tryGetInputFields(operation, fields);
			unusable.push({ itemIndex, position: 0, inputFields, error: error as NodeError, site });
		}
	}
	return { requests, unusable };
}

/** Returns the input fields to repeat for an item if the execution fails before its requests are planned. */
function getInputFields(context: IExecuteFunctions, itemIndex: number): IDataObject {
	const operation = findOperation(context.getNodeParameter('operation', 0));
	const parameters = new NodeParameters(context);
	const fields = createItemFields(context, parameters, new KnownSites(''), itemIndex);
	return operation ? tryGetInputFields(operation, fields) : {};
}

function tryGetInputFields(operation: Operation, fields: ItemFields): IDataObject {
	try {
		return operation.inputFields?.(fields) ?? {};
	} catch {
		return {};
	}
}

/** @throws one error that names the first unusable items if 'On Error' is 'Stop Workflow'. */
function reportUnusable(
	context: IExecuteFunctions,
	{ readsAll }: ExecutionSetup,
	unusable: readonly UnusableItem[],
	results: Results,
): void {
	const [first] = unusable;
	const isOneOfMany = !readsAll && context.getInputData().length > 1;
	if (first && isOneOfMany && !results.continues) {
		const { message, description } = MESSAGES.node.unusableItems(
			unusable.map(({ itemIndex, error }) => ({ number: itemIndex + 1, message: error.message })),
			first.error.description ?? '',
		);
		// Without an item index: n8n would add it to the message, counting from 0.
		throw inputError(context.getNode(), message, description);
	}
	for (const { error, site, ...at } of unusable) results.fail(at, error, site);
}

async function readRequested(
	context: IExecuteFunctions,
	{ readsAll, client, knownSites, limits, ignoresMissing }: ExecutionSetup,
	requests: readonly PlannedRequest[],
	unusableItems: number,
	results: Results,
): Promise<void> {
	// Each site once, in the order of the requests, and failed until there is an answer.
	const outcomes = new Map<string, SiteOutcome>();
	for (const request of requests) {
		outcomes.set(documentKey(client, request), { name: siteLabel(request.site), result: 'failed' });
	}
	const fail = (request: PlannedRequest, failure: Failure) => {
		const isOneOfMany = requests.length > 1 && failure.statusCode === 403 && !results.continues;
		const description = `${failure.description}${isOneOfMany ? ` ${SENTENCES.continueWithout('site')}` : ''}`;
		const error = requestError(context.getNode(), { ...failure, description }, request.itemIndex);
		results.fail(request, error, request.site);
	};
	const statistics = await readAll(client, requests, limits, (request, { value, failure }) => {
		if (value) {
			const output = request.toOutput(value);
			results.add(request, output);
			outcomes.set(documentKey(client, request), createOutcome(request, value, output.length));
		} else if (failure.kind === 'notFound' && ignoresMissing) {
			outcomes.set(documentKey(client, request), {
				name: siteLabel(request.site),
				result: 'missing',
			});
		} else if (failure.kind !== 'cancelled') {
			fail(request, failure);
		}
	});
	if (client.signal?.aborted) return;
	const inputItems = context.getInputData().length;
	results.setNotices(
		buildNotices({
			hasErrorOutput: results.hasErrorOutput,
			outcomes: [...outcomes.values()],
			statistics,
			unusableItems,
			allKnownSites: readsAll ? { sites: knownSites, inputItems } : undefined,
			replacedFields: results.replacedFields,
		}),
	);
}
