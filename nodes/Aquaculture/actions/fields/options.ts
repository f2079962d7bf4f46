import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { checkIncludes, checkSeconds, checkSwitch, checkVersion } from '../../../../api/parameters';
import { accept } from './parameter';

const DEFAULT_TIMEOUT_SECONDS = 30;

export const optionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	default: {},
	placeholder: 'Add option',
	options: [
		{
			displayName: 'Additional Includes',
			name: 'additionalIncludes',
			type: 'string',
			default: '',
			placeholder: 'e.g. sensors,contacts',
			description:
				'Further parts of the site to ask for, separated by commas. Ask the operator of the service which there are.',
		},
		{
			displayName: 'Data Request Version',
			name: 'dataVersion',
			type: 'string',
			default: '',
			placeholder: 'e.g. 2023-01-01',
			description:
				'The version of the interface to use instead of the one in the credential, as a date in the form YYYY-MM-DD',
		},
		{
			displayName: 'Include Response Details',
			name: 'includeResponseDetails',
			type: 'boolean',
			default: false,
			description:
				'Whether to return the status code and the headers of the answer too, with the site under "body"',
		},
		{
			displayName: 'Timeout',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 3600 },
			default: DEFAULT_TIMEOUT_SECONDS,
			description: 'How many seconds to wait for the whole answer of the service',
		},
	],
};

export interface Options {
	additionalIncludes: string[];
	/** Undefined where the credential's version is to be used. */
	dataVersion: string | undefined;
	includeResponseDetails: boolean;
	timeoutMs: number;
}

/** @throws NodeOperationError that names the option that cannot be used. */
export function readOptions(context: IExecuteFunctions, itemIndex: number): Options {
	const typed = context.getNodeParameter('options', itemIndex, {});
	const { dataVersion, includeResponseDetails = false, timeout = DEFAULT_TIMEOUT_SECONDS } = typed;
	return {
		additionalIncludes: accept(
			context,
			itemIndex,
			'Additional Includes',
			checkIncludes(typed.additionalIncludes),
		),
		dataVersion:
			dataVersion === undefined || dataVersion === ''
				? undefined
				: accept(context, itemIndex, 'Data Request Version', checkVersion(dataVersion)),
		includeResponseDetails: accept(
			context,
			itemIndex,
			'Include Response Details',
			checkSwitch(includeResponseDetails),
		),
		timeoutMs: accept(context, itemIndex, 'Timeout', checkSeconds(timeout)),
	};
}
