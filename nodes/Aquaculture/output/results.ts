import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	NodeApiError,
	NodeExecutionHint,
	NodeOperationError,
} from 'n8n-workflow';
import { labelOf } from '../service/site';
import { asHtml } from '../messages/html';
import { MESSAGES, SENTENCES } from '../messages/messages';
import { isTool } from '../fields/field';

export type NodeError = NodeApiError | NodeOperationError;

/** Where items belong in the output: the index of the input item, and that of one of its requests. */
export interface Position {
	itemIndex: number;
	position: number;
}

/** A site that could not be read; its ID or its name may be unknown. An ID that cannot be used is as it was typed. */
export type FailedSite = { siteId: number | string | null; siteName: string | null };

export const UNKNOWN_SITE: FailedSite = { siteId: null, siteName: null };

/**
 * The output of an execution, in the order of the input items and of the requests of each. A failure ends the execution, or
 * becomes an error item: if an error were thrown with a Continue setting, n8n would return the input items instead. A tool
 * always answers its agent, unless its "On Error" has been set to "Stop Workflow".
 */
export class Results {
	private readonly rows: INodeExecutionData[][][] = [];

	private readonly isTool: boolean;

	/** Whether a failure leaves the other items alone. */
	readonly continues: boolean;

	readonly hasErrorBranch: boolean;

	private hints: NodeExecutionHint[] = [];

	constructor(private readonly context: IExecuteFunctions) {
		const node = context.getNode();
		this.isTool = isTool(node);
		this.continues = context.continueOnFail() || (this.isTool && node.onError !== 'stopWorkflow');
		this.hasErrorBranch = node.onError === 'continueErrorOutput';
	}

	add({ itemIndex, position }: Position, documents: readonly IDataObject[]): void {
		const items = documents.map((json) => goodItem(json, itemIndex));
		(this.rows[itemIndex] ??= [])[position] = items;
	}

	/** @throws the error if the node's "On Error" is "Stop Workflow". */
	fail({ itemIndex, position }: Position, error: NodeError, site: FailedSite): void {
		if (!this.continues) throw error;
		const itemOf = this.isTool ? agentItem : this.hasErrorBranch ? errorBranchItem : errorItem;
		(this.rows[itemIndex] ??= [])[position] = [
			{ ...itemOf(error, site), pairedItem: { item: itemIndex } },
		];
	}

	/** @param hints in plain text; n8n renders them as HTML, for its own links (n8n 1.123 and 2.40). */
	hint(hints: NodeExecutionHint[]): void {
		this.hints = hints;
		const rendered = hints.map((hint) => ({ ...hint, message: asHtml(hint.message) }));
		this.context.addExecutionHints?.(...rendered);
	}

	items(): INodeExecutionData[] {
		const items = this.rows.flat(2);
		if (!this.isTool) return items;
		if (items.length === 0) return [nothingFound(this.hints)];
		// If the account is busy, an agent would read so for each of its sites.
		const errors = items.map(({ json }) => json.error);
		return items.filter(
			({ json: { error } }, index) => error === undefined || errors.indexOf(error) === index,
		);
	}
}

/** An item of a site that was read. `error` marks failed items, so a service field of that name becomes `serviceError`. */
function goodItem(json: IDataObject, item: number): INodeExecutionData {
	const pairedItem = { item };
	if (!Object.hasOwn(json, 'error')) return { json, pairedItem };
	const { error, ...rest } = json;
	return { json: { ...rest, serviceError: error }, pairedItem };
}

/** An error item for the main output. It has no `error` beside `json`: with one, n8n would replace the JSON (n8n 1.123, 2.40). */
function errorItem(error: NodeError, { siteId, siteName }: FailedSite): INodeExecutionData {
	const { message, description, httpCode = null } = error as NodeApiError;
	return { json: { error: message, siteId, siteName, description: description || null, httpCode } };
}

/**
 * An error item for the error branch. n8n (1.123, 2.40) recognises it because it has only these two fields, and
 * adds those of the input item.
 */
function errorBranchItem(
	{ message, description }: NodeError,
	site: FailedSite,
): INodeExecutionData {
	const { siteId } = site;
	const name = typeof siteId === 'number' ? `site ${labelOf({ ...site, siteId })}` : undefined;
	const isNamed = name === undefined || message.toLowerCase().includes(name.toLowerCase());
	const text = { message, description: description ?? '' };
	const full = SENTENCES.failed(isNamed ? undefined : name, text);
	return { json: { error: message, message: full } };
}

/**
 * An error item for an AI agent, with the whole text of the error in its message: an agent sees only the message (n8n 1.123 and 2.40). It is not
 * told how to leave out a site, since it would then not learn which one is missing.
 */
function agentItem(error: NodeError): INodeExecutionData {
	const description = error.description?.replace(`${SENTENCES.leaveOut()} `, '');
	error.message = [error.message, description].filter(Boolean).join('. ');
	return { json: { error: error.message }, error };
}

/** What an agent gets in place of an empty answer, which would not show what has happened. */
function nothingFound(hints: readonly NodeExecutionHint[]): INodeExecutionData {
	const sentences = [MESSAGES.hints.nothingFound(), ...hints.map(({ message }) => message)];
	return { json: { message: sentences.join('. ') }, pairedItem: { item: 0 } };
}
