import type { NodeExecutionHint } from 'n8n-workflow';
import type { Kind } from '../../texts/messages';
import type { SiteList } from '../../service/siteListAnswer';
import type { KnownSiteFault } from '../../texts/fieldFaults';
import { MESSAGES } from '../../texts/messages';
import type { Statistics } from './requests/readDocuments';

/** What is reported of an execution. */
export interface Summary extends Statistics {
	/** What the documents are called. */
	kind: Kind;
	/** How many documents were asked for, each counted once. */
	documents: number;
	/** The names of the documents that do not exist and were left out. */
	missing: readonly string[];
	/** How many documents could not be read, so that they are error items. */
	failed: number;
	/** The parts that were asked for and not sent, each with the number of documents that lack it. */
	absent: ReadonlyArray<readonly [part: string, documents: number]>;
	/** What the documents are called that have no items, and what these would be. */
	empty: { names: readonly string[]; items: string } | undefined;
	/** How many input items there are, if no field has an expression, so that all ask for the same. */
	readForEachOf: number | undefined;
	/** How many input items there are, if only the first one was read. */
	readOnceFor: number | undefined;
	/** Whether somebody sees items with other fields than those that were offered before. */
	isUnlikeOffered: boolean;
	/** How many sites there are, if all are meant. */
	total: number | undefined;
	/** How many requests a minute the account may send. */
	requestsPerMinute: number;
}

/** Shorter waits are not reported. */
const SHORTEST_WAIT_MS = 1000;

/** The hints that the output panel shows after an execution that has not failed. */
export function hintsOf(summary: Summary): NodeExecutionHint[] {
	const { documents, kind, missing, failed, absent, empty, readForEachOf, readOnceFor, total } =
		summary;
	const { isUnlikeOffered, repeatedRequests, waitedMs, obstacles } = summary;
	const hasWaited = waitedMs >= SHORTEST_WAIT_MS && obstacles.size > 0;
	return [
		...(failed > 0 ? [failedHint(failed, documents, kind)] : []),
		...(missing.length > 0 ? [hint(missingHint(summary), 'warning')] : []),
		...absent.map(([part, count]) =>
			hint(MESSAGES.hints.absent(part, count, documents, kind), 'warning'),
		),
		...(empty
			? [hint(MESSAGES.hints.noItems(empty.items, empty.names, documents, kind), 'info')]
			: []),
		...(readForEachOf ? [hint(MESSAGES.hints.readForEach(readForEachOf), 'info')] : []),
		...(readOnceFor ? [hint(MESSAGES.hints.readOnce(readOnceFor), 'info')] : []),
		...(total !== undefined && total > documents
			? [hint(MESSAGES.hints.limited(documents, total), 'info')]
			: []),
		...(isUnlikeOffered ? [hint(MESSAGES.hints.otherFields(), 'info')] : []),
		...(repeatedRequests > 0 ? [hint(MESSAGES.hints.repeated(repeatedRequests), 'info')] : []),
		...(hasWaited ? [hint(waitHint(summary), 'info')] : []),
	];
}

/** The hint about error items, which a node that continues shows as if it had not failed. */
export function failedHint(failed: number, documents: number, kind: Kind): NodeExecutionHint {
	return hint(MESSAGES.hints.failed(failed, documents, kind), 'warning');
}

/** The hint about lines of 'Known Sites' whose sites are not read. */
export function linesHint(lines: readonly KnownSiteFault[]): NodeExecutionHint[] {
	return lines.length > 0 ? [hint(MESSAGES.hints.linesLeftOut(lines), 'warning')] : [];
}

/** The hints about sites that the service's list does not name, or not in a way that can be used. */
export function listHints(list: SiteList | undefined): NodeExecutionHint[] {
	const { isWhole = true, unusable = [] } = list ?? {};
	return [
		...(unusable.length > 0 ? [hint(MESSAGES.hints.unusableEntries(unusable), 'warning')] : []),
		...(isWhole ? [] : [hint(MESSAGES.hints.partialList(), 'warning')]),
	];
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
	const { documents, kind, tookMs, refusedRequests, obstacles, requestsPerMinute } = summary;
	const { hints } = MESSAGES;
	if (refusedRequests > 0) return hints.refused(documents, kind, tookMs, refusedRequests);
	if (obstacles.has('refusal')) return hints.refusedBefore(documents, kind, tookMs);
	return documents <= requestsPerMinute && obstacles.has('others')
		? hints.waitedForOthers(documents, kind, tookMs, requestsPerMinute)
		: hints.waited(documents, kind, tookMs, requestsPerMinute);
}
