import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { describeNoPlace } from '../../../account/limit/plan';
import { SECOND_MS } from '../../../texts/duration';
import { readKnownSites, type KnownSite } from '../../../account/knownSites';
import { inputError } from '../requests/nodeErrors';
import type { RequestLimits } from '../requests/retryingReader';
import { transportForPanel } from '../requests/transport';
import { SiteDirectory } from './directory';
import { serviceListOf } from './serviceList';

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

/**
 * All sites, or those that were entered, if the list cannot be read.
 *
 * @throws NodeOperationError that has the reason for its message, if there is no site to offer. It is all that n8n shows.
 */
export async function sitesForPanel(
	context: ILoadOptionsFunctions,
	knownSites: unknown,
): Promise<KnownSite[]> {
	const { sites: entered } = readKnownSites(knownSites);
	const all = allSites(context, knownSites);
	return entered.length > 0 ? await all.catch(() => entered) : await all;
}

/** With the list as it is kept, while it is read again for the next time, or else as the service sends it. */
async function allSites(context: ILoadOptionsFunctions, knownSites: unknown): Promise<KnownSite[]> {
	const transport = await transportForPanel(context);
	const { account } = transport;
	const limits = limitsFromNow();
	const reading = { transport, limits, fallback: () => [] };
	const directory = new SiteDirectory(knownSites, reading);
	const { value: sites, failure } = await directory.all();
	if (failure) {
		const reason = failure.noPlace ? describeNoPlace(account.budget).message : failure.reason;
		throw inputError(context.getNode(), reason, failure.description);
	}
	const list = directory.hasList ? serviceListOf(account.connection) : undefined;
	if (!directory.failure && list?.isFresh === false) void list.read(transport, limits);
	return sites.map(({ siteId, siteName }) => ({ siteId, name: siteName ?? String(siteId) }));
}
