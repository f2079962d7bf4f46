import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	NodeApiError,
	NodeExecutionHint,
	NodeOperationError,
} from 'n8n-workflow';
import { escapeHtml } from '../n8n/errors';
import { toOneLine } from '../messages/failure';
import { isTool } from '../n8n/isTool';
import { siteSubject } from '../service/site';
import { buildNotices, NOTICES, type ExecutionFacts } from './executionNotices';

export type NodeError = NodeApiError | NodeOperationError;

/** Where items belong in the output: sorted by input item, then by its requests. */
export interface ItemPosition {
	itemIndex: number;
	position: number;
	/** The part of the input item to repeat before the site. */
	repeatedInput?: IDataObject;
}

/** The site of an error item. An unusable ID or name is kept as it was entered. */
export type ErrorItemSite = { siteId: number | string | null; siteName: string | null };

export const UNKNOWN_SITE: ErrorItemSite = { siteId: null, siteName: null };

/**
 * Collects the output of an execution. If 'On Error' is one of the Continue settings, a failure becomes an error item: if it were
 * thrown, n8n would return the input items instead. The same applies to a tool, for which the editor does not show 'On Error':
 * AI Agent 3 sees only the message of a thrown error, and AI Agent 2.2 nothing.
 */
export class ExecutionOutput {
	/** The items, by input item and request. */
	private readonly itemsByPosition: INodeExecutionData[][][] = [];

	private readonly isTool: boolean;

	/** Whether a failure becomes an error item instead of ending the execution. */
	readonly continues: boolean;

	private readonly hasErrorOutput: boolean;

	private notices: NodeExecutionHint[] = [];

	constructor(private readonly context: IExecuteFunctions) {
		const node = context.getNode();
		this.isTool = isTool(node);
		this.continues = context.continueOnFail() || this.isTool;
		this.hasErrorOutput = node.onError === 'continueErrorOutput';
	}

	add(
		{ itemIndex, position, repeatedInput = {} }: ItemPosition,
		documents: readonly IDataObject[],
	): void {
		(this.itemsByPosition[itemIndex] ??= [])[position] = documents.map((json) => ({
			json: { ...repeatedInput, ...renameError(json) },
			pairedItem: { item: itemIndex },
		}));
	}

	/** Adds an error item. @throws the error if 'On Error' is 'Stop Workflow'. */
	fail(
		{ itemIndex, position, repeatedInput = {} }: ItemPosition,
		error: NodeError,
		site: ErrorItemSite,
	): void {
		if (!this.continues) throw error;
		let item: INodeExecutionData;
		if (this.isTool) item = agentErrorItem(error);
		else if (this.hasErrorOutput) item = errorOutputItem(error, site);
		else item = { json: { ...repeatedInput, ...describeError(error, site, repeatedInput) } };
		(this.itemsByPosition[itemIndex] ??= [])[position] = [
			{ ...item, pairedItem: { item: itemIndex } },
		];
	}

	/** Sets the notices of the execution. n8n renders their plain text as HTML. */
	setNotices(facts: Omit<ExecutionFacts, 'hasErrorOutput'>): void {
		const { hasErrorOutput } = this;
		this.notices = buildNotices({ ...facts, hasErrorOutput });
		const rendered = this.notices.map((notice) => ({
			...notice,
			message: escapeHtml(notice.message),
		}));
		this.context.addExecutionHints?.(...rendered);
	}

	items(): INodeExecutionData[] {
		const items = this.itemsByPosition.flat(2);
		if (!this.isTool) return items;
		if (items.length === 0) return [describeEmptyOutput(this.notices)];
		// Tell the agent once, and not for each site, that the account is busy.
		const errors = items.map(({ json }) => json.error);
		return items.filter(
			({ json: { error } }, index) => error === undefined || errors.indexOf(error) === index,
		);
	}
}

/** Renames a field `error` of the service to `serviceError`, because `error` marks failed items. */
function renameError(json: IDataObject): IDataObject {
	if (!Object.hasOwn(json, 'error')) return json;
	const { error, ...rest } = json;
	return { ...rest, serviceError: error };
}

/**
 * Returns the fields of an error item for the main output. The item has no `error` property next to `json`: n8n would replace
 * the JSON.
 *
 * @param repeatedInput its site is kept if the failure has none.
 */
function describeError(
	error: NodeError,
	{ siteId, siteName }: ErrorItemSite,
	repeatedInput: IDataObject,
): IDataObject {
	const { message, description, httpCode = null } = error as NodeApiError;
	return {
		error: message,
		siteId: siteId ?? repeatedInput.siteId ?? null,
		siteName: siteName ?? repeatedInput.siteName ?? null,
		description: description || null,
		httpCode,
	};
}

/**
 * Creates an error item for the error output. n8n recognises it because it has only these two fields, and adds those of the
 * input item.
 */
function errorOutputItem(
	{ message, description }: NodeError,
	site: ErrorItemSite,
): INodeExecutionData {
	const { siteId } = site;
	const name = typeof siteId === 'number' ? siteSubject({ ...site, siteId }).name : undefined;
	const isNamed = name === undefined || message.toLowerCase().includes(name.toLowerCase());
	const text = { message, description: description ?? '' };
	const full = toOneLine(text, isNamed ? undefined : name);
	return { json: { error: message, message: full } };
}

/** Creates an error item for an AI agent, which sees nothing else. */
function agentErrorItem({ message, description }: NodeError): INodeExecutionData {
	return { json: { error: [message, description].filter(Boolean).join('. ') } };
}

/** Tells an agent why there are no items. */
function describeEmptyOutput(notices: readonly NodeExecutionHint[]): INodeExecutionData {
	const sentences = [NOTICES.nothingFound(), ...notices.map(({ message }) => message)];
	return { json: { message: sentences.join('. ') }, pairedItem: { item: 0 } };
}
