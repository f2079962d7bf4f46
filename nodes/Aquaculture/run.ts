import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	NodeApiError,
	NodeExecutionHint,
	NodeOperationError,
} from 'n8n-workflow';
import { absentParts, labelOf } from '../../service/document';
import type { Kind } from '../../texts/messages';
import { MESSAGES, SENTENCES } from '../../texts/messages';
import { inputError, requestError } from './requests/nodeErrors';
import { Parameters } from './fields/parameters';
import { executionOptions, type LimitOptions } from './fields/limitOptions';
import { failedHint, hintsOf, linesHint, listHints } from './hints';
import type { ItemRequest, Operation } from './operations/operation';
import { findOperation } from './operations';
import { isIgnored } from './fields/ignoreMissing';
import { Results, type Position } from './results';
import { SiteDirectory } from './sites/directory';
import type { Answer } from './requests/answer';
import { CANCELLED, type Failure } from './requests/failure';
import { unprocessed, type Outcome } from './requests/outcome';
import { readDocuments, type Statistics } from './requests/readDocuments';
import { transportForExecution, type Transport } from './requests/transport';

/** What is the same for all input items. */
interface Setup {
	operation: Operation;
	/** The contract of the operation's document. */
	contract: unknown;
	parameters: Parameters;
	options: LimitOptions;
	transport: Transport;
	directory: SiteDirectory;
	/** The indexes of the input items that are read. */
	itemsRead: readonly number[];
}

/** A request of an item, and which of its requests it is. */
type PlannedRequest = ItemRequest & Position;

/** A request for a document that the service does not know. */
interface UnknownDocument {
	request: PlannedRequest;
	failure: Failure;
}

/** The requests once they have been sent. */
interface SentRequests {
	statistics: Statistics;
	/** Those for documents that are left out, in the order of the output. */
	ignored: PlannedRequest[];
	/** Those for documents that the service does not know, if they end the execution, in the order of the output. */
	unknown: UnknownDocument[];
	/** Of which documents each part that was asked for was not sent. */
	absent: ReadonlyMap<string, ReadonlySet<string>>;
	/** The paths of the documents that have no items. */
	empty: ReadonlySet<string>;
}

/** What the node reads, if no item says what it is. */
const ITEM: Kind = { one: 'item', many: 'items' };

/** How long parameters are read before n8n gets time for other work, in milliseconds. */
const LONGEST_STRETCH_MS = 50;

/**
 * Runs the chosen operation for all input items and returns the results in the order of the items, each linked to its
 * item.
 *
 * No site is asked for before the parameters of all items have been read. With "Stop Workflow" the first failure ends the
 * execution. With a Continue setting each failed document becomes an error item, even if the failure concerns all of
 * them (a wrong credential, a refused login): if an error were thrown from here, n8n would return the input
 * items instead. A tool always answers its agent, unless its "On Error" has been set to "Stop Workflow".
 *
 * @throws NodeOperationError for unusable parameters, NodeApiError for a failed request, with "Stop Workflow" only.
 */
export async function execute(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const results = new Results(context);
	const setup = await prepare(context, results);
	if (setup) {
		const requests = await planRequests(context, setup, results);
		const unusableItems = results.failures;
		const sent = await sendRequests(context, setup, requests, results);
		const [first] = sent.unknown;
		if (first) {
			throw unknownError(context, first, namesOf(sent.unknown.map(({ request }) => request)));
		}
		results.hint(hintsFor(context, setup, { ...sent, requests, unusableItems }, results));
	} else if (results.failures > 0) {
		results.hint([failedHint(results.failures, results.failures, ITEM)]);
	}
	return [results.items()];
}

/** Undefined if it fails; each item has then got this failure. */
async function prepare(context: IExecuteFunctions, results: Results): Promise<Setup | undefined> {
	let operation: Operation | undefined;
	try {
		operation = chosenOperation(context);
		const transport = await transportForExecution(context);
		const { credential } = transport;
		const options = executionOptions.read(new Parameters(context));
		const reading = { transport, limits: options };
		const directory = new SiteDirectory(credential.knownSites, reading);
		const parameters = new Parameters(context, directory);
		return {
			operation,
			contract: await operation.contract(),
			parameters,
			options,
			transport,
			directory,
			itemsRead: itemsReadBy(operation, context, parameters),
		};
	} catch (error) {
		const { message, description } = error as NodeOperationError;
		const parameters = new Parameters(context);
		for (const itemIndex of itemsReadBy(operation, context, parameters)) {
			const own = inputError(context.getNode(), message, description ?? '', itemIndex);
			const id = operation?.identify(parameters.of(itemIndex)) ?? {};
			results.fail({ itemIndex, id }, own);
		}
		return undefined;
	}
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

/** The indexes of the input items that are read: the first one alone if all ask for the same. */
function itemsReadBy(
	operation: Operation | undefined,
	context: IExecuteFunctions,
	parameters: Parameters,
): number[] {
	const items = [...context.getInputData().keys()];
	return operation?.readsOnce?.(parameters.of(0)) ? items.slice(0, 1) : items;
}

/** What the items ask for, in their order. An item whose parameters cannot be used asks for nothing. */
async function planRequests(
	context: IExecuteFunctions,
	{ operation, contract, parameters, itemsRead, transport: { cancellation } }: Setup,
	results: Results,
): Promise<PlannedRequest[]> {
	const planned: PlannedRequest[] = [];
	let stretchBeganAt = performance.now();
	for (const itemIndex of itemsRead) {
		if (performance.now() - stretchBeganAt > LONGEST_STRETCH_MS) {
			await cancellation.pause(0);
			stretchBeganAt = performance.now();
		}
		const reader = parameters.of(itemIndex);
		try {
			if (cancellation.isCancelled) throw requestError(context.getNode(), CANCELLED, itemIndex);
			const requests = await operation.requests(reader, contract);
			for (const [position, request] of requests.entries()) {
				planned.push({ ...request, itemIndex, position });
			}
		} catch (error) {
			const id = operation.identify(reader);
			results.fail({ itemIndex, id }, error as NodeOperationError | NodeApiError);
		}
	}
	return planned;
}

/**
 * Sends the requests and adds the items or the failure of each to the results. With "Stop Workflow", documents that the
 * service does not know end the execution soon, so that its error names several of them.
 */
async function sendRequests(
	context: IExecuteFunctions,
	{ operation: { items = '' }, transport, options }: Setup,
	requests: readonly PlannedRequest[],
	results: Results,
): Promise<SentRequests> {
	const ignored: PlannedRequest[] = [];
	const unknown: UnknownDocument[] = [];
	const parts = requests.flatMap(({ parts: asked = [] }) => asked);
	const absent = new Map(parts.map((part) => [part, new Set<string>()]));
	const empty = new Set<string>();
	const statistics = await readDocuments(transport, requests, options, (request, outcome) => {
		const { value: output, failure } = outcome.value ? outputOf(request, outcome.value) : outcome;
		if (output) {
			results.add(request, output.items);
			for (const part of output.absent) absent.get(part)?.add(request.path);
			if (output.items.length === 0 && !output.absent.includes(items)) empty.add(request.path);
		} else if (isIgnored(failure, options)) {
			ignored.push(request);
		} else if (failure.unknown && !results.continues) {
			unknown.push({ request, failure });
			transport.cancellation.endSoon();
		} else if (unknown.length === 0) {
			const isOneOfMany = requests.length > 1 && !results.continues;
			const told =
				isOneOfMany && failure.statusCode === 403 ? withoutRight(failure, request) : failure;
			results.fail(request, requestError(context.getNode(), told, request.itemIndex));
		}
	});
	ignored.sort(inOrder);
	unknown.sort((one, other) => inOrder(one.request, other.request));
	return { statistics, ignored, unknown, absent, empty };
}

/** The order of the output. */
function inOrder(one: Position, other: Position): number {
	return one.itemIndex - other.itemIndex || one.position - other.position;
}

/** One of several documents that the account may not read need not end the execution. */
function withoutRight(failure: Failure, { kind }: PlannedRequest): Failure {
	return { ...failure, description: `${failure.description} ${SENTENCES.goOn(kind)}` };
}

/** What an answer becomes. */
interface Output {
	items: IDataObject[];
	/** The parts that were asked for and not sent. */
	absent: readonly string[];
}

function outputOf(request: PlannedRequest, answer: Answer<unknown>): Outcome<Output> {
	try {
		const items = request.toOutput(answer);
		return { value: { items, absent: absentParts(request, answer.json as object) } };
	} catch (error) {
		return unprocessed(request.subject, error);
	}
}

/** The error of the first document that the service does not know; it names all of them. */
function unknownError(
	context: IExecuteFunctions,
	{ request, failure }: UnknownDocument,
	names: readonly string[],
): NodeApiError {
	const text = names.length > 1 ? MESSAGES.status.severalUnknown(names, request.kind) : {};
	return requestError(context.getNode(), { ...failure, ...text }, request.itemIndex);
}

/** What the documents are called, each once. */
function namesOf(requests: readonly PlannedRequest[]): string[] {
	return [...new Set(requests.map(({ id }) => labelOf(id)))];
}

function hintsFor(
	context: IExecuteFunctions,
	{ operation, transport, parameters, directory, itemsRead }: Setup,
	{
		requests,
		unusableItems,
		statistics,
		ignored,
		absent,
		empty,
	}: SentRequests & { requests: readonly PlannedRequest[]; unusableItems: number },
	results: Results,
): NodeExecutionHint[] {
	const { items } = operation;
	const readsAll = requests.length > 0 && operation.readsOnce?.(parameters.of(0));
	const inputItems = context.getInputData().length;
	const hints = hintsOf({
		...statistics,
		kind: requests[0]?.kind ?? ITEM,
		documents: new Set(requests.map(({ path }) => path)).size + unusableItems,
		missing: namesOf(ignored),
		failed: results.failures,
		absent: [...absent].flatMap(([part, { size }]) => (size > 0 ? [[part, size] as const] : [])),
		empty:
			items === undefined || empty.size === 0
				? undefined
				: { names: namesOf(requests.filter(({ path }) => empty.has(path))), items },
		readForEachOf: parameters.isFixed && itemsRead.length > 1 ? itemsRead.length : undefined,
		readOnceFor: itemsRead.length < inputItems ? inputItems : undefined,
		isUnlikeOffered:
			context.getMode() === 'manual' &&
			!results.isEmpty &&
			requests.some((request) => request.isUnlikeOffered),
		total: readsAll ? directory.sites.length : undefined,
		requestsPerMinute: transport.account.connection.requestsPerMinute,
	});
	return [
		...linesHint(readsAll ? directory.linesLeftOut : []),
		...listHints(directory.list),
		...hints,
	];
}
