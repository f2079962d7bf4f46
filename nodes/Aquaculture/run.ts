import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { Failure } from '../../service/failures';
import { labelOf } from '../../service/site';
import { MINUTE_MS } from '../../texts/duration';
import { MESSAGES, SENTENCES } from '../../texts/messages';
import { ignoreMissing, maxWait } from './fields/options';
import { Parameters } from './fields/parameters';
import { ALL, site as siteField, sitesChoice } from './fields/sites';
import { hintsOf } from './hints';
import { findOperation, timeout } from './operations';
import type { ItemFields, Operation, SiteRequest } from './operations/operation';
import { clientFor, type Client } from './requests/client';
import { inputError, requestError } from './requests/errors';
import { readAll } from './requests/readAll';
import { failedSite, Results, type FailedSite, type NodeError, type Position } from './results';
import { loadList } from './sites/serviceList';
import { Sites } from './sites/sites';
import { findSite, namedSites } from './sites/typedSites';

/** What is the same for all input items. */
interface Setup {
	operation: Operation;
	parameters: Parameters;
	client: Client;
	sites: Sites;
	limits: { timeoutMs: number; maxWaitMs: number };
	ignoresMissing: boolean;
	/** Whether all known sites are meant: the same for all input items, so that only the first one is read. */
	readsAll: boolean;
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
	const run = async () => {
		const setup = await prepare(context);
		const plan = await planRequests(context, setup);
		for (const { error, site, ...at } of plan.failures) results.fail(at, error, site);
		await readSites(context, setup, plan, results);
	};
	// What is thrown then concerns all items.
	await (results.continues
		? run().catch((error: NodeError) => failAll(context, results, error))
		: run());
	return [results.items()];
}

async function prepare(context: IExecuteFunctions): Promise<Setup> {
	const operation = chosenOperation(context);
	const parameters = new Parameters(context);
	const signal = context.getExecutionCancelSignal();
	const client = await clientFor(context, 'execution', { signal });
	const hasList = client.account.settings.siteListPath !== undefined;
	return {
		operation,
		parameters,
		client,
		sites: new Sites(client.credential.knownSites, hasList),
		limits: { timeoutMs: parameters.read(timeout), maxWaitMs: parameters.read(maxWait) },
		ignoresMissing: parameters.read(ignoreMissing),
		readsAll: operation.isOfSeveral && parameters.read(sitesChoice) === ALL,
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

function failAll(context: IExecuteFunctions, results: Results, error: NodeError): void {
	const { message, description } = error;
	for (const itemIndex of context.getInputData().keys()) {
		const own = inputError(context.getNode(), message, description ?? '', itemIndex);
		results.fail({ itemIndex, position: 0 }, own, failedSite({}));
	}
}

/** What the items ask for. If a look-up misses the service's list of sites, that is loaded, and all is looked up again. */
async function planRequests(context: IExecuteFunctions, setup: Setup): Promise<Plan> {
	const { sites, client, limits } = setup;
	let plan = planItems(context, setup);
	client.queue.maxWaitMs = limits.maxWaitMs + MINUTE_MS;
	while (sites.wantsList) {
		await loadList(client, sites, limits);
		plan = planItems(context, setup);
	}
	return plan;
}

function planItems(context: IExecuteFunctions, setup: Setup): Plan {
	const { operation, sites, readsAll } = setup;
	const plan: Plan = { requests: [], failures: [] };
	const items = [...context.getInputData().keys()];
	let hasMissed = false;
	for (const itemIndex of readsAll ? items.slice(0, 1) : items) {
		const fields = fieldsOf(setup, itemIndex);
		sites.hasMissed = false;
		try {
			const requests = operation.requests(fields);
			plan.requests.push(...requests.map((each, position) => ({ ...each, itemIndex, position })));
		} catch (thrown) {
			const listFailure = sites.hasMissed ? sites.failure : undefined;
			const error = listFailure
				? requestError(context.getNode(), listFailure, itemIndex)
				: (thrown as NodeError);
			plan.failures.push({ itemIndex, position: 0, error, site: typedSite(setup, fields) });
		}
		hasMissed ||= sites.hasMissed;
	}
	sites.hasMissed = hasMissed;
	return plan;
}

/** The fields of one item. */
function fieldsOf({ parameters, sites }: Setup, itemIndex: number): ItemFields {
	return {
		read: (field) => parameters.read(field, itemIndex),
		site() {
			const found = findSite(parameters.read(siteField, itemIndex), sites, parameters.isTool);
			if (found.fault === undefined) return found.value;
			throw parameters.errorOf(siteField, found, itemIndex);
		},
		sites: () => namedSites(parameters, sites, itemIndex),
	};
}

/** What is known of the site of an item whose parameters cannot be used. */
function typedSite({ operation, sites }: Setup, { read }: ItemFields): FailedSite {
	try {
		if (operation.isOfSeveral) return failedSite({});
		const named = read(siteField);
		return failedSite(findSite(named, sites, false).value ?? { siteName: String(named.typed) });
	} catch {
		return failedSite({});
	}
}

/** Sends the requests and adds the items or the failure of each to the results. */
async function readSites(
	context: IExecuteFunctions,
	{ client, sites, limits, ignoresMissing, readsAll }: Setup,
	{ requests, failures }: Plan,
	results: Results,
): Promise<void> {
	const failed = new Set<string>();
	const missing = new Map<string, string>();
	const absent = new Map<string, Set<string>>();
	const fail = (request: SiteRequest & Position, failure: Failure) => {
		const isOneOfMany = requests.length > 1 && failure.statusCode === 403 && !results.continues;
		const description = `${failure.description}${isOneOfMany ? ` ${SENTENCES.goOn()}` : ''}`;
		const error = requestError(context.getNode(), { ...failure, description }, request.itemIndex);
		failed.add(request.path);
		results.fail(request, error, failedSite(request.site));
	};
	const statistics = await readAll(client, requests, limits, (request, outcome) => {
		const { value: answer, failure } = outcome;
		const { path, parts, site } = request;
		if (answer) {
			results.add(request, request.toOutput(answer));
			for (const part of parts.filter((each) => !Object.hasOwn(answer.json, each))) {
				absent.set(part, (absent.get(part) ?? new Set()).add(path));
			}
		} else if (failure.unknown && ignoresMissing) {
			missing.set(path, labelOf(site));
		} else {
			fail(request, failure);
		}
	});
	const hints = hintsOf({
		statistics,
		requestsPerMinute: client.account.limit.textFor(client.queue).requestsPerMinute,
		asked: new Set(requests.map(({ path }) => path)).size + failures.length,
		failed: failed.size + failures.length,
		missing: [...missing.values()],
		absent,
		sites,
		readsAll,
	});
	results.hint(hints);
}
