import type { IGetNodeParameterOptions, INode, NodeParameterValueType } from 'n8n-workflow';
import type { Checked } from '../../../../api/checked';
import { inputError } from '../../errors';
import { isTool } from '../tool';

/** A parameter and the check that its value must pass. */
export interface Parameter<T> {
	/** Path of the value, for example `options.timeout`. */
	name: string;
	/** The name of the field as the panel shows it. */
	label: string;
	/** What is taken where the field has not been added. */
	fallback?: NodeParameterValueType;
	check(typed: unknown): Checked<T>;
}

/** Where parameters come from: what n8n offers to a node that is executed. A trigger has no items to count. */
export interface ParameterSource {
	getNode(): INode;
	getNodeParameter(
		name: string,
		itemIndex: number,
		fallback?: NodeParameterValueType,
		options?: IGetNodeParameterOptions,
	): unknown;
}

/**
 * The parameters of the node, checked. One that holds no expression is read and checked once for all items, since
 * reading it anew takes n8n a tenth of the time of a request, and an expression several times as long (n8n 2.40).
 */
export class Parameters {
	private readonly constants = new Map<Parameter<unknown>, Checked<unknown> | undefined>();

	constructor(private readonly source: ParameterSource) {}

	/**
	 * @param itemIndex of the item for which the parameter is read, where there are items.
	 * @throws NodeOperationError that names the field and the item.
	 */
	read<T>(parameter: Parameter<T>, itemIndex?: number): T {
		const checked = this.constant(parameter) ?? this.evaluate(parameter, itemIndex ?? 0);
		if (checked.fault === undefined) return checked.value;

		const { label } = parameter;
		const node = this.source.getNode();
		throw inputError(
			node,
			`The '${label}' parameter ${checked.fault}`,
			isTool(node) ? CALL_AGAIN : correct(label, itemIndex),
			itemIndex,
		);
	}

	/** What is the same for all items; undefined for a parameter that holds an expression. */
	private constant<T>(parameter: Parameter<T>): Checked<T> | undefined {
		if (!this.constants.has(parameter)) {
			const { name, fallback } = parameter;
			const raw = this.source.getNodeParameter(name, 0, fallback, { rawExpressions: true });
			this.constants.set(parameter, holdsExpression(raw) ? undefined : this.evaluate(parameter, 0));
		}
		return this.constants.get(parameter) as Checked<T> | undefined;
	}

	private evaluate<T>({ name, fallback, check }: Parameter<T>, itemIndex: number): Checked<T> {
		return check(this.source.getNodeParameter(name, itemIndex, fallback));
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
