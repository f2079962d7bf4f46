import type {
	IGetNodeParameterOptions,
	INode,
	INodeExecutionData,
	NodeParameterValueType,
} from 'n8n-workflow';
import type { CheckedField } from '../../../api/checkResult';
import {
	readKnownSites,
	withListed,
	type KnownSite,
	type KnownSites,
} from '../../../shared/knownSites';
import { MESSAGES } from '../../../shared/messages';
import { inputError } from '../nodeErrors';
import { isTool } from '../tool';
import type { Transport } from '../transport/transport';
import type { Field, FieldContext } from './field';
import { KnownSiteIndex } from './knownSiteIndex';
import { shortcut } from './shortcut';

/** Where parameters come from: what n8n offers to a node that is executed. A trigger has no items to count. */
export interface ParameterSource {
	getNode(): INode;
	getInputData?(): INodeExecutionData[];
	getNodeParameter(
		name: string,
		itemIndex: number,
		fallback?: NodeParameterValueType,
		options?: IGetNodeParameterOptions,
	): unknown;
}

/** Reads and checks the value of a field for an item. */
type Reader = (itemIndex: number) => CheckedField<unknown>;

/**
 * The parameters of the node, checked. A parameter without an expression is read and checked once for all items, since
 * reading it takes n8n a tenth of the time of a request. Evaluating an expression takes more than half (n8n 2.40).
 */
export class Parameters {
	private readonly readers = new Map<Field<unknown>, Reader>();

	private readonly entered: KnownSites;

	private context: FieldContext;

	/** Whether no field that was read holds an expression, so that all items have the same values. */
	isFixed = true;

	/** Whether a field could not be used that may be right, if the service's list of sites is known, or a newer one. */
	wantsSiteList = false;

	/** @param transport left out where the credential cannot be used. */
	constructor(
		private readonly source: ParameterSource,
		transport?: Pick<Transport, 'credential' | 'connection'>,
	) {
		this.entered = readKnownSites(transport?.credential.knownSites);
		const hasList = transport?.connection.siteListPath !== undefined;
		this.context = {
			knownSites: new KnownSiteIndex(this.entered, !hasList),
			isTool: isTool(source.getNode()),
		};
	}

	/** Adds the sites of the service's list to those of the credential. All fields can be read again. */
	addSites(listed: readonly KnownSite[]): void {
		const sites = withListed(this.entered, listed);
		this.context = { ...this.context, knownSites: new KnownSiteIndex(sites) };
		this.wantsSiteList = false;
		this.readers.clear();
	}

	/**
	 * @param itemIndex of the item for which the field is read, where there are items.
	 * @throws NodeOperationError that names the field and the item.
	 */
	read<T>(field: Field<T>, itemIndex?: number): T {
		const checked = this.readerOf(field)(itemIndex ?? 0) as CheckedField<T>;
		if (checked.fault === undefined) return checked.value;
		if (checked.mayBeListed) this.wantsSiteList = true;

		const { message, description } = MESSAGES.node.field(field.property.displayName, checked, {
			isTool: this.context.isTool,
			hasItems: itemIndex !== undefined,
		});
		throw inputError(this.source.getNode(), message, description, itemIndex);
	}

	private readerOf(field: Field<unknown>): Reader {
		const known = this.readers.get(field);
		if (known) return known;
		const reader = onceForEachItem(this.newReader(field));
		this.readers.set(field, reader);
		return reader;
	}

	private newReader({ path, fallback, check }: Field<unknown>): Reader {
		const { source, context } = this;
		const raw = source.getNodeParameter(path, 0, fallback, { rawExpressions: true });
		const evaluate: Reader = (itemIndex) =>
			check(source.getNodeParameter(path, itemIndex, fallback), context);
		if (!holdsExpression(raw)) {
			const constant = evaluate(0);
			return () => constant;
		}
		this.isFixed = false;
		// In a tool, expressions refer to the agent's items; the tool's own input is what the model has filled in.
		const items = context.isTool ? undefined : source.getInputData?.();
		const valueOf = items && shortcut(raw);
		return valueOf ? (itemIndex) => check(valueOf(items[itemIndex]), context) : evaluate;
	}
}

/** The items are read one after the other, so the last one is all that needs to be remembered. */
function onceForEachItem(read: Reader): Reader {
	let last: { itemIndex: number; checked: CheckedField<unknown> } | undefined;
	return (itemIndex) => {
		if (last?.itemIndex !== itemIndex) last = { itemIndex, checked: read(itemIndex) };
		return last.checked;
	};
}

/** Whether n8n would evaluate the value: a text that begins with an equals sign, at any depth. */
function holdsExpression(raw: unknown): boolean {
	if (typeof raw === 'string') return raw.startsWith('=');
	if (typeof raw !== 'object' || raw === null) return false;
	return Object.values(raw).some(holdsExpression);
}
