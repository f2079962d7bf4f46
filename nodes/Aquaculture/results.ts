import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	NodeApiError,
	NodeExecutionHint,
	NodeOperationError,
} from 'n8n-workflow';
import { asHtml } from '../../texts/html';
import { eachErrorOnce, nothingFound } from './agentOutput';
import { agentItem, errorBranchItem, errorItem, type Failed } from './errorItems';
import { isTool } from './fields/field';

/** Where items belong in the output: the index of the input item, and that of one of its requests. */
export interface Position {
	itemIndex: number;
	position: number;
}

/** The output of an execution, in the order of the input items and of the requests of each. */
export class Results {
	private readonly rows: INodeExecutionData[][][] = [];

	private readonly isTool: boolean;

	/** Whether a failure leaves the other items alone. */
	readonly continues: boolean;

	private readonly hasErrorBranch: boolean;

	/** What could not be read, each document once. */
	private readonly failed = new Set<string>();

	/** The hints in the output panel. */
	private hints: NodeExecutionHint[] = [];

	constructor(private readonly context: IExecuteFunctions) {
		const node = context.getNode();
		this.isTool = isTool(node);
		this.continues = context.continueOnFail() || (this.isTool && node.onError !== 'stopWorkflow');
		this.hasErrorBranch = node.onError === 'continueErrorOutput';
	}

	add(at: Position, documents: readonly IDataObject[]): void {
		const items = documents.map((json) => goodItem(json, at.itemIndex));
		this.put(at, items);
	}

	/**
	 * Adds an error item.
	 *
	 * @throws the error if the node's "On Error" is "Stop Workflow".
	 */
	fail(
		{ itemIndex, position = 0, ...failed }: Failed & { itemIndex: number; position?: number },
		error: NodeApiError | NodeOperationError,
	): void {
		if (!this.continues) throw error;
		this.failed.add(failed.path ?? `item ${itemIndex}`);
		const itemOf = this.isTool ? agentItem : this.hasErrorBranch ? errorBranchItem : errorItem;
		this.put({ itemIndex, position }, [itemOf(error, failed, itemIndex)]);
	}

	private put({ itemIndex, position }: Position, items: INodeExecutionData[]): void {
		(this.rows[itemIndex] ??= [])[position] = items;
	}

	/** How many documents could not be read; an item whose parameters cannot be used counts as one. */
	get failures(): number {
		return this.failed.size;
	}

	get isEmpty(): boolean {
		return this.rows.flat(2).length === 0;
	}

	/** @param hints with messages in plain text; n8n renders them as HTML, for its own links (n8n 1.123 and 2.40). */
	hint(hints: NodeExecutionHint[]): void {
		this.hints = hints;
		const rendered = hints.map((hint) => ({ ...hint, message: asHtml(hint.message) }));
		this.context.addExecutionHints?.(...rendered);
	}

	items(): INodeExecutionData[] {
		const items = this.rows.flat(2);
		if (!this.isTool) return items;
		return items.length === 0 ? [nothingFound(this.hints)] : eachErrorOnce(items);
	}
}

/** An item of a document that was read. `error` marks failed items, so a service field of that name becomes `serviceError`. */
function goodItem(json: IDataObject, item: number): INodeExecutionData {
	const pairedItem = { item };
	if (!Object.hasOwn(json, 'error')) return { json, pairedItem };
	const { error, ...rest } = json;
	return { json: { ...rest, serviceError: error }, pairedItem };
}
