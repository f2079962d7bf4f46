import type { ILoadOptionsFunctions, NodeOperationError } from 'n8n-workflow';
import { SECOND_MS } from '../../../shared/duration';
import type { KnownSite } from '../../../shared/knownSites';
import type { RequestLimits } from '../transport/retryingReader';
import { transportForPanel } from '../transport/transport';
import { keptSiteListOf } from './keptSiteList';
import { readSiteList } from './readSiteList';

/** A person is waiting for the list to open. */
function limitsFromNow(): RequestLimits {
	return {
		concurrentRequests: 1,
		maxTries: 2,
		timeoutMs: 10 * SECOND_MS,
		maxTimeMs: 15 * SECOND_MS,
		maxWaitMs: Infinity,
		waitEndsAt: performance.now() + 10 * SECOND_MS,
	};
}

/** What the panel shows of the service's list. */
interface ListedSites {
	listed?: readonly KnownSite[];
	/** Why there is none, or no current one. */
	fault?: string;
}

/** The sites of the service's list: as it is kept, while it is read again for the next time, or else as the service sends it. */
export async function sitesForPanel(context: ILoadOptionsFunctions): Promise<ListedSites> {
	try {
		const transport = await transportForPanel(context);
		if (transport.connection.siteListPath === undefined) return {};
		const kept = keptSiteListOf(transport.connection);
		const request = kept.isFresh ? undefined : readSiteList(transport, limitsFromNow(), kept);
		const failure = kept.isCurrent ? undefined : (await request)?.failure;
		return {
			listed: kept.last?.sites ?? [],
			...(failure && { fault: textOf(failure) }),
		};
	} catch (error) {
		const { message, description } = error as NodeOperationError;
		return { fault: textOf({ message, description: description ?? '' }) };
	}
}

function textOf({ message, description }: { message: string; description: string }): string {
	return `${message}. ${description}`;
}
