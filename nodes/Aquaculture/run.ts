import { NodeApiError, sleep, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';
import { cancelled, type Failure } from './service/failures';
import { labelOf } from './service/site';
import { MINUTE_MS } from './messages/duration';
import { MESSAGES, SENTENCES } from './messages/messages';
import { ignoreMissing, maxWait } from './fields/options';
import { Parameters } from './fields/parameters';
import { ALL, site as siteField, sitesChoice } from './fields/sites';
import { hintsOf } from './output/notices';
import { findOperation, timeout } from './operations';
import type { ItemFields, Operation, SiteRequest } from './operations/operation';
import { checkCredentialOf, clientFor, type Client } from './requests/client';
import { inputError, requestError } from './requests/errors';
import { readAll } from './requests/readAll';
import {
	Results,
	UNKNOWN_SITE,
	type FailedSite,
	type NodeError,
	type Position,
} from './output/results';
import { loadList } from './input/serviceList';
import { Sites } from './input/sites';
import { findSite, namedSites } from './input/siteReferences';

/** What is the same for all input items. */
interface Setup {
	operation: Operation;
	/** Whether all sites are meant, so that the first item stands for all. */
	readsAll: boolean;
	parameters: Parameters;
	client: Client;
	sites: Sites;
	limits: { timeoutMs: number; maxWaitMs: number };
	ignoresMissing: boolean;
}

/** What the input items ask for, in their order, and those whose parameters cannot be used. */
interface Plan {
	requests: Array<SiteRequest & Position>;
	failures: Array<Position & { error: NodeError; site: FailedSite }>;
}

/**
 * Runs the chosen operation for all input items and returns the results in the order of the items, each linked to its
 * item. No site is asked for before the parameters of all items have been read.
 *
 * @throws NodeOperationError for unusable parameters, NodeApiError for a failed request, with "Stop Workflow" only.
 */
export async function execute(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const results = new Results(context);
	const readsAll = meansAll(context);
	const indexes = [...context.getInputData().keys()];
	const items = readsAll ? indexes.slice(0, 1) : indexes;
	const run = async () => {
		const setup = await prepare(context, readsAll);
		await checkCredentialOf(context, setup.client, items);
		const plan = await planRequests(context, setup, items);
		reportUnusable(context, setup, plan, results);
		await readSites(context, setup, plan, results);
	};
	// What is thrown then concerns all items.
	await (results.continues
		? run().catch((error: NodeError) => failAll(context, results, items, error))
		: run());
	return [results.items()];
}

/** Whether all sites are meant. The choice takes no expression, so that it is the same for all input items. */
function meansAll(context: IExecuteFunctions): boolean {
	const operation = findOperation(context.getNodeParameter('operation', 0));
	const { path, fallback } = sitesChoice;
	return operation?.isOfSeveral === true && context.getNodeParameter(path, 0, fallback) === ALL;
}

async function prepare(context: IExecuteFunctions, readsAll: boolean): Promise<Setup> {
	const operation = chosenOperation(context);
	const parameters = new Parameters(context);
	const signal = context.getExecutionCancelSignal();
	const client = await clientFor(context, 'execution', { signal });
	const hasList = client.account.settings.siteListPath !== undefined;
	return {
		operation,
		readsAll,
		parameters,
		client,
		sites: new Sites(client.credential.knownSites, hasList),
		limits: { timeoutMs: parameters.read(timeout), maxWaitMs: parameters.read(maxWait) },
		ignoresMissing: parameters.read(ignoreMissing),
	};
}

/** What n8n adds to the operations of each node with a credential (n8n 1.123 and 2.40). */
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

function failAll(
	context: IExecuteFunctions,
	results: Results,
	items: readonly number[],
	{ message, description }: NodeError,
): void {
	for (const itemIndex of items) {
		const own = inputError(context.getNode(), message, description ?? '', itemIndex);
		results.fail({ itemIndex, position: 0 }, own, UNKNOWN_SITE);
	}
	const { hasErrorBranch } = results;
	results.hint(hintsOf({ unusableItems: items.length, hasErrorBranch }));
}

/** What the items ask for. If a look-up misses the service's list of sites, that is loaded, and all is looked up again. */
async function planRequests(
	context: IExecuteFunctions,
	setup: Setup,
	items: readonly number[],
): Promise<Plan> {
	const { sites, client, limits } = setup;
	let plan = await planItems(context, setup, items);
	client.queue.maxWaitMs = limits.maxWaitMs + MINUTE_MS;
	while (sites.wantsList) {
		await loadList(client, sites, limits);
		plan = await planItems(context, setup, items);
	}
	return plan;
}

/** After so many items others in n8n have their turn: evaluating expressions takes a millisecond an item (n8n 2.40). */
const ITEMS_AT_ONCE = 100;

async function planItems(
	context: IExecuteFunctions,
	setup: Setup,
	items: readonly number[],
): Promise<Plan> {
	const { operation, sites, client } = setup;
	const plan: Plan = { requests: [], failures: [] };
	for (const itemIndex of items) {
		if (itemIndex % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) await sleep(0);
		if (client.signal?.aborted) throw requestError(context.getNode(), cancelled(), itemIndex);
		const fields = fieldsOf(context, setup, itemIndex);
		const missesBefore = sites.misses;
		try {
			const requests = operation.requests(fields);
			plan.requests.push(...requests.map((each, position) => ({ ...each, itemIndex, position })));
		} catch (thrown) {
			const listFailure = sites.misses > missesBefore ? sites.failure : undefined;
			const error = listFailure
				? requestError(context.getNode(), listFailure, itemIndex)
				: (thrown as NodeError);
			plan.failures.push({ itemIndex, position: 0, error, site: typedSite(setup, fields) });
		}
	}
	return plan;
}

/** The fields of one item. */
function fieldsOf(
	context: IExecuteFunctions,
	{ parameters, sites }: Setup,
	itemIndex: number,
): ItemFields {
	return {
		input: context.getInputData()[itemIndex]?.json ?? {},
		read: (field) => parameters.read(field, itemIndex),
		site() {
			const found = findSite(parameters.read(siteField, itemIndex), sites, parameters.isTool);
			if (found.fault === undefined) return found.value;
			throw parameters.errorOf(siteField, found, itemIndex);
		},
		sites: () => namedSites(parameters, sites, itemIndex),
	};
}

/** What is known of the site of an item whose parameters cannot be used: what was typed, in its column. */
function typedSite({ operation, sites }: Setup, { read }: ItemFields): FailedSite {
	try {
		if (operation.isOfSeveral) return UNKNOWN_SITE;
		const named = read(siteField);
		const typed = String(named.typed);
		const asTyped = named.byName ? { siteName: typed } : { siteId: typed };
		return findSite(named, sites, false).value ?? { ...UNKNOWN_SITE, ...asTyped };
	} catch {
		return UNKNOWN_SITE;
	}
}

/** @throws one error that names the first unusable items, if the node's "On Error" is "Stop Workflow". */
function reportUnusable(
	context: IExecuteFunctions,
	{ readsAll }: Setup,
	{ failures }: Plan,
	results: Results,
): void {
	const [first] = failures;
	const isOneOfMany = !readsAll && context.getInputData().length > 1;
	// If the list of sites could not be read, that is what the items share.
	if (first && isOneOfMany && !results.continues && !(first.error instanceof NodeApiError)) {
		const { message, description } = MESSAGES.node.unusableItems(
			failures.map(({ itemIndex, error }) => ({ number: itemIndex + 1, message: error.message })),
			first.error.description ?? '',
		);
		// With the index of an item, n8n adds it to the message, and it counts from 0.
		throw inputError(context.getNode(), message, description);
	}
	for (const { error, site, ...at } of failures) results.fail(at, error, site);
}

/** Sends the requests and adds the items or the failure of each to the results. */
async function readSites(
	context: IExecuteFunctions,
	{ readsAll, parameters, client, sites, limits, ignoresMissing }: Setup,
	{ requests, failures }: Plan,
	results: Results,
): Promise<void> {
	const failed = new Set<string>();
	const missing = new Set<string>();
	const empty = new Set<string>();
	const absent = new Map<string, Set<string>>();
	const fail = (request: SiteRequest & Position, failure: Failure) => {
		const isOneOfMany = requests.length > 1 && failure.statusCode === 403 && !results.continues;
		const description = `${failure.description}${isOneOfMany ? ` ${SENTENCES.goOn()}` : ''}`;
		const error = requestError(context.getNode(), { ...failure, description }, request.itemIndex);
		failed.add(request.path);
		results.fail(request, error, request.site);
	};
	const statistics = await readAll(client, requests, limits, (request, outcome) => {
		const { value: answer, failure } = outcome;
		const { path, parts } = request;
		if (answer) {
			const documents = request.toOutput(answer);
			results.add(request, documents);
			const lacking = parts.filter((part) => !Object.hasOwn(answer.json, part));
			for (const part of lacking) absent.set(part, (absent.get(part) ?? new Set()).add(path));
			if (documents.length === 0 && lacking.length === 0) empty.add(path);
		} else if (failure.unknown && ignoresMissing) {
			missing.add(path);
		} else {
			fail(request, failure);
		}
	});
	const named = new Map(requests.map(({ path, site }) => [path, labelOf(site)]));
	const namesOf = (paths: ReadonlySet<string>) =>
		[...named].filter(([path]) => paths.has(path)).map(([, name]) => name);
	const inputItems = context.getInputData().length;
	const hints = hintsOf({
		statistics,
		asked: named.size,
		failed: failed.size,
		hasErrorBranch: results.hasErrorBranch,
		unusableItems: failures.length,
		missing: namesOf(missing),
		empty: namesOf(empty),
		absent: [...absent].map(([part, lacking]) => [part, lacking.size]),
		allSites: readsAll ? { sites, inputItems } : undefined,
		list: sites.list,
		repeatedFor: !readsAll && parameters.areFixed && inputItems > 1 ? inputItems : undefined,
	});
	results.hint(hints);
}
