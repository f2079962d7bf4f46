import type { INodeProperties } from 'n8n-workflow';
import { OPTIONS } from '../../../texts/messages';
import type { RequestLimits } from '../requests/retryingReader';
import { checkCount, checkMinutes, checkSeconds } from './checks';
import { option, type Field } from './field';
import { ignoreMissing } from './ignoreMissing';
import type { Parameters } from './parameters';

/** How the documents of an execution or of a poll are read. */
export interface LimitOptions extends RequestLimits {
	/** Whether a document that the service does not know is left out. */
	ignoreMissing: boolean;
}

/** The options for reading documents. */
export interface OptionGroup {
	fields: ReadonlyArray<Field<unknown>>;
	/** @throws NodeOperationError that names the option that cannot be used. */
	read(parameters: Parameters): LimitOptions;
}

/** The options of the node, which may take longer than a poll of the trigger. */
export const executionOptions = limitOptions({
	timeoutSeconds: 30,
	maxTimeSeconds: 45,
	longestSeconds: 3600,
	maxWaitMinutes: 60,
});

/**
 * The options for reading documents. All of them apply to the whole execution, so none of them takes an
 * expression for each item.
 *
 * @param timeoutSeconds the default for one try.
 * @param maxTimeSeconds the default for all tries of a document.
 * @param longestSeconds the largest allowed value of either.
 * @param maxWaitMinutes the default for all waits together; undefined if there is no such option.
 */
export function limitOptions({
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

	const concurrentRequests = option(
		numberOf('concurrentRequests', 1, MAX_CONCURRENT_REQUESTS, 20, {
			displayName: OPTIONS.concurrentRequests,
			description:
				'How many sites to read at the same time. Never more than a tenth of Requests per Minute.',
		}),
		(typed) => checkCount(typed, MAX_CONCURRENT_REQUESTS),
	);
	const maxTime = option(
		numberOf('maxTime', 1, longestSeconds, maxTimeSeconds, {
			displayName: OPTIONS.maxTime,
			description:
				'How long all tries for a site may take, including the pauses between them. Never less than the timeout.',
		}),
		(typed) => checkSeconds(typed, longestSeconds),
	);
	const maxTries = option(
		numberOf('maxTries', 1, MAX_TRIES, 5, {
			displayName: 'Maximum Tries',
			description:
				'How many times to ask for a site if the service is overloaded or cannot be reached for a moment',
		}),
		(typed) => checkCount(typed, MAX_TRIES),
	);
	const maxWait = option(
		numberOf('maxWait', 0, LONGEST_WAIT_MINUTES, maxWaitMinutes ?? 0, {
			displayName: OPTIONS.maxWait,
			description:
				'How long all sites together may wait when the account has reached its Requests per Minute. If they would have to wait longer, the node fails immediately and sends nothing.',
		}),
		(typed) => checkMinutes(typed, LONGEST_WAIT_MINUTES),
	);
	const timeout = option(
		numberOf('timeout', 1, longestSeconds, timeoutSeconds, {
			displayName: OPTIONS.timeout,
			description: 'How long to wait for the whole answer to one try',
		}),
		(typed) => checkSeconds(typed, longestSeconds),
	);
	const isWaitOffered = maxWaitMinutes !== undefined;

	return {
		fields: [
			concurrentRequests,
			ignoreMissing,
			maxTime,
			maxTries,
			...(isWaitOffered ? [maxWait] : []),
			timeout,
		],
		read: (parameters) => ({
			concurrentRequests: parameters.read(concurrentRequests),
			maxTries: parameters.read(maxTries),
			maxTimeMs: parameters.read(maxTime),
			maxWaitMs: isWaitOffered ? parameters.read(maxWait) : Infinity,
			timeoutMs: parameters.read(timeout),
			ignoreMissing: parameters.read(ignoreMissing),
		}),
	};
}

function numberOf(
	name: string,
	minValue: number,
	maxValue: number,
	value: number,
	texts: Pick<INodeProperties, 'displayName' | 'description'>,
): INodeProperties {
	return {
		...texts,
		name,
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue, maxValue },
		default: value,
	};
}
