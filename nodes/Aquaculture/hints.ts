import type { NodeExecutionHint } from 'n8n-workflow';
import { spellDuration, spellRate } from '../../shared/duration';
import type { Statistics } from './transport/readDocuments';

/** What is told about an execution. */
export interface Summary extends Statistics {
	/** How many sites were asked for, each counted once. */
	sites: number;
	/** How many of them do not exist and were left out. */
	missing: number;
	/** How many requests a minute the account may send. */
	requestsPerMinute: number;
}

/** What the user is to know although nothing has failed, for the output panel. */
export function hintsOf(summary: Summary): NodeExecutionHint[] {
	/** Waits below it go unnoticed. */
	const SHORTEST_WAIT_MS = 1000;
	const { sites, missing, repeatedRequests, waitedMs } = summary;
	return [
		...(missing > 0 ? [hint(describeMissing(missing, sites), 'warning')] : []),
		...(repeatedRequests > 0 ? [hint(describeRepeats(repeatedRequests), 'info')] : []),
		...(waitedMs >= SHORTEST_WAIT_MS ? [hint(describeWait(summary), 'info')] : []),
	];
}

const CHECK_IF_WRONG = 'If that is wrong, check the Base URL in the credential';

function hint(message: string, type: 'info' | 'warning'): NodeExecutionHint {
	return { message, type, location: 'outputPane' };
}

function describeMissing(missing: number, sites: number): string {
	if (sites === 1) return `The site does not exist and was left out. ${CHECK_IF_WRONG}`;
	if (missing === sites) return `None of the ${sites} sites exists. ${CHECK_IF_WRONG}`;
	const verbs = missing === 1 ? 'does not exist and was' : 'do not exist and were';
	return `${missing} of ${sites} sites ${verbs} left out`;
}

function describeRepeats(repeatedRequests: number): string {
	return repeatedRequests === 1
		? '1 request had failed for a moment and was sent again'
		: `${repeatedRequests} requests had failed for a moment and were sent again`;
}

function describeWait({ sites, refusedRequests, requestsPerMinute, tookMs }: Summary): string {
	const cause =
		refusedRequests > 0
			? `The service refused ${refusedRequests === 1 ? 'a request' : `${refusedRequests} requests`} because there were too many`
			: `The service takes ${spellRate(requestsPerMinute)}`;
	return `${cause}, so ${sites === 1 ? '1 site' : `${sites} sites`} took ${spellDuration(tookMs, Math.round)}`;
}
