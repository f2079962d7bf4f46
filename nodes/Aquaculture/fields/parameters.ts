import type {
	IGetNodeParameterOptions,
	INode,
	INodeExecutionData,
	NodeParameterValueType,
} from 'n8n-workflow';
import type { CheckedField } from '../../../api/checked';
import { inputError } from '../errors';
import { isTool } from '../tool';
import type { Field } from './field';
import { fieldOf, namedField } from './shortcut';

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
 * The parameters of the node, checked. One that holds no expression is read and checked once for all items, since
 * reading it takes n8n a tenth of the time of a request, and evaluating an expression more than half (n8n 2.40).
 */
export class Parameters {
	private readonly readers = new Map<Field<unknown>, Reader>();

	constructor(private readonly source: ParameterSource) {}

	/**
	 * @param itemIndex of the item for which the field is read, where there are items.
	 * @throws NodeOperationError that names the field and the item.
	 */
	read<T>(field: Field<T>, itemIndex?: number): T {
		const checked = this.readerOf(field)(itemIndex ?? 0) as CheckedField<T>;
		if (checked.fault === undefined) return checked.value;

		const { displayName } = field.property;
		const node = this.source.getNode();
		throw inputError(
			node,
			`The '${displayName}' parameter ${checked.fault}`,
			checked.description ?? (isTool(node) ? CALL_AGAIN : correct(displayName, itemIndex)),
			itemIndex,
		);
	}

	private readerOf(field: Field<unknown>): Reader {
		const known = this.readers.get(field);
		if (known) return known;
		const reader = this.newReader(field);
		this.readers.set(field, reader);
		return reader;
	}

	private newReader({ path, fallback, check }: Field<unknown>): Reader {
		const { source } = this;
		const raw = source.getNodeParameter(path, 0, fallback, { rawExpressions: true });
		const evaluate: Reader = (itemIndex) =>
			check(source.getNodeParameter(path, itemIndex, fallback));
		if (!holdsExpression(raw)) {
			const constant = evaluate(0);
			return () => constant;
		}
		const name = namedField(raw);
		const items = itemsOf(source);
		return name === undefined || !items
			? evaluate
			: (itemIndex) => check(fieldOf(items[itemIndex], name));
	}
}

const CALL_AGAIN = 'Call this tool again with a value that fits, or ask for it.';

function correct(label: string, itemIndex: number | undefined): string {
	const hint =
		itemIndex === undefined
			? 'check what it gives.'
			: 'check what the step before delivers for this item.';
	return `Correct '${label}' in the node. If it is filled by an expression, ${hint}`;
}

/** Whether n8n would evaluate the value: a text that begins with an equals sign, at any depth. */
function holdsExpression(raw: unknown): boolean {
	if (typeof raw === 'string') return raw.startsWith('=');
	if (typeof raw !== 'object' || raw === null) return false;
	return Object.values(raw).some(holdsExpression);
}

/** The items that expressions speak of: for a tool, these are its agent's, and the input is what the model has filled in. */
function itemsOf(source: ParameterSource): INodeExecutionData[] | undefined {
	return isTool(source.getNode()) ? undefined : source.getInputData?.();
}
