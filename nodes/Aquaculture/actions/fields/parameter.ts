import type { IExecuteFunctions } from 'n8n-workflow';
import type { Checked } from '../../../../api/checked';
import { inputError } from '../../errors';

/**
 * The value of a checked parameter.
 *
 * @param label the name of the field as the panel shows it.
 * @throws NodeOperationError that names the field and the item.
 */
export function accept<T>(
	context: IExecuteFunctions,
	itemIndex: number,
	label: string,
	checked: Checked<T>,
): T {
	if (checked.fault === undefined) return checked.value;
	throw inputError(
		context.getNode(),
		`The '${label}' parameter ${checked.fault}`,
		`Correct '${label}' in the node. If it is filled by an expression, check what the step before delivers for this item.`,
		itemIndex,
	);
}
