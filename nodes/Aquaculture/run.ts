import type {
	IExecuteFunctions,
	INodeExecutionData,
	NodeApiError,
	NodeExecutionHint,
	NodeOperationError,
} from 'n8n-workflow';
import { MESSAGES } from '../../shared/messages';
import { inputError, requestError } from './errors';
import { knownSitesOf } from './fields/knownSites';
import { Parameters } from './fields/parameters';
import { executionOptions, type ReadingOptions } from './fields/reading';
import { forAgent, isTool, nothingFound } from './tool';
import { attempt } from './transport/attempt';
import { CANCELLED, isUnknown } from './transport/failure';
import { readDocuments } from './transport/readDocuments';
import { transportOf, type Transport } from './transport/transport';
import { hintsOf } from './hints';
import type { ItemRequest, Operation, ReadField } from './operations/operation';
import { findOperation } from './operations';

/** What is alike for all input items. */
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
 * execution. With a Continue setting each failed document becomes an error item, also where the failure concerns all of them
 * (a wrong credential, a refused login): an error thrown from here would make n8n hand on the unprocessed input as if it
 * were output. A tool always answers its agent, unless its "On Error" has been set to "Stop Workflow".
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
	private readonly continues: boolean;

	/** What the output panel tells. */
	private hints: NodeExecutionHint[] = [];

	constructor(private readonly context: IExecuteFunctions) {
		const node = context.getNode();
		this.isTool = isTool(node);
		this.continues = context.continueOnFail() || (this.isTool && node.onError !== 'stopWorkflow');
	}

	put(itemIndex: number, position: number, rows: INodeExecutionData[]): void {
		(this.rows[itemIndex] ??= [])[position] = rows;
	}

	/** Puts an error item out, or throws the error where the node's "On Error" is "Stop Workflow". */
	fail(itemIndex: number, position: number, error: NodeApiError | NodeOperationError): void {
		if (!this.continues) throw error;
		if (this.isTool) forAgent(error);
		const pairedItem = { item: itemIndex };
		this.put(itemIndex, position, [{ json: { error: error.message }, error, pairedItem }]);
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

/** Undefined where something fails, which is then the failure of each item. */
async function prepare(context: IExecuteFunctions, results: Results): Promise<Setup | undefined> {
	try {
		const operation = chosenOperation(context);
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
		for (const itemIndex of context.getInputData().keys()) {
			const own = inputError(context.getNode(), message, description ?? '', itemIndex);
			results.fail(itemIndex, 0, own);
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
	const missing = new Set<string>();

	const statistics = await readDocuments(transport, requests, options, (request, outcome) => {
		const { subject, itemIndex, position } = request;
		const { answer: output, failure } = outcome.answer
			? attempt(subject, () => request.toOutput(outcome.answer))
			: outcome;
		if (output) {
			const rows = output.map((json) => ({ json, pairedItem: { item: itemIndex } }));
			results.put(itemIndex, position, rows);
		} else if (options.ignoreMissing && isUnknown(failure)) {
			missing.add(subject);
		} else {
			results.fail(itemIndex, position, requestError(context.getNode(), failure, itemIndex));
		}
	});

	const [first] = requests;
	if (!first) return;
	const documents = new Set(requests.map(({ subject }) => subject)).size;
	const requestsPerMinute = transport.budget.requestsPerMinute();
	const { kind } = first;
	results.hint(
		hintsOf({ ...statistics, kind, documents, missing: missing.size, requestsPerMinute }),
	);
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
		try {
			if (cancellation.isCancelled) throw requestError(context.getNode(), CANCELLED, itemIndex);
			const read: ReadField = (field) => parameters.read(field, itemIndex);
			for (const [position, request] of operation.requests(read, contract).entries()) {
				planned.push({ ...request, itemIndex, position });
			}
		} catch (error) {
			results.fail(itemIndex, 0, error as NodeOperationError | NodeApiError);
		}
	}
	return planned;
}
