import type {
	IExecuteFunctions,
	INodeExecutionData,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import pLimit from 'p-limit';
import { inputError, requestError } from '../errors';
import { connect } from '../transport/connect';
import type { Failure } from '../transport/failure';
import type { Transport } from '../transport/request';
import { findOperation } from './index';
import type { Call, Operation } from './operation';

/** How many requests are under way at once at the most. */
const CONCURRENT_REQUESTS = 20;

/** Gives an item its outcome, or throws the failure where the node's "On Error" is "Stop Workflow". */
interface Results {
	items: INodeExecutionData[];
	fail(itemIndex: number, error: NodeApiError | NodeOperationError): void;
}

/**
 * Runs the chosen operation for all input items: reads all parameters, then sends the requests, and returns the
 * results in the order of the items, each linked to its item.
 *
 * With "Stop Workflow" the first failure ends the execution. With a Continue setting each failed item becomes an error
 * item, also where the failure concerns all items (a wrong credential, a refused login): an error thrown from here
 * would make n8n hand on the unprocessed input as if it were output.
 *
 * @throws NodeOperationError for unusable parameters, NodeApiError for a failed request, with "Stop Workflow" only.
 */
export async function execute(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const results = resultsOf(context);
	const calls = prepareCalls(context, results);
	if (calls.size === 0) return [results.items];

	let transport: Transport;
	try {
		transport = await connect(context);
	} catch (error) {
		for (const itemIndex of calls.keys()) results.fail(itemIndex, error as NodeOperationError);
		return [results.items];
	}

	await sendCalls(context, transport, calls, results);
	return [results.items];
}

function resultsOf(context: IExecuteFunctions): Results {
	const items: INodeExecutionData[] = [];
	const continues = context.continueOnFail();
	return {
		items,
		fail(itemIndex, error) {
			if (!continues) throw error;
			items[itemIndex] = {
				json: { error: error.message },
				error,
				pairedItem: { item: itemIndex },
			};
		},
	};
}

function chosenOperation(context: IExecuteFunctions): Operation {
	const name = context.getNodeParameter('operation', 0);
	const operation = findOperation(name);
	if (operation) return operation;
	throw inputError(
		context.getNode(),
		`The operation "${String(name)}" does not exist`,
		'Choose an operation in the node. The workflow may have been made for another version of it.',
	);
}

function prepareCalls(context: IExecuteFunctions, results: Results): Map<number, Call> {
	const calls = new Map<number, Call>();
	let operation: Operation | undefined;
	for (const itemIndex of context.getInputData().keys()) {
		try {
			operation ??= chosenOperation(context);
			calls.set(itemIndex, operation.prepare(context, itemIndex));
		} catch (error) {
			results.fail(itemIndex, error as NodeOperationError);
		}
	}
	return calls;
}

async function sendCalls(
	context: IExecuteFunctions,
	transport: Transport,
	calls: ReadonlyMap<number, Call>,
	results: Results,
): Promise<void> {
	const node = context.getNode();
	const limit = pLimit(CONCURRENT_REQUESTS);
	let hopeless: Failure | undefined;

	const send = async (itemIndex: number, call: Call) => {
		const { answer, failure } = hopeless ? { failure: hopeless } : await call(transport);
		if (failure) {
			if (failure.accountWide) hopeless = failure;
			results.fail(itemIndex, requestError(node, failure, itemIndex));
		} else {
			results.items[itemIndex] = { json: answer, pairedItem: { item: itemIndex } };
		}
	};

	try {
		await Promise.all(
			[...calls].map(async ([itemIndex, call]) => await limit(send, itemIndex, call)),
		);
	} finally {
		limit.clearQueue();
		transport.cancellation.cancel();
	}
}
