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
import { knownSitesOf } from './fields/knownSites';
import { Parameters } from './fields/parameters';
import { executionOptions, type ReadingOptions } from './fields/reading';
import { errorBranchItem, errorItem, goodItem, type Failed } from './items';
import { agentItem, isTool, nothingFound } from './tool';
import { CANCELLED, isUnknown, type Failure } from './transport/failure';
import { outcomeOf } from './transport/outcome';
import { readDocuments } from './transport/readDocuments';
import { transportOf, type Transport } from './transport/transport';
import { hintsOf } from './hints';
import type { ItemRequest, Operation, ReadField } from './operations/operation';
import { findOperation } from './operations';

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
interface PlannedRequest extends ItemRequest {
	itemIndex: number;
	position: number;
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
	if (setup) await read(context, setup, results);
	return [results.items()];
}

/** The output, by input item and by request of the item. */
class Results {
	private readonly rows: INodeExecutionData[][][] = [];

	private readonly isTool: boolean;

	/** Whether a failure leaves the other items alone. */
	readonly continues: boolean;

	private readonly hasErrorBranch: boolean;

	/** The hints in the output panel. */
	private hints: NodeExecutionHint[] = [];

	constructor(private readonly context: IExecuteFunctions) {
		const node = context.getNode();
		this.isTool = isTool(node);
		this.continues = context.continueOnFail() || (this.isTool && node.onError !== 'stopWorkflow');
		this.hasErrorBranch = node.onError === 'continueErrorOutput';
	}

	put(itemIndex: number, position: number, rows: INodeExecutionData[]): void {
		(this.rows[itemIndex] ??= [])[position] = rows;
	}

	/** Puts an error item out, or throws the error where the node's "On Error" is "Stop Workflow". */
	fail(
		{ itemIndex, position = 0, ...failed }: Failed & { itemIndex: number; position?: number },
		error: NodeApiError | NodeOperationError,
	): void {
		if (!this.continues) throw error;
		const itemOf = this.isTool ? agentItem : this.hasErrorBranch ? errorBranchItem : errorItem;
		this.put(itemIndex, position, [itemOf(error, failed, itemIndex)]);
	}

	hint(hints: NodeExecutionHint[]): void {
		this.hints = hints;
		this.context.addExecutionHints?.(...hints);
	}

	items(): INodeExecutionData[] {
		const items = this.rows.flat(2);
		return this.isTool && items.length === 0 ? [nothingFound(this.hints)] : items;
	}
}

/** Undefined if it fails; each item has then got this failure. */
async function prepare(context: IExecuteFunctions, results: Results): Promise<Setup | undefined> {
	let operation: Operation | undefined;
	try {
		operation = chosenOperation(context);
		const transport = await transportOf(context);
		const parameters = new Parameters(context, knownSitesOf(transport.credential));
		return {
			operation,
			contract: await operation.contract(),
			parameters,
			options: executionOptions.read(parameters),
			transport,
		};
	} catch (error) {
		const { message, description } = error as NodeOperationError;
		const parameters = new Parameters(context, []);
		for (const itemIndex of context.getInputData().keys()) {
			const own = inputError(context.getNode(), message, description ?? '', itemIndex);
			const id = operation?.identify(readerOf(parameters, itemIndex)) ?? {};
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

async function read(context: IExecuteFunctions, setup: Setup, results: Results): Promise<void> {
	const { transport, options } = setup;
	const requests = await plan(context, setup, results);
	/** Left out, or the reason to stop. */
	const missing = new Map<PlannedRequest, Failure>();
	const stopsAtMissing = !results.continues && !options.ignoreMissing;

	const statistics = await readDocuments(
		transport,
		requests,
		options,
		(request, outcome, endSoon) => {
			const { subject, itemIndex, position } = request;
			const { value: output, failure } = outcome.value
				? outcomeOf(subject, () => request.toOutput(outcome.value))
				: outcome;
			if (output) {
				const rows = output.map((json) => goodItem(json, itemIndex));
				results.put(itemIndex, position, rows);
			} else if (isUnknown(failure) && (options.ignoreMissing || stopsAtMissing)) {
				missing.set(request, failure);
				if (stopsAtMissing) endSoon();
			} else if (!stopsAtMissing || missing.size === 0) {
				results.fail(request, requestError(context.getNode(), failure, itemIndex));
			}
		},
	);

	const [first] = requests;
	if (!first) return;
	const { kind } = first;
	const inOrder = requests.filter((request) => missing.has(request));
	const names = [...new Set(inOrder.map(({ id }) => labelOf(id)))];
	const [firstMissing] = inOrder;
	const failure = firstMissing && missing.get(firstMissing);
	if (stopsAtMissing && failure) {
		const text = names.length > 1 ? MESSAGES.status.severalUnknown(names, kind) : {};
		throw requestError(context.getNode(), { ...failure, ...text }, firstMissing.itemIndex);
	}
	const documents = new Set(requests.map(({ subject }) => subject)).size;
	const requestsPerMinute = transport.budget.requestsPerMinute();
	const timesEach = timesEachOf(requests, setup.parameters);
	results.hint(
		hintsOf({ ...statistics, kind, documents, missing: names, timesEach, requestsPerMinute }),
	);
}

/**
 * How many items ask for the very same documents, where this is probably not intended. Items with one document each may
 * well name the same one.
 */
function timesEachOf(requests: readonly PlannedRequest[], { isFixed }: Parameters): number {
	// Where the second item's begin.
	const perItem = requests.findIndex(({ itemIndex }) => itemIndex !== requests[0]?.itemIndex);
	if (perItem === -1 || (perItem === 1 && !isFixed)) return 1;
	const times = requests.length / perItem;
	const areSame = requests.every(({ path, dataVersion, position }, index) => {
		const first = requests[index % perItem];
		return path === first?.path && dataVersion === first.dataVersion && position === first.position;
	});
	return areSame && Number.isInteger(times) ? times : 1;
}

function readerOf(parameters: Parameters, itemIndex: number): ReadField {
	return (field) => parameters.read(field, itemIndex);
}

/** What the items ask for, in their order. An item whose parameters cannot be used asks for nothing. */
async function plan(
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
		const read = readerOf(parameters, itemIndex);
		try {
			if (cancellation.isCancelled) throw requestError(context.getNode(), CANCELLED, itemIndex);
			for (const [position, request] of operation.requests(read, contract).entries()) {
				planned.push({ ...request, itemIndex, position });
			}
		} catch (error) {
			const id = operation.identify(read);
			results.fail({ itemIndex, id }, error as NodeOperationError | NodeApiError);
		}
	}
	return planned;
}
