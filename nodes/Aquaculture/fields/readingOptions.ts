import type { INodeProperties } from 'n8n-workflow';
import { OPTIONS } from '../../../shared/messages';
import type { ReadingLimits } from '../transport/readDocuments';
import { checkCount, checkMinutes, checkSeconds, checkSwitch } from './checks';
import { optionParameter, type Parameters } from './parameters';

/** How the documents of an execution or of a poll are read. */
export interface ReadingOptions extends ReadingLimits {
	/** Whether a document that the service does not know is left out. */
	ignoreMissing: boolean;
}

/** The options for reading documents: their fields, and what is typed there. */
export interface OptionGroup {
	fields: INodeProperties[];
	/**
	 * Reads the options that concern the execution as a whole.
	 *
	 * @throws NodeOperationError that names the option that cannot be used.
	 */
	read(parameters: Parameters): ReadingOptions;
}

/** What a node that is executed may take its time for. */
export const executionOptions = readingOptions({
	timeoutSeconds: 30,
	maxTimeSeconds: 45,
	longestSeconds: 3600,
	maxWaitMinutes: 60,
});

/**
 * The options for reading documents. All of them concern the execution as a whole, so none of them is asked for with an
 * expression for each item.
 *
 * @param timeoutSeconds the default for one try.
 * @param maxTimeSeconds the default for all tries of a document.
 * @param longestSeconds the most that may be typed for either.
 * @param maxWaitMinutes the default for all waits together; undefined where that is not offered.
 */
export function readingOptions({
	timeoutSeconds,
	maxTimeSeconds,
	longestSeconds,
	maxWaitMinutes,
}: Record<'timeoutSeconds' | 'maxTimeSeconds' | 'longestSeconds', number> & {
	maxWaitMinutes?: number;
}): OptionGroup {
	const LONGEST_WAIT_MINUTES = 1440;
	const MAX_CONCURRENT_REQUESTS = 50;
	const MAX_TRIES = 20;

	const concurrentRequestsField: INodeProperties = {
		displayName: OPTIONS.concurrentRequests,
		name: 'concurrentRequests',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 1, maxValue: MAX_CONCURRENT_REQUESTS },
		default: 20,
		description: 'How many sites to ask for at once, at the most',
	};
	const ignoreMissingField: INodeProperties = {
		displayName: OPTIONS.ignoreMissing,
		name: 'ignoreMissing',
		type: 'boolean',
		noDataExpression: true,
		default: false,
		description: 'Whether to leave out sites that the service does not know, instead of failing',
	};
	const maxTimeField: INodeProperties = {
		displayName: OPTIONS.maxTime,
		name: 'maxTime',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 1, maxValue: longestSeconds },
		default: maxTimeSeconds,
		description:
			'How many seconds to spend on a site, on every try and the pauses between them. If Timeout is longer, it applies.',
	};
	const maxTriesField: INodeProperties = {
		displayName: 'Maximum Tries',
		name: 'maxTries',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 1, maxValue: MAX_TRIES },
		default: 5,
		description:
			'How often to ask for a site when the service is overloaded or cannot be reached for a moment',
	};
	const maxWaitField: INodeProperties = {
		displayName: OPTIONS.maxWait,
		name: 'maxWait',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 0, maxValue: LONGEST_WAIT_MINUTES },
		default: maxWaitMinutes,
		description:
			'How many minutes all sites together may wait when the account has reached its Requests per Minute. Sites that would have to wait longer fail.',
	};
	const timeoutField: INodeProperties = {
		displayName: OPTIONS.timeout,
		name: 'timeout',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 1, maxValue: longestSeconds },
		default: timeoutSeconds,
		description: 'How many seconds to wait for the whole answer to one try',
	};

	const concurrentRequests = optionParameter(concurrentRequestsField, (typed) =>
		checkCount(typed, MAX_CONCURRENT_REQUESTS),
	);
	const ignoreMissing = optionParameter(ignoreMissingField, checkSwitch);
	const maxTime = optionParameter(maxTimeField, (typed) => checkSeconds(typed, longestSeconds));
	const maxTries = optionParameter(maxTriesField, (typed) => checkCount(typed, MAX_TRIES));
	const maxWait = optionParameter(maxWaitField, (typed) =>
		checkMinutes(typed, LONGEST_WAIT_MINUTES),
	);
	const timeout = optionParameter(timeoutField, (typed) => checkSeconds(typed, longestSeconds));

	return {
		fields: [
			concurrentRequestsField,
			ignoreMissingField,
			maxTimeField,
			maxTriesField,
			...(maxWaitMinutes === undefined ? [] : [maxWaitField]),
			timeoutField,
		],
		read: (parameters) => ({
			concurrentRequests: parameters.read(concurrentRequests),
			maxTries: parameters.read(maxTries),
			maxTimeMs: parameters.read(maxTime),
			maxWaitMs: maxWaitMinutes === undefined ? Infinity : parameters.read(maxWait),
			timeoutMs: parameters.read(timeout),
			ignoreMissing: parameters.read(ignoreMissing),
		}),
	};
}
