import type { INodeProperties } from 'n8n-workflow';
import { includesOf } from '../../../api/includes';
import { checkIncludes } from '../../../api/parameters';
import { checkSwitch } from './checks';
import { fieldParameter, optionParameter, type Parameters } from './parameters';

const includeInfoField: INodeProperties = {
	displayName: 'Include Info',
	name: 'includeInfo',
	type: 'boolean',
	default: true,
	description:
		'Whether to include the info of the site: its position, type, code, licence, maximum total biomass and time zone',
};

const includeUnitsField: INodeProperties = {
	displayName: 'Include Units',
	name: 'includeUnits',
	type: 'boolean',
	default: true,
	description: 'Whether to include the units of the site, with the name and position of each',
};

export const includeFields = [includeInfoField, includeUnitsField];

export const includeSiteInfoField: INodeProperties = {
	displayName: 'Include Site Info',
	name: 'includeSiteInfo',
	type: 'boolean',
	default: false,
	description:
		'Whether to add the info of the site to every row: its position, type, code, licence, maximum total biomass and time zone',
};

export const additionalIncludesOption: INodeProperties = {
	displayName: 'Additional Includes',
	name: 'additionalIncludes',
	type: 'string',
	default: '',
	placeholder: 'e.g. sensors,contacts',
	description:
		'Further parts of the site to ask for, separated by commas. Ask the operator of the service which there are.',
};

const includeInfo = fieldParameter(includeInfoField, checkSwitch);
const includeUnits = fieldParameter(includeUnitsField, checkSwitch);
export const includeSiteInfo = fieldParameter(includeSiteInfoField, checkSwitch);
export const additionalIncludes = optionParameter(additionalIncludesOption, checkIncludes);

/**
 * The values of `$include` that are ticked or typed.
 *
 * @throws NodeOperationError that names the field that cannot be used.
 */
export function readIncludes(parameters: Parameters, itemIndex: number): string[] {
	return includesOf({
		units: parameters.read(includeUnits, itemIndex),
		info: parameters.read(includeInfo, itemIndex),
		others: parameters.read(additionalIncludes, itemIndex),
	});
}
