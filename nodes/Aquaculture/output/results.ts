import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	NodeApiError,
	NodeExecutionHint,
	NodeOperationError,
} from 'n8n-workflow';
import { isTool } from '../fields/field';
import { asHtml } from '../messages/html';
import { MESSAGES, SENTENCES } from '../messages/messages';
import { inputError } from '../requests/errors';
import { label } from '../service/site';
import { noticesOf } from './notices';

export type NodeError = NodeApiError | NodeOperationError;

/** Where items belong in the output: by input item, then by its requests. */
export interface Position {
	itemIndex: number;
	position: number;
}

/** A site that could not be read. An unusable ID is given as it was typed. */
export type FailedSite = { siteId: number | string | null; siteName: string | null };

export const UNKNOWN_SITE: FailedSite = { siteId: null, siteName: null };

/**
 * The output of an execution. With a Continue setting, a failure becomes an error item: if it were thrown, n8n would return
 * the input items instead. A tool always answers its agent, unless its "On Error" was set to "Stop Workflow".
 */
export class Results {
	/** By input item and request. */
	private readonly rows: INodeExecutionData[][][] = [];

	private readonly isTool: boolean;

	/** Whether a failure becomes an error item instead of ending the execution. */
	readonly continues: boolean;

	readonly hasErrorBranch: boolean;

	private notices: NodeExecutionHint[] = [];

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

	/** Makes an error item of each input item. @throws as {@link fail}. */
	failAll(itemIndexes: readonly number[], error: NodeError): void {
		if (!this.continues) throw error;
		const { message, description } = error;
		for (const itemIndex of itemIndexes) {
			const ofItem = inputError(this.context.getNode(), message, description ?? '', itemIndex);
			this.fail({ itemIndex, position: 0 }, ofItem, UNKNOWN_SITE);
		}
		const { hasErrorBranch } = this;
		this.tell(noticesOf({ unusableItems: itemIndexes.length, hasErrorBranch }));
	}

	/** @param notices in plain text; n8n renders them as HTML (n8n 1.123 and 2.40). */
	tell(notices: NodeExecutionHint[]): void {
		this.notices = notices;
		const rendered = notices.map((notice) => ({ ...notice, message: asHtml(notice.message) }));
		this.context.addExecutionHints?.(...rendered);
	}

	items(): INodeExecutionData[] {
		const items = this.rows.flat(2);
		if (!this.isTool) return items;
		if (items.length === 0) return [nothingFound(this.notices)];
		// Say once, not for each site, that the account is busy.
		const errors = items.map(({ json }) => json.error);
		return items.filter(
			({ json: { error } }, index) => error === undefined || errors.indexOf(error) === index,
		);
	}
}

/** `error` marks failed items, so a service field of that name becomes `serviceError`. */
function goodItem(json: IDataObject, item: number): INodeExecutionData {
	const pairedItem = { item };
	if (!Object.hasOwn(json, 'error')) return { json, pairedItem };
	const { error, ...rest } = json;
	return { json: { ...rest, serviceError: error }, pairedItem };
}

/** Makes an error item for the main output. With an `error` beside it, n8n would replace the JSON (n8n 1.123 and 2.40). */
function errorItem(error: NodeError, { siteId, siteName }: FailedSite): INodeExecutionData {
	const { message, description, httpCode = null } = error as NodeApiError;
	return { json: { error: message, siteId, siteName, description: description || null, httpCode } };
}

/**
 * Makes an error item for the error output. n8n recognises it because it has only these two fields, and adds those of the
 * input item (n8n 1.123 and 2.40).
 */
function errorBranchItem(
	{ message, description }: NodeError,
	site: FailedSite,
): INodeExecutionData {
	const { siteId } = site;
	const name = typeof siteId === 'number' ? `site ${label({ ...site, siteId })}` : undefined;
	const isNamed = name === undefined || message.toLowerCase().includes(name.toLowerCase());
	const text = { message, description: description ?? '' };
	const full = SENTENCES.failed(isNamed ? undefined : name, text);
	return { json: { error: message, message: full } };
}

/**
 * Makes an error item for an AI agent, which sees only the message (n8n 1.123 and 2.40). The advice to leave out missing
 * sites is not for agents: they would not learn which one is missing.
 */
function agentItem(error: NodeError): INodeExecutionData {
	const description = error.description?.replace(`${SENTENCES.leaveOut()} `, '');
	error.message = [error.message, description].filter(Boolean).join('. ');
	return { json: { error: error.message }, error };
}

/** Tells an agent why there is nothing, in place of an empty answer. */
function nothingFound(notices: readonly NodeExecutionHint[]): INodeExecutionData {
	const sentences = [MESSAGES.notices.nothingFound(), ...notices.map(({ message }) => message)];
	return { json: { message: sentences.join('. ') }, pairedItem: { item: 0 } };
}
