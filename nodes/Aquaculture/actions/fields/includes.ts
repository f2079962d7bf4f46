import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { checkSwitch } from '../../../../api/parameters';
import { accept } from './parameter';

export const includeFields: INodeProperties[] = [
	{
		displayName: 'Include Info',
		name: 'includeInfo',
		type: 'boolean',
		default: true,
		description:
			'Whether to include the info of the site: its position, type, code, licence, maximum total biomass and time zone',
	},
	{
		displayName: 'Include Units',
		name: 'includeUnits',
		type: 'boolean',
		default: true,
		description: 'Whether to include the units of the site, with the name and position of each',
	},
];

/**
 * The values of `$include`, each once: the ticked ones in the order of the interface document, then the additional
 * ones in the order typed.
 *
 * @throws NodeOperationError when a checkbox is filled by something else than true or false.
 */
export function readIncludes(
	context: IExecuteFunctions,
	itemIndex: number,
	additional: readonly string[],
): string[] {
	const isTicked = (name: string, label: string) =>
		accept(context, itemIndex, label, checkSwitch(context.getNodeParameter(name, itemIndex)));

	const ticked = [
		...(isTicked('includeUnits', 'Include Units') ? ['units'] : []),
		...(isTicked('includeInfo', 'Include Info') ? ['info'] : []),
	];
	return [...new Set([...ticked, ...additional])];
}
