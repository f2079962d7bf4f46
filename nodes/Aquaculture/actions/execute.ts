import type {
	IExecuteFunctions,
	INodeExecutionData,
	NodeApiError,
	NodeExecutionHint,
	NodeOperationError,
} from 'n8n-workflow';
import { inputError, requestError } from '../errors';
import { connect } from '../transport/connect';
import { readSites } from '../transport/readSites';
import type { Transport } from '../transport/request';
import type { SiteRequest } from '../transport/sites';
import { Parameters } from './fields/parameters';
import { readReadingOptions, type ReadingOptions } from './fields/reading';
import { describeReading } from './hints';
import { findOperation } from './index';
import type { Operation, Plan } from './operation';
import { forAgent, isTool, nothingFound } from './tool';

/** What the input items ask for, checked. */
interface Preparation {
	/** By the index of the item; an item whose parameters cannot be used has none. */
	plans: Map<number, Plan>;
	options: ReadingOptions;
}

/** One request of an item's plan, and which of its requests it is. */
interface PlannedRequest {
	itemIndex: number;
	position: number;
	plan: Plan;
	request: SiteRequest;
}

/**
 * Runs the chosen operation for all input items: reads all parameters, then the sites, and returns the results in the
 * order of the items, each linked to its item.
 *
 * With "Stop Workflow" the first failure ends the execution. With a Continue setting each failed site becomes an error
 * item, also where the failure concerns all of them (a wrong credential, a refused login): an error thrown from here
 * would make n8n hand on the unprocessed input as if it were output. A tool always answers its agent, unless its
 * "On Error" has been set to "Stop Workflow".
 *
 * @throws NodeOperationError for unusable parameters, NodeApiError for a failed request, with "Stop Workflow" only.
 */
export async function execute(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const results = new Results(context);
	const preparation = prepare(context, results);
	if (preparation) {
		const transport = await connected(context, preparation.plans, results);
		if (transport) await read(context, transport, preparation, results);
	}
	return [results.items()];
}

/** The output, by input item and by request of the item. */
class Results {
	private readonly rows: INodeExecutionData[][][] = [];

	private readonly isTool: boolean;

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

/** Reads the parameters of all items; undefined where no item can be worked on. */
function prepare(context: IExecuteFunctions, results: Results): Preparation | undefined {
	const parameters = new Parameters(context);
	const plans = new Map<number, Plan>();
	let operation: Operation | undefined;
	let options: ReadingOptions | undefined;
	for (const itemIndex of context.getInputData().keys()) {
		try {
			operation ??= chosenOperation(context, itemIndex);
			options ??= readReadingOptions(parameters, itemIndex);
			plans.set(itemIndex, operation.prepare(parameters, itemIndex));
		} catch (error) {
			results.fail(itemIndex, 0, error as NodeOperationError);
		}
	}
	return options && { plans, options };
}

function chosenOperation(context: IExecuteFunctions, itemIndex: number): Operation {
	const name = context.getNodeParameter('operation', 0);
	const operation = findOperation(name);
	if (operation) return operation;
	throw inputError(
		context.getNode(),
		`The operation "${String(name)}" does not exist`,
		'Choose an operation in the node. The workflow may have been made for another version of it.',
		itemIndex,
	);
}

/** Connects to the service; undefined where that fails, which is then the failure of each item. */
async function connected(
	context: IExecuteFunctions,
	plans: ReadonlyMap<number, Plan>,
	results: Results,
): Promise<Transport | undefined> {
	if (plans.size === 0) return undefined;
	try {
		return await connect(context);
	} catch (error) {
		const { message, description } = error as NodeOperationError;
		for (const itemIndex of plans.keys()) {
			const own = inputError(context.getNode(), message, description ?? '', itemIndex);
			results.fail(itemIndex, 0, own);
		}
		return undefined;
	}
}

async function read(
	context: IExecuteFunctions,
	transport: Transport,
	{ plans, options }: Preparation,
	results: Results,
): Promise<void> {
	const node = context.getNode();
	const planned = plannedRequests(plans);
	const requests = planned.map(({ request }) => request);
	const missing = new Set<number>();

	const statistics = await readSites(transport, requests, options, (index, outcome) => {
		const { itemIndex, position, plan, request } = planned[index] as PlannedRequest;
		const { answer, failure } = outcome;
		if (answer) {
			const rows = plan
				.toOutput(answer, request)
				.map((json) => ({ json, pairedItem: { item: itemIndex } }));
			results.put(itemIndex, position, rows);
		} else if (failure.statusCode === 404 && options.ignoreMissing) {
			missing.add(request.siteId);
		} else {
			results.fail(itemIndex, position, requestError(node, failure, itemIndex));
		}
	});

	const sites = new Set(requests.map(({ siteId }) => siteId)).size;
	results.hint(describeReading({ ...statistics, sites, missing: missing.size }));
}

function plannedRequests(plans: ReadonlyMap<number, Plan>): PlannedRequest[] {
	return [...plans].flatMap(([itemIndex, plan]) =>
		plan.requests.map((request, position) => ({ itemIndex, position, plan, request })),
	);
}
