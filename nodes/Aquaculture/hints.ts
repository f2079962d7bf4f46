import type { NodeExecutionHint } from 'n8n-workflow';
import type { Kind } from '../../api/document';
import type { KnownSiteFault } from '../../shared/knownSites';
import { MESSAGES } from '../../shared/messages';
import type { Statistics } from './transport/readDocuments';

/** What is reported of an execution. */
export interface Summary extends Statistics {
	/** What the documents are called. */
	kind: Kind;
	/** How many documents were asked for, each counted once. */
	documents: number;
	/** The names of the documents that do not exist and were left out. */
	missing: readonly string[];
	/** How often each document comes out because several input items asked for the very same ones. */
	copies: number;
	/** How many requests a minute the account may send. */
	requestsPerMinute: number;
}

/** Shorter waits are not reported. */
const SHORTEST_WAIT_MS = 1000;

/** The hints that the output panel shows after an execution that has not failed. */
export function hintsOf(summary: Summary): NodeExecutionHint[] {
	const { kind, missing, copies, repeatedRequests, waitedMs } = summary;
	return [
		...(missing.length > 0 ? [hint(missingHint(summary), 'warning')] : []),
		...(copies > 1 ? [hint(MESSAGES.hints.timesEach(copies, kind), 'info')] : []),
		...(repeatedRequests > 0 ? [hint(MESSAGES.hints.repeated(repeatedRequests), 'info')] : []),
		...(waitedMs >= SHORTEST_WAIT_MS ? [hint(waitHint(summary), 'info')] : []),
	];
}

/** The hint about lines of 'Known Sites' whose sites are not read. */
export function linesHint(lines: readonly KnownSiteFault[]): NodeExecutionHint[] {
	return lines.length > 0 ? [hint(MESSAGES.hints.linesLeftOut(lines), 'warning')] : [];
}

function hint(message: string, type: 'info' | 'warning'): NodeExecutionHint {
	return { message, type, location: 'outputPane' };
}

function missingHint({ documents, kind, missing }: Summary): string {
	const { hints } = MESSAGES;
	if (documents === 1) return hints.onlyOneMissing(kind);
	return missing.length === documents
		? hints.allMissing(documents, kind)
		: hints.someMissing(missing, documents, kind);
}

function waitHint(summary: Summary): string {
	const { documents, kind, tookMs, refusedRequests, requestsPerMinute } = summary;
	return refusedRequests > 0
		? MESSAGES.hints.refused(documents, kind, tookMs, refusedRequests)
		: MESSAGES.hints.waited(documents, kind, tookMs, requestsPerMinute);
}
