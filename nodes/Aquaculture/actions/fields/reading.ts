import type { INodeProperties } from 'n8n-workflow';
import { checkCount, checkRate, checkSeconds, checkSwitch } from '../../../../api/parameters';
import type { ReadingLimits } from '../../transport/readSites';
import type { Parameter, Parameters } from './parameters';

/*
 * How the sites are read. All of it concerns the execution as a whole, so none of it is asked for with an expression for
 * each item.
 */

const MAX_CONCURRENT_REQUESTS = 50;
const MAX_TRIES = 20;

const DEFAULT_CONCURRENT_REQUESTS = 20;
const DEFAULT_MAX_TIME_SECONDS = 45;
const DEFAULT_MAX_TRIES = 5;
const DEFAULT_TIMEOUT_SECONDS = 30;

export const readingOptions: INodeProperties[] = [
	{
		displayName: 'Concurrent Requests',
		name: 'concurrentRequests',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 1, maxValue: MAX_CONCURRENT_REQUESTS },
		default: DEFAULT_CONCURRENT_REQUESTS,
		description: 'How many sites to ask for at once, at the most',
	},
	{
		displayName: 'Ignore Missing Sites',
		name: 'ignoreMissing',
		type: 'boolean',
		noDataExpression: true,
		default: false,
		description: 'Whether to leave out sites that the service does not know, instead of failing',
	},
	{
		displayName: 'Maximum Time per Site',
		name: 'maxTime',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 1, maxValue: 3600 },
		default: DEFAULT_MAX_TIME_SECONDS,
		description:
			'How many seconds to spend on a site in all: on every try and on the waiting between them. A Timeout that is longer counts instead.',
	},
	{
		displayName: 'Maximum Tries',
		name: 'maxTries',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 1, maxValue: MAX_TRIES },
		default: DEFAULT_MAX_TRIES,
		description:
			'How often to ask for a site when the service is overloaded or cannot be reached for a moment',
	},
	{
		displayName: 'Requests per Second',
		name: 'requestsPerSecond',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 0, maxValue: 1000, numberPrecision: 2 },
		default: 0,
		description:
			'How many sites to ask for in a second, at the most. 0 means no limit; 0.5 means one every two seconds.',
	},
	{
		displayName: 'Timeout',
		name: 'timeout',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 1, maxValue: 3600 },
		default: DEFAULT_TIMEOUT_SECONDS,
		description: 'How many seconds to wait for the whole answer to one try',
	},
];

const concurrentRequests: Parameter<number> = {
	name: 'options.concurrentRequests',
	label: 'Concurrent Requests',
	fallback: DEFAULT_CONCURRENT_REQUESTS,
	check: (typed) => checkCount(typed, MAX_CONCURRENT_REQUESTS),
};
const ignoreMissing: Parameter<boolean> = {
	name: 'options.ignoreMissing',
	label: 'Ignore Missing Sites',
	fallback: false,
	check: checkSwitch,
};
const maxTime: Parameter<number> = {
	name: 'options.maxTime',
	label: 'Maximum Time per Site',
	fallback: DEFAULT_MAX_TIME_SECONDS,
	check: checkSeconds,
};
const maxTries: Parameter<number> = {
	name: 'options.maxTries',
	label: 'Maximum Tries',
	fallback: DEFAULT_MAX_TRIES,
	check: (typed) => checkCount(typed, MAX_TRIES),
};
const requestsPerSecond: Parameter<number> = {
	name: 'options.requestsPerSecond',
	label: 'Requests per Second',
	fallback: 0,
	check: checkRate,
};
const timeout: Parameter<number> = {
	name: 'options.timeout',
	label: 'Timeout',
	fallback: DEFAULT_TIMEOUT_SECONDS,
	check: checkSeconds,
};

/** How the sites of an execution are read. */
export interface ReadingOptions extends ReadingLimits {
	/** Whether a site that the service does not know is left out. */
	ignoreMissing: boolean;
}

/**
 * Reads the options that concern the execution as a whole.
 *
 * @throws NodeOperationError that names the option that cannot be used.
 */
export function readReadingOptions(parameters: Parameters): ReadingOptions {
	const read = <T>(parameter: Parameter<T>) => parameters.read(parameter, 0);
	return {
		concurrentRequests: read(concurrentRequests),
		requestsPerSecond: read(requestsPerSecond),
		maxTries: read(maxTries),
		maxTimeMs: read(maxTime),
		timeoutMs: read(timeout),
		ignoreMissing: read(ignoreMissing),
	};
}
