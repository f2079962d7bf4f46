import type {
	IDataObject,
	IGetNodeParameterOptions,
	INode,
	INodeExecutionData,
	INodeProperties,
	NodeParameterValueType,
} from 'n8n-workflow';
import type { CheckedField } from '../../../api/checked';
import { MESSAGES } from '../../../shared/messages';
import { inputError } from '../errors';
import { isTool } from '../tool';

/** A parameter and the check that its value must pass. */
export interface Parameter<T> {
	/** Path of the value, for example `options.timeout`. */
	name: string;
	/** The name of the field as the panel shows it. */
	label: string;
	/** What is taken where the field has not been filled in: the default that the panel shows. */
	fallback: NodeParameterValueType;
	check(typed: unknown): CheckedField<T>;
}

/** The parameter that a field stands for. */
export function fieldParameter<T>(
	{ name, displayName, default: fallback }: INodeProperties,
	check: Parameter<T>['check'],
): Parameter<T> {
	return { name, label: displayName, fallback, check };
}

/** The parameter that a field in the collection of options stands for. */
export function optionParameter<T>(
	field: INodeProperties,
	check: Parameter<T>['check'],
): Parameter<T> {
	return fieldParameter({ ...field, name: `options.${field.name}` }, check);
}

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

/** Reads and checks a parameter for an item. */
type Reader = (itemIndex: number) => CheckedField<unknown>;

/**
 * The parameters of the node, checked. One that holds no expression is read and checked once for all items, since
 * reading it anew takes n8n a tenth of the time of a request, and evaluating an expression more than half (n8n 2.40).
 */
export class Parameters {
	private readonly readers = new Map<Parameter<unknown>, Reader>();

	constructor(private readonly source: ParameterSource) {}

	/**
	 * @param itemIndex of the item for which the parameter is read, where there are items.
	 * @throws NodeOperationError that names the field and the item.
	 */
	read<T>(parameter: Parameter<T>, itemIndex?: number): T {
		const checked = this.readerOf(parameter)(itemIndex ?? 0) as CheckedField<T>;
		if (checked.fault === undefined) return checked.value;

		const { label } = parameter;
		const node = this.source.getNode();
		const { message, description } = MESSAGES.node.field(label, checked, {
			isTool: isTool(node),
			hasItems: itemIndex !== undefined,
		});
		throw inputError(node, message, description, itemIndex);
	}

	private readerOf(parameter: Parameter<unknown>): Reader {
		const known = this.readers.get(parameter);
		if (known) return known;
		const reader = this.newReader(parameter);
		this.readers.set(parameter, reader);
		return reader;
	}

	private newReader({ name, fallback, check }: Parameter<unknown>): Reader {
		const { source } = this;
		const raw = source.getNodeParameter(name, 0, fallback, { rawExpressions: true });
		const evaluate: Reader = (itemIndex) =>
			check(source.getNodeParameter(name, itemIndex, fallback));
		if (!holdsExpression(raw)) {
			const constant = evaluate(0);
			return () => constant;
		}
		const field = namedField(raw);
		const items = itemsOf(source);
		return field === undefined || !items
			? evaluate
			: (itemIndex) => check(fieldOf(items[itemIndex], field));
	}
}

/** Whether n8n would evaluate the value: a text that begins with an equals sign, at any depth. */
function holdsExpression(raw: unknown): boolean {
	if (typeof raw === 'string') return raw.startsWith('=');
	if (typeof raw !== 'object' || raw === null) return false;
	return Object.values(raw).some(holdsExpression);
}

/**
 * The field of the item that an expression names, where it does nothing else: `{{ $json.siteId }}`. Evaluating even that
 * takes n8n more than half the time of a request (n8n 2.40), so the field is read directly.
 */
function namedField(raw: unknown): string | undefined {
	return typeof raw === 'string'
		? /^=\{\{ *\$json\.([A-Za-z_]\w*) *\}\}$/.exec(raw)?.[1]
		: undefined;
}

/** The items that expressions speak of: for a tool, these are its agent's, and the input is what the model has filled in. */
function itemsOf(source: ParameterSource): INodeExecutionData[] | undefined {
	return isTool(source.getNode()) ? undefined : source.getInputData?.();
}

function fieldOf(item: INodeExecutionData | undefined, field: string): unknown {
	// Nodes may put out items without JSON, which n8n hands on (n8n 2.40).
	const json: IDataObject = item?.json ?? {};
	return Object.hasOwn(json, field) ? json[field] : undefined;
}
