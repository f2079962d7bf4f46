import type {
	IGetNodeParameterOptions,
	INode,
	INodeExecutionData,
	NodeOperationError,
	NodeParameterValueType,
} from 'n8n-workflow';
import type { Checked } from '../../../texts/checked';
import type { Fault } from '../../../texts/faults';
import { MESSAGES } from '../../../texts/messages';
import { inputError, requestError } from '../requests/nodeErrors';
import type { SiteDirectory } from '../sites/directory';
import type { Failure } from '../requests/failure';
import { isTool, type Field, type FieldContext, type FieldReader, type SiteField } from './field';
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

/** A value, a fault, or the failure of the service's list. */
interface LookedUp {
	value?: unknown;
	fault?: string;
	failure?: Failure;
}

/** Reads and checks the value of a field for an item. */
type Reader = (itemIndex: number) => Checked<unknown>;

/**
 * The parameters of the node, checked. A parameter without an expression is read and checked once for all items, since
 * reading it takes n8n a tenth of the time of a request. Evaluating an expression takes more than half (n8n 2.40).
 */
export class Parameters {
	private readonly readers = new Map<Field<unknown>, Reader>();

	/** What was looked up last for a field, by the very value that {@link onceForEachItem} keeps: most items name the same sites. */
	private readonly lookedUp = new Map<Field<unknown>, { checked: unknown; found: LookedUp }>();

	private readonly context: FieldContext;

	/** Whether no field that was read holds an expression, so that all items have the same values. */
	isFixed = true;

	/** @param directory left out if the credential cannot be used, so that no site can be looked up. */
	constructor(
		private readonly source: ParameterSource,
		private readonly directory?: SiteDirectory,
	) {
		this.context = { isTool: isTool(source.getNode()) };
	}

	/** @param itemIndex of the item whose fields are read, if there are items. */
	of(itemIndex?: number): FieldReader {
		return {
			read: (field) => this.read(field, itemIndex),
			find: async (field) => await this.find(field, itemIndex),
			found: (field) => this.found(field, itemIndex),
		};
	}

	/**
	 * @param itemIndex of the item for which the field is read, if there are items.
	 * @throws NodeOperationError that names the field and the item.
	 */
	read<T>(field: Field<T>, itemIndex?: number): T {
		const checked = this.readerOf(field)(itemIndex ?? 0) as Checked<T>;
		if (checked.fault === undefined) return checked.value;
		throw this.errorOf(field, checked, itemIndex);
	}

	private async find<T, Sites>(field: SiteField<T, Sites>, itemIndex?: number): Promise<Sites> {
		const checked = this.read(field, itemIndex);
		const { failure, ...found } = await this.lookUp(field, checked);
		if (failure) throw requestError(this.source.getNode(), failure, itemIndex);
		if (found.fault !== undefined) throw this.errorOf(field, found as Fault, itemIndex);
		return found.value as Sites;
	}

	private async lookUp<T, Sites>(field: SiteField<T, Sites>, checked: T): Promise<LookedUp> {
		const last = this.lookedUp.get(field);
		if (last?.checked === checked) return last.found;
		if (!this.directory) throw new Error('There is no directory');
		const found = await field.lookUp(checked, this.directory, this.context);
		this.lookedUp.set(field, { checked, found });
		return found;
	}

	private found<T, Sites>(field: SiteField<T, Sites>, itemIndex?: number): Sites | undefined {
		const last = this.lookedUp.get(field);
		return last?.checked === this.read(field, itemIndex) ? (last?.found.value as Sites) : undefined;
	}

	private errorOf(
		{ property }: Field<unknown>,
		fault: Fault,
		itemIndex: number | undefined,
	): NodeOperationError {
		const { message, description } = MESSAGES.node.field(property.displayName, fault, {
			isTool: this.context.isTool,
			hasItems: itemIndex !== undefined,
		});
		return inputError(this.source.getNode(), message, description, itemIndex);
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

/**
 * A field of an item is checked once: by that very value, what was looked up for it is found again. The items are read one after
 * the other, so the last one is all that needs to be remembered.
 */
function onceForEachItem(read: Reader): Reader {
	let last: { itemIndex: number; checked: Checked<unknown> } | undefined;
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
