import { OPTIONS } from '../../../texts/messages';
import type { Failure } from '../requests/failure';
import { checkSwitch } from './checks';
import { option } from './field';

export const ignoreMissing = option(
	{
		displayName: OPTIONS.ignoreMissing,
		name: 'ignoreMissing',
		type: 'boolean',
		noDataExpression: true,
		default: true,
		description: 'Whether to leave out sites that the service does not know, instead of failing',
	},
	checkSwitch,
	false,
);

/** Whether the document of a failure is left out of the output, so that it does not count as a failure. */
export function isIgnored(
	{ unknown = false }: Failure,
	options: { ignoreMissing: boolean },
): boolean {
	return unknown && options.ignoreMissing;
}
