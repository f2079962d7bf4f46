import type { ILoadOptionsFunctions, NodeOperationError } from 'n8n-workflow';
import { describeNoPlace } from '../../../account/limit/plan';
import { SECOND_MS } from '../../../shared/duration';
import { readKnownSites, type KnownSite } from '../../../shared/knownSites';
import type { FailureText } from '../../../shared/messages';
import type { RequestLimits } from '../transport/retryingReader';
import { transportForPanel } from '../transport/transport';
import { SiteDirectory } from './directory';
import type { NamedSite } from './finder';
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

/** What the panel shows where the credential has the address of the service's list. */
interface PanelSites {
	sites: KnownSite[];
	/** Why they are not all, or not up to date. */
	fault?: string;
}

/** All sites: with the list as it is kept, while it is read again for the next time, or else as the service sends it. */
export async function sitesForPanel(
	context: ILoadOptionsFunctions,
	knownSites: unknown,
): Promise<PanelSites> {
	try {
		const transport = await transportForPanel(context);
		const { connection } = transport;
		const limits = limitsFromNow();
		const reading = { transport, limits, fallback: () => [] };
		const directory = new SiteDirectory(knownSites, connection, reading);
		await directory.all();
		const list = directory.hasList ? serviceListOf(connection) : undefined;
		if (!directory.failure && list?.isFresh === false) void list.read(transport, limits);
		const sites = directory.sites.map(knownSite);
		const { failure } = directory;
		if (!failure) return { sites };
		const { budget } = transport.account;
		return { sites, fault: textOf(failure.noPlace ? describeNoPlace(budget) : failure) };
	} catch (error) {
		const { message, description } = error as NodeOperationError;
		const { sites } = readKnownSites(knownSites);
		return { sites, fault: textOf({ message, description: description ?? '' }) };
	}
}

function knownSite({ siteId, siteName }: NamedSite): KnownSite {
	return { siteId, name: siteName ?? String(siteId) };
}

function textOf({ message, description }: FailureText): string {
	return `${message}. ${description}`;
}
