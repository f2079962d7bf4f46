import type { NodeExecutionHint } from 'n8n-workflow';
import type { Statistics } from '../transport/readDocuments';

/** What is told about an execution. */
export interface Summary extends Statistics {
	/** How many sites were asked for, each counted once. */
	sites: number;
	/** How many of them do not exist and were left out. */
	missing: number;
}

/** What the user is to know although nothing has failed, for the output panel. */
export function hintsOf({
	sites,
	missing,
	repeatedRequests,
	heldMs,
}: Summary): NodeExecutionHint[] {
	/** Waits below it go unnoticed. */
	const SHORTEST_WAIT_SECONDS = 1;
	const waitSeconds = Math.round(heldMs / 1000);
	return [
		...(missing > 0 ? [hint(describeMissing(missing, sites), 'warning')] : []),
		...(repeatedRequests > 0 ? [hint(describeRepeats(repeatedRequests), 'info')] : []),
		...(waitSeconds >= SHORTEST_WAIT_SECONDS ? [hint(describeWait(waitSeconds), 'info')] : []),
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

function describeWait(waitSeconds: number): string {
	const seconds = waitSeconds === 1 ? '1 second' : `${waitSeconds} seconds`;
	return `To give the service time, no request was sent for ${seconds} in all`;
}
