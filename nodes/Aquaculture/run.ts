import type {
	IExecuteFunctions,
	INodeExecutionData,
	NodeApiError,
	NodeExecutionHint,
	NodeOperationError,
} from 'n8n-workflow';
import { labelOf } from '../../api/document';
import { MESSAGES } from '../../shared/messages';
import { inputError, requestError } from './errors';
import { Parameters } from './fields/parameters';
import { executionOptions, type ReadingOptions } from './fields/readingOptions';
import { hintsOf, linesHint } from './hints';
import type { ItemRequest, Operation, ReadField } from './operations/operation';
import { findOperation } from './operations';
import { Results, type Position } from './results';
import { CANCELLED, isUnknown, type Failure } from './transport/failure';
import { outcomeOf } from './transport/outcome';
import { readDocuments, type Statistics } from './transport/readDocuments';
import { transportOf, type Transport } from './transport/transport';

/** What is the same for all input items. */
interface Setup {
	operation: Operation;
	/** That of the operation. */
	contract: unknown;
	parameters: Parameters;
	options: ReadingOptions;
	transport: Transport;
}

/** A request of an item, and which of its requests it is. */
type PlannedRequest = ItemRequest & Position;

/** A request for a document that the service does not know. */
interface MissingDocument {
	request: PlannedRequest;
	failure: Failure;
}

/** How long parameters are read before n8n gets time for other work, in milliseconds. */
const LONGEST_STRETCH_MS = 50;

/**
 * Runs the chosen operation for all input items and returns the results in the order of the items, each linked to its
 * item.
 *
 * Nothing is sent before the parameters of all items have been read. With "Stop Workflow" the first failure ends the
 * execution. With a Continue setting each failed document becomes an error item, also where the failure concerns all of
 * them (a wrong credential, a refused login): if an error were thrown from here, n8n would pass on the unprocessed
 * input as if it were output. A tool always answers its agent, unless its "On Error" has been set to "Stop Workflow".
 *
 * @throws NodeOperationError for unusable parameters, NodeApiError for a failed request, with "Stop Workflow" only.
 */
export async function execute(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const results = new Results(context);
	const setup = await prepare(context, results);
	if (setup) {
		const requests = await planRequests(context, setup, results);
		const { statistics, missing } = await sendRequests(context, setup, requests, results);
		const [first] = missing;
		if (first && !setup.options.ignoreMissing) throw missingError(context, first, namesOf(missing));
		results.hint(hintsFor(setup, requests, missing, statistics));
	}
	return [results.items()];
}

/** Undefined if it fails; each item has then got this failure. */
async function prepare(context: IExecuteFunctions, results: Results): Promise<Setup | undefined> {
	let operation: Operation | undefined;
	try {
		operation = chosenOperation(context);
		const transport = await transportOf(context);
		const parameters = new Parameters(context, transport.credential.knownSites);
		return {
			operation,
			contract: await operation.contract(),
			parameters,
			options: executionOptions.read(parameters),
			transport,
		};
	} catch (error) {
		const { message, description } = error as NodeOperationError;
		const parameters = new Parameters(context);
		for (const itemIndex of context.getInputData().keys()) {
			const own = inputError(context.getNode(), message, description ?? '', itemIndex);
			const id = operation?.identify(readerFor(itemIndex, parameters)) ?? {};
			results.fail({ itemIndex, id }, own);
		}
		return undefined;
	}
}

function chosenOperation(context: IExecuteFunctions): Operation {
	const name = context.getNodeParameter('operation', 0);
	const operation = findOperation(name);
	if (operation) return operation;
	const { message, description } = MESSAGES.node.operation(String(name));
	throw inputError(context.getNode(), message, description);
}

function readerFor(itemIndex: number, parameters: Parameters): ReadField {
	return (field) => parameters.read(field, itemIndex);
}

/** What the items ask for, in their order. An item whose parameters cannot be used asks for nothing. */
async function planRequests(
	context: IExecuteFunctions,
	{ operation, contract, parameters, transport: { cancellation } }: Setup,
	results: Results,
): Promise<PlannedRequest[]> {
	const planned: PlannedRequest[] = [];
	let stretchBeganAt = performance.now();
	for (const itemIndex of context.getInputData().keys()) {
		if (performance.now() - stretchBeganAt > LONGEST_STRETCH_MS) {
			await cancellation.pause(0);
			stretchBeganAt = performance.now();
		}
		const readField = readerFor(itemIndex, parameters);
		try {
			if (cancellation.isCancelled) throw requestError(context.getNode(), CANCELLED, itemIndex);
			for (const [position, request] of operation.requests(readField, contract).entries()) {
				planned.push({ ...request, itemIndex, position });
			}
		} catch (error) {
			const id = operation.identify(readField);
			results.fail({ itemIndex, id }, error as NodeOperationError | NodeApiError);
		}
	}
	return planned;
}

/**
 * Sends the requests and adds what comes of each to the results.
 *
 * @returns the requests for documents that the service does not know and that are no error items, in the order of the
 *   output: with 'Ignore Missing Sites' they are left out, with "Stop Workflow" they end the execution.
 */
async function sendRequests(
	context: IExecuteFunctions,
	{ transport, options }: Setup,
	requests: readonly PlannedRequest[],
	results: Results,
): Promise<{ statistics: Statistics; missing: MissingDocument[] }> {
	const { ignoreMissing } = options;
	const missing: MissingDocument[] = [];
	const statistics = await readDocuments(
		transport,
		requests,
		options,
		(request, outcome, endSoon) => {
			const { value: output, failure } = outcome.value
				? outcomeOf(request.subject, () => request.toOutput(outcome.value))
				: outcome;
			if (output) {
				results.add(request, output);
			} else if (isUnknown(failure) && (ignoreMissing || !results.continues)) {
				missing.push({ request, failure });
				if (!ignoreMissing) endSoon();
			} else if (ignoreMissing || missing.length === 0) {
				results.fail(request, requestError(context.getNode(), failure, request.itemIndex));
			}
		},
	);
	missing.sort(
		({ request: one }, { request: other }) =>
			one.itemIndex - other.itemIndex || one.position - other.position,
	);
	return { statistics, missing };
}

/** The error of the first document that the service does not know; it names all of them. */
function missingError(
	context: IExecuteFunctions,
	{ request, failure }: MissingDocument,
	names: readonly string[],
): NodeApiError {
	const text = names.length > 1 ? MESSAGES.status.severalUnknown(names, request.kind) : {};
	return requestError(context.getNode(), { ...failure, ...text }, request.itemIndex);
}

/** What the documents are called, each once. */
function namesOf(missing: readonly MissingDocument[]): string[] {
	return [...new Set(missing.map(({ request }) => labelOf(request.id)))];
}

function hintsFor(
	{ operation, transport, parameters }: Setup,
	requests: readonly PlannedRequest[],
	missing: readonly MissingDocument[],
	statistics: Statistics,
): NodeExecutionHint[] {
	const [first] = requests;
	if (!first) return [];
	const linesLeftOut = operation.linesLeftOut?.(readerFor(0, parameters)) ?? [];
	const hints = hintsOf({
		...statistics,
		kind: first.kind,
		documents: new Set(requests.map(({ subject }) => subject)).size,
		missing: namesOf(missing),
		copies: copiesOfEach(requests, parameters),
		requestsPerMinute: transport.budget.requestsPerMinute(),
	});
	return [...linesHint(linesLeftOut), ...hints];
}

/**
 * How often each document comes out because all items ask for the very same ones, which is probably not intended. Items
 * with one document each may well name the same one.
 */
function copiesOfEach(requests: readonly PlannedRequest[], { isFixed }: Parameters): number {
	const perItem = requests.findIndex(({ itemIndex }) => itemIndex !== requests[0]?.itemIndex);
	const hasOneItem = perItem === -1;
	if (hasOneItem || (perItem === 1 && !isFixed)) return 1;
	const copies = requests.length / perItem;
	const areSame = requests.every(({ path, dataVersion, position }, index) => {
		const first = requests[index % perItem];
		return path === first?.path && dataVersion === first.dataVersion && position === first.position;
	});
	return areSame && Number.isInteger(copies) ? copies : 1;
}
